"""The shapes of the OpenAI-compatible answers, for the OpenAPI document; answers.py makes them."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.retrieval.api.serializers import AnswerSerializer, CitedDocumentSerializer

_INDEX = "In the text of the message, in Unicode code points from 0: where the mark of the citation stands."


class GlassboxSerializer(AnswerSerializer):
    """The whole answer, as `POST /api/v1/query/` gives it, and what became of the request."""

    ignored = serializers.ListField(child=serializers.CharField(), help_text="Parameters that changed nothing.")
    repeats = serializers.UUIDField(
        allow_null=True, help_text="The event of the question that was first asked with this Idempotency-Key."
    )


class CitedSourceSerializer(serializers.Serializer[Any]):
    """A citation of a page."""

    start_index = serializers.IntegerField(help_text=_INDEX)
    end_index = serializers.IntegerField(help_text="Exclusive.")
    title = serializers.CharField(help_text="Of the document.")
    url = serializers.CharField(help_text="The address of the page in this API; the same key opens it.")
    ref_id = serializers.CharField(help_text="document|p34|c2, as the text uses it.")
    quote = serializers.CharField(help_text="Verbatim.")
    page = serializers.IntegerField(help_text="From 1.")
    document = CitedDocumentSerializer()


class UrlCitationSerializer(CitedSourceSerializer):
    type = serializers.CharField(help_text="url_citation.")


class ChatAnnotationSerializer(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="url_citation.")
    url_citation = CitedSourceSerializer()


class ChatMessageSerializer(serializers.Serializer[Any]):
    role = serializers.CharField(help_text="assistant.")
    content = serializers.CharField(help_text="The answer with its marks, and under it the disclaimers of the policy.")
    refusal = serializers.CharField(allow_null=True, help_text="Why there is no answer, and what to do.")
    annotations = ChatAnnotationSerializer(many=True)


class ChatChoiceSerializer(serializers.Serializer[Any]):
    index = serializers.IntegerField(help_text="0.")
    message = ChatMessageSerializer()
    logprobs = serializers.JSONField(allow_null=True, help_text="null.")
    finish_reason = serializers.CharField(
        help_text="stop, or content_filter for a refusal. `glassbox.outcome` tells closest passages from an answer."
    )


class ChatUsageSerializer(serializers.Serializer[Any]):
    """Tokens as the servers of the models measured them; 0 without a model."""

    prompt_tokens = serializers.IntegerField()
    completion_tokens = serializers.IntegerField()
    total_tokens = serializers.IntegerField()


class ChatCompletionAnswerSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="chatcmpl- and the id of the question's event.")
    object = serializers.CharField(help_text="chat.completion.")
    created = serializers.IntegerField(help_text="Unix time.")
    model = serializers.CharField()
    choices = ChatChoiceSerializer(many=True, help_text="One.")
    usage = ChatUsageSerializer()
    glassbox = GlassboxSerializer()


class OutputTextSerializer(serializers.Serializer[Any]):
    type = serializers.CharField(help_text="output_text.")
    text = serializers.CharField(help_text="The answer with its marks, and under it the disclaimers of the policy.")
    annotations = UrlCitationSerializer(many=True)
    logprobs = serializers.ListField(child=serializers.JSONField(), help_text="Empty.")


class OutputMessageSerializer(serializers.Serializer[Any]):
    id = serializers.CharField()
    type = serializers.CharField(help_text="message.")
    role = serializers.CharField(help_text="assistant.")
    status = serializers.CharField(help_text="As of the response.")
    content = OutputTextSerializer(many=True, help_text="One.")


class IncompleteSerializer(serializers.Serializer[Any]):
    reason = serializers.CharField(help_text="content_filter: see `glassbox.refusal`.")


class InputDetailsSerializer(serializers.Serializer[Any]):
    cached_tokens = serializers.IntegerField()
    cache_write_tokens = serializers.IntegerField()


class OutputDetailsSerializer(serializers.Serializer[Any]):
    reasoning_tokens = serializers.IntegerField()


class ResponseUsageSerializer(serializers.Serializer[Any]):
    """Tokens as the servers of the models measured them; 0 without a model."""

    input_tokens = serializers.IntegerField()
    input_tokens_details = InputDetailsSerializer()
    output_tokens = serializers.IntegerField()
    output_tokens_details = OutputDetailsSerializer()
    total_tokens = serializers.IntegerField()


class ResponseAnswerSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="resp_ and the id of the question's event.")
    object = serializers.CharField(help_text="response.")
    created_at = serializers.IntegerField(help_text="Unix time.")
    status = serializers.CharField(help_text="completed, or incomplete for a refusal.")
    error = serializers.JSONField(allow_null=True, help_text="null.")
    incomplete_details = IncompleteSerializer(allow_null=True)
    instructions = serializers.CharField(allow_null=True, help_text="null: they are not followed.")
    metadata = serializers.DictField(child=serializers.CharField(), help_text="As it was sent. It is not kept.")
    model = serializers.CharField()
    output = OutputMessageSerializer(many=True, help_text="One.")
    parallel_tool_calls = serializers.BooleanField()
    previous_response_id = serializers.CharField(allow_null=True, help_text="null.")
    store = serializers.BooleanField(help_text="false: answers are kept as the policy says, and not for this API.")
    tool_choice = serializers.CharField(help_text="none.")
    tools = serializers.ListField(child=serializers.JSONField(), help_text="Empty.")
    usage = ResponseUsageSerializer()
    glassbox = GlassboxSerializer()


class ModelSerializer(serializers.Serializer[Any]):
    id = serializers.CharField(help_text="glassbox, or glassbox/ and the key of a scope.")
    object = serializers.CharField(help_text="model.")
    created = serializers.IntegerField(help_text="0.")
    owned_by = serializers.CharField(help_text="glassbox.")


class ModelListSerializer(serializers.Serializer[Any]):
    """Has a field of the name `data`, which every serializer has for itself."""

    object = serializers.CharField(help_text="list.")

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "data": ModelSerializer(many=True)}
