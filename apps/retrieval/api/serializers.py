"""The shape of an answer, for the OpenAPI document; presentation.py makes the answer itself.

The test suite holds the two together: every answer is validated against the document.
"""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from apps.corpus.kinds import Kind
from apps.retrieval.contracts import GroundingStatus, RefusalReason, Repair
from apps.retrieval.trace import Stage, StageStatus
from apps.tenants.api.serializers import LabelledSerializer, choices_of


class CitedDocumentSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Kind.choices)


class CitationSerializer(serializers.Serializer[Any]):
    ref_id = serializers.CharField(help_text="document|p34|c2, as the answer uses it.")
    document = CitedDocumentSerializer()
    page = serializers.IntegerField(help_text="From 1; see GET /api/v1/documents/{id}/pages/{n}/.")
    section = serializers.CharField()
    quote = serializers.CharField(help_text="Verbatim: the page's text[char_start:char_end].")
    columns = serializers.CharField(help_text="The column headings above a quoted row of a table, or empty.")
    char_start = serializers.IntegerField(help_text="Within the page's text, in Unicode code points from 0.")
    char_end = serializers.IntegerField(help_text="Exclusive.")


class IntentDecisionSerializer(LabelledSerializer):
    name = serializers.CharField(help_text="`unrecognised` where no intent fits.")
    recognised = serializers.BooleanField()
    reason = serializers.CharField(help_text="Why, for a person: nearest examples, matched terms, margin.")
    score = serializers.FloatField()
    margin = serializers.FloatField()


class KindsSerializer(serializers.Serializer[Any]):
    permitted = serializers.ListField(child=serializers.ChoiceField(choices=Kind.choices))
    withheld = serializers.ListField(child=serializers.ChoiceField(choices=Kind.choices))


class RefusalSerializer(serializers.Serializer[Any]):
    reason = serializers.ChoiceField(choices=choices_of(RefusalReason))
    message = serializers.CharField()


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
        child=serializers.JSONField(allow_null=True), allow_null=True, help_text="The stage's own; differs by stage."
    )


class TraceSerializer(serializers.Serializer[Any]):
    stages = StageSerializer(many=True, help_text="In the order in which they ran.")
    degradations = DegradationSerializer(many=True)
    elapsed_ms = serializers.FloatField()


class AnswerSerializer(serializers.Serializer[Any]):
    question = serializers.CharField()
    answer = serializers.CharField(help_text="With a refusal, why, and what to do.")
    refused = serializers.BooleanField()
    refusal = RefusalSerializer(allow_null=True)
    grounding = serializers.ChoiceField(
        choices=choices_of(GroundingStatus),
        allow_null=True,
        help_text="Whether the cited passages bear the answer out; an answer that they do not is refused. Null with a "
        "refusal.",
    )
    repair = serializers.ChoiceField(
        choices=choices_of(Repair),
        help_text="What was done to an answer that the check did not pass as it was written.",
    )
    citations = CitationSerializer(many=True)
    intent = IntentDecisionSerializer()
    kinds = KindsSerializer(help_text="What this intent may reach under the policy, and what not.")
    policy_version = serializers.IntegerField()
    generator = serializers.CharField(help_text="What wrote the answer: extractive, or a model's provider.")
    model = serializers.CharField(help_text="Empty without a model.")
    degraded = DegradationSerializer(many=True, help_text="Parts that failed and were done without.")
    notices = serializers.ListField(child=serializers.CharField())
    audit_event_id = serializers.UUIDField()
    elapsed_ms = serializers.FloatField()
    trace = TraceSerializer(required=False, help_text="Only when asked for.")
