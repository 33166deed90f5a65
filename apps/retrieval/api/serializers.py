"""The shape of an answer, for the OpenAPI document; presentation.py makes the answer itself.

The test suite holds the two together: every answer is validated against the document.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from rest_framework import serializers

from apps.retrieval.api.trace_serializers import DegradationSerializer, TraceSerializer
from apps.retrieval.contracts import (
    AnswerKind,
    AnswerOutcome,
    GroundingStatus,
    ProfileEffect,
    RefusalReason,
    RelevanceStatus,
    Repair,
)
from apps.tenants.api.serializers import LabelledSerializer, choices_of


class CitedDocumentSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    title = serializers.CharField()
    version = serializers.IntegerField()
    kind = serializers.CharField()


class RowCellSerializer(serializers.Serializer[Any]):
    column = serializers.CharField(help_text="Its heading, or empty if the table does not say.")
    value = serializers.CharField()


class QuotedRowSerializer(serializers.Serializer[Any]):
    """Has a field of the name `label`, the label of the row."""

    cells = RowCellSerializer(many=True)
    caption = serializers.CharField(help_text="What the table says of its unit and scale, or empty.")

    def get_fields(self) -> dict[str, Any]:
        return {"label": serializers.CharField(), **super().get_fields()}


class CitedRecordSerializer(serializers.Serializer[Any]):
    """Has a field of the name `source`, the system that the record comes from."""

    external_id = serializers.CharField()
    type = serializers.CharField()
    pointers = serializers.ListField(
        child=serializers.CharField(), help_text="JSON pointers (RFC 6901) of the fields that the quote shows."
    )

    def get_fields(self) -> dict[str, Any]:
        return {"source": serializers.CharField(), **super().get_fields()}


class CitationSerializer(serializers.Serializer[Any]):
    ref_id = serializers.CharField(help_text="document|p34|c2, as the answer uses it.")
    chunk_id = serializers.UUIDField(help_text="The id of the passage, as in GET /api/v1/documents/{id}/chunks/.")
    url = serializers.CharField(help_text="The address of the page in this API.")
    document = CitedDocumentSerializer()
    page = serializers.IntegerField(help_text="From 1.")
    section = serializers.CharField()
    quote = serializers.CharField(help_text="Verbatim: the page's text[char_start:char_end].")
    columns = serializers.CharField(help_text="The column headings above a quoted row of a table, or empty.")
    row = QuotedRowSerializer(
        allow_null=True, help_text="A quoted row of a table, as it was read; null for a sentence."
    )
    record = CitedRecordSerializer(
        allow_null=True, help_text="The structured record that the document was made of, and the quoted fields."
    )
    char_start = serializers.IntegerField(help_text="Within the page's text, in Unicode code points from 0.")
    char_end = serializers.IntegerField(help_text="Exclusive.")


class IntentDecisionSerializer(LabelledSerializer):
    name = serializers.CharField(help_text="`unrecognised` if no intent fits.")
    recognised = serializers.BooleanField()
    reason = serializers.CharField(help_text="Why, for a person: nearest examples, matched terms, margin.")
    score = serializers.FloatField()
    margin = serializers.FloatField()


class KindsSerializer(serializers.Serializer[Any]):
    permitted = serializers.ListField(child=serializers.CharField())
    withheld = serializers.ListField(child=serializers.CharField())


class FilterCertainty(StrEnum):
    """How a filter came about, and what it does."""

    GIVEN = "given"
    SURE = "sure"
    LIKELY = "likely"
    RELAXED = "relaxed"


class FilterSerializer(serializers.Serializer[Any]):
    """Has a field of the name `field`, which narrows what is searched."""

    values = serializers.ListField(child=serializers.CharField())
    certainty = serializers.ChoiceField(
        choices=choices_of(FilterCertainty),
        help_text=(
            "given: sent with the question; narrows the search. sure: read from its text; narrows it too. likely: "
            "read from its text; moves matching passages up. relaxed: read from its text, but removed again."
        ),
    )
    reason = serializers.CharField(help_text="Why. For a given filter: the part that nothing can match, or empty.")

    def get_fields(self) -> dict[str, Any]:
        named = serializers.CharField(
            help_text="company, period, document_type, jurisdiction, newest_report, document, kind or as_of."
        )
        return {"field": named, **super().get_fields()}


class RankingScoreSerializer(serializers.Serializer[Any]):
    ranking = serializers.CharField(help_text="dense (by meaning), sparse (by words), and any others.")
    rank = serializers.IntegerField(help_text="From 1.")
    cosine_similarity = serializers.FloatField(allow_null=True, help_text="Only in a ranking by meaning.")
    bm25_score = serializers.FloatField(allow_null=True, help_text="Only in a ranking by words.")


class ScoresSerializer(serializers.Serializer[Any]):
    rankings = RankingScoreSerializer(many=True, help_text="Empty for a passage that was added around another one.")
    rrf_score = serializers.FloatField(help_text="The score of the fused rankings.")
    boost = serializers.FloatField(help_text="The share of its RRF score that likely filters added.")
    rerank_score = serializers.FloatField(allow_null=True, help_text="null if nothing reordered the passages.")


class PassageSerializer(serializers.Serializer[Any]):
    ref_id = serializers.CharField(help_text="document|p34|c2, as an answer would use it.")
    chunk_id = serializers.UUIDField(help_text="As in GET /api/v1/documents/{id}/chunks/.")
    url = serializers.CharField(help_text="The address of the page in this API.")
    document = CitedDocumentSerializer()
    page = serializers.IntegerField(help_text="From 1.")
    section = serializers.CharField()
    text = serializers.CharField(help_text="Verbatim: the page's text[char_start:char_end].")
    char_start = serializers.IntegerField(help_text="Within the page's text, in Unicode code points from 0.")
    char_end = serializers.IntegerField(help_text="Exclusive.")
    in_context = serializers.BooleanField(
        help_text="Whether an answer would be written from it: it fits into the context budget of its kind."
    )
    around = serializers.UUIDField(
        allow_null=True, help_text="The passage that it was added around; null for a passage that was itself found."
    )
    scores = ScoresSerializer()


class RefusalSerializer(serializers.Serializer[Any]):
    reason = serializers.ChoiceField(choices=choices_of(RefusalReason))
    message = serializers.CharField()


class ProfileFindingSerializer(serializers.Serializer[Any]):
    """A rule of the policy's compliance profile that fired."""

    key = serializers.CharField(help_text="The rule's key in the policy.")
    sort = serializers.CharField(help_text="topic or product.")
    name = serializers.CharField(help_text="What the firm calls it.")
    effect = serializers.ChoiceField(
        choices=choices_of(ProfileEffect),
        help_text="refused: the question was not searched. blocked: the answer is withheld. flagged: it is given.",
    )
    reason = serializers.CharField(help_text="What the firm tells users.")
    words = serializers.ListField(
        child=serializers.CharField(), help_text="What made it fire. Empty of an answer that is withheld."
    )


