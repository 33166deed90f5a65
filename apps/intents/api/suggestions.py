"""Suggestions for examples of an intent, made from documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from apps.intents.api.versions import visible_version
from apps.intents.errors import UnknownExampleIntentError
from apps.intents.services.suggesting import suggest_examples
from apps.intents.suggestion import Found
from apps.tenants.api.examples import PROBLEMS_EXTENSION, sample
from apps.tenants.api.serializers import StrictSerializer, choices_of
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'


class SuggestionsAskedSerializer(StrictSerializer):
    # Which draft is asked about comes first: whether somebody else has one of this id is not to be learnt.
    intent = serializers.CharField(
        max_length=40, required=False, help_text="Required. The short name of an intent of the draft."
    )


class SuggestedQuestionSerializer(serializers.Serializer[Any]):
    text = serializers.CharField()
    made_from = serializers.ChoiceField(choices=choices_of(Found), source="found")
    words = serializers.CharField(source="source", help_text="The words of the document that it was made of.")
    document_id = serializers.UUIDField()
    title = serializers.CharField(help_text="Of the document.")
    page = serializers.IntegerField()


class SuggestedSerializer(serializers.Serializer[Any]):
    intent = serializers.CharField()
    questions = SuggestedQuestionSerializer(many=True, help_text="At most ten.")
    documents = serializers.IntegerField(help_text="How many documents were read.")
    problem = serializers.CharField(
        allow_blank=True, help_text="Why terms alone decided what belongs to the intent; empty where meaning did, too."
    )


class ExampleSuggestionsView(ApiView):
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.POLICY_EDIT}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": SuggestionsAskedSerializer}
    field_of_error: ClassVar[Mapping[type[Exception], str]] = {UnknownExampleIntentError: "intent"}
    # The provider may have to embed the questions first.
    opens_own_scopes = True

    @extend_schema(
        operation_id="suggest_policy_examples",
        tags=["Policy"],
        summary="Suggest examples for an intent",
        description=(
            "Returns up to ten questions for an intent of your own draft. They are made by rules from headings, table "
            "rows and defined terms of documents that the intent reaches and that you may read. Left out is what "
            "another intent recognises better, what repeats an example, and what may name a person. Nothing is added: "
            "put those that you want into the draft's `examples`. Everybody who may read the policy reads its "
            "examples, and an example stays when the document is erased."
        ),
        parameters=[SuggestionsAskedSerializer],
        responses=SuggestedSerializer,
        extensions={
            **sample(
                f'curl "{{base}}/api/v1/policy/versions/$VERSION_ID/example-suggestions/?intent=performance" {_KEY}'
            ),
            PROBLEMS_EXTENSION: ["Conflict"],
        },
    )
    def get(self, request: Request, id: UUID) -> Response:
        acting = ShortScopes.all_of(self.principal)
        with acting.open():
            version = visible_version(id)
        if not (intent := self.asked().get("intent", "")):
            raise ValidationError({"intent": ["Name an intent of the draft."]})
        suggested = suggest_examples(draft_id=version.id, intent=intent, acting=acting)
        return Response(SuggestedSerializer(suggested).data)
