"""The shape of a trace, for the OpenAPI document: the stages of a question, and its requests to models."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.corpus.providers.base.receivers import Purpose
from apps.retrieval.trace import Stage, StageStatus
from apps.tenants.api.serializers import choices_of


class DegradationSerializer(serializers.Serializer[Any]):
    stage = serializers.CharField()
    code = serializers.CharField()
    message = serializers.CharField()


class ExclusionSerializer(serializers.Serializer[Any]):
    subject = serializers.CharField()
    reason = serializers.CharField()


class StageSerializer(serializers.Serializer[Any]):
    stage = serializers.ChoiceField(choices=choices_of(Stage))
    status = serializers.ChoiceField(choices=choices_of(StageStatus))
    elapsed_ms = serializers.FloatField()
    count_in = serializers.IntegerField(allow_null=True)
    count_out = serializers.IntegerField(allow_null=True)
    exclusions = ExclusionSerializer(many=True)
    notes = serializers.ListField(child=serializers.CharField())
    output = serializers.DictField(
        child=serializers.JSONField(allow_null=True),
        allow_null=True,
        help_text="The output of the stage; its fields depend on the stage.",
    )


class ModelCallSerializer(serializers.Serializer[Any]):
    event_id = serializers.UUIDField(help_text="The event from before the request was sent.")
    profile = serializers.CharField()
    model = serializers.CharField()
    region = serializers.CharField(help_text="Where it is computed.")
    purpose = serializers.ChoiceField(choices=choices_of(Purpose))
    attempt = serializers.IntegerField(help_text="Which request to this model for the question it was, from 1.")
    timeout_seconds = serializers.FloatField(help_text="How long it could have taken.")
    elapsed_ms = serializers.FloatField()
    first_byte_ms = serializers.FloatField(allow_null=True, help_text="Until the reply began; null if none came.")
    input_tokens = serializers.IntegerField(allow_null=True, help_text="null if the server did not say.")
    output_tokens = serializers.IntegerField(allow_null=True, help_text="null if the server did not say.")
    price = serializers.CharField(help_text="Of a million tokens, in/out, with the currency. Empty: no price is set.")
    cost = serializers.CharField(
        allow_null=True,
        help_text="A decimal number in `currency`. null if no price is set, or the server did not say its tokens.",
    )
    currency = serializers.CharField(help_text="Empty if no price is set.")
    code = serializers.CharField(help_text="Of the error; empty if there was none.")


class DeadlineSerializer(serializers.Serializer[Any]):
    seconds = serializers.FloatField(help_text="How long all requests to models may take together.")
    used_seconds = serializers.FloatField(help_text="Since the question was asked.")


class TraceSerializer(serializers.Serializer[Any]):
    stages = StageSerializer(many=True, help_text="In the order in which they ran.")
    degradations = DegradationSerializer(many=True)
    elapsed_ms = serializers.FloatField()
    calls = ModelCallSerializer(
        many=True, help_text="The requests to models. A model within this installation's own process takes none."
    )
    deadline = DeadlineSerializer(allow_null=True)