class DisclaimerSerializer(serializers.Serializer[Any]):
    key = serializers.CharField(help_text="The rule's key in the policy.")
    text = serializers.CharField()


class RelevanceSerializer(serializers.Serializer[Any]):
    status = serializers.ChoiceField(
        choices=choices_of(RelevanceStatus),
        help_text="full: it answers what was asked. partial: some of it is missing. none: closest passages.",
    )
    kind = serializers.ChoiceField(choices=choices_of(AnswerKind), help_text="The kind of answer that was asked for.")
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="What was asked for and is not in the answer, in words."
    )


class DecidedSerializer(serializers.Serializer[Any]):
    """What an answer and a search both tell: what the question could reach, and how it went."""

    question = serializers.CharField()
    refused = serializers.BooleanField()
    refusal = RefusalSerializer(allow_null=True)
    intent = IntentDecisionSerializer()
    kinds = KindsSerializer(help_text="What this intent may and may not reach under the policy.")
    filters = FilterSerializer(many=True, help_text="What narrowed the search, and what else the text implied.")
    profile = ProfileFindingSerializer(
        many=True, help_text="The rules of the compliance profile that fired, on the question and on the answer."
    )
    policy_version = serializers.IntegerField()
    degraded = DegradationSerializer(many=True, help_text="Parts that failed and were skipped.")
    notices = serializers.ListField(child=serializers.CharField())
    audit_event_id = serializers.UUIDField()
    elapsed_ms = serializers.FloatField()


class SearchedSerializer(DecidedSerializer):
    passages = PassageSerializer(
        many=True,
        help_text=(
            "The passages that were kept, best first; then those that were added around them. Empty with a refusal."
        ),
    )
    trace = TraceSerializer(required=False, help_text="Unless `trace` is false.")


class AnswerSerializer(DecidedSerializer):
    asked_as = serializers.CharField(
        allow_null=True,
        help_text="What was asked in the end, where `question` was read with an earlier one; else null.",
    )
    answer = serializers.CharField(help_text="With a refusal, why, and what to do.")
    outcome = serializers.ChoiceField(
        choices=choices_of(AnswerOutcome),
        help_text=(
            "answered; closest_passages: nothing found clearly answers the question, so the closest passages are "
            "quoted and nothing is claimed; refused."
        ),
    )
    grounding = serializers.ChoiceField(
        choices=choices_of(GroundingStatus),
        allow_null=True,
        help_text=(
            "Whether every statement stands in its source; an answer that does not is withheld. Null with a refusal "
            "and with closest passages, which claim nothing."
        ),
    )
    relevance = RelevanceSerializer(
        allow_null=True, help_text="Whether it answers what was asked. Null with a refusal."
    )
    repair = serializers.ChoiceField(
        choices=choices_of(Repair),
        help_text="How an answer that did not pass the check at first was repaired.",
    )
    disclaimers = DisclaimerSerializer(
        many=True,
        help_text="What the policy has stand under answers of this intent. Show it wherever you show the answer.",
    )
    citations = CitationSerializer(many=True)
    generator = serializers.CharField(help_text="What wrote the answer: extractive, or a model's provider.")
    model = serializers.CharField(help_text="Empty without a model.")
    trace = TraceSerializer(required=False, help_text="Only if requested.")
