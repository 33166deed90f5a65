"""What a question or a search takes in its body: the text, the scopes and the filters beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, Final, TypeVar

from django.utils import timezone
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.corpus.api.kind import KindKeyField
from apps.intents.validation import MAXIMUM_KINDS
from apps.retrieval.contracts import DocumentId, GivenFilters, Period
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.stages.follow_ups.resolve import MOST_EARLIER
from apps.tenants.api.serializers import StrictSerializer

ValueT = TypeVar("ValueT")
_MAXIMUM_SCOPES = 100
_MAXIMUM_VALUES: Final = 100


# As shipped: a deployment may set another limit, and its refusal says which.
@extend_schema_field({"type": "string", "minLength": 1, "maxLength": StageSettings().question_maximum_chars})
class QuestionField(serializers.CharField):
    """Any text at all: what is none is refused by the pipeline, which records that it was asked."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(allow_blank=True, trim_whitespace=False, **kwargs)
        self.validators = []


# As shipped, like the limit of a question. A shorter one of a deployment leaves longer ones unread.
class EarlierQuestionField(serializers.CharField):
    def __init__(self, **kwargs: Any) -> None:
        super().__init__(max_length=StageSettings().question_maximum_chars, **kwargs)


class PeriodSerializer(StrictSerializer):
    fiscal_year = serializers.IntegerField(min_value=1900, max_value=2200)
    fiscal_quarter = serializers.IntegerField(
        min_value=1,
        max_value=4,
        allow_null=True,
        default=None,
        help_text="Only documents of this quarter; without it, those of the year and of each of its quarters.",
    )


class AskingSerializer(StrictSerializer):
    """A question, where it is asked, and the filters that come with it."""

    question = QuestionField(help_text="Ask one thing at a time, in at most 4,000 characters.")
    scopes = serializers.ListField(
        child=serializers.CharField(max_length=127),
        max_length=_MAXIMUM_SCOPES,
        default=list,
        help_text="Keys of scopes to search, including everything below them. If empty or absent: all that you reach.",
    )
    documents = serializers.ListField(
        child=serializers.UUIDField(),
        min_length=1,
        max_length=_MAXIMUM_VALUES,
        required=False,
        help_text="Ids of document versions: search only these.",
    )
    companies = serializers.ListField(
        child=serializers.CharField(max_length=200),
        min_length=1,
        max_length=_MAXIMUM_VALUES,
        required=False,
        help_text=(
            "Whole names as the documents state them; case does not matter. Search only documents of these companies."
        ),
    )
    periods = serializers.ListField(
        child=PeriodSerializer(),
        min_length=1,
        max_length=_MAXIMUM_VALUES,
        required=False,
        help_text="Search only documents of these fiscal years and quarters.",
    )
    kinds = serializers.ListField(
        child=KindKeyField(),
        min_length=1,
        max_length=MAXIMUM_KINDS,
        required=False,
        help_text="Search only these kinds (their keys), as far as the policy permits them for the intent.",
    )
    as_of = serializers.DateTimeField(
        required=False,
        help_text=(
            "Search the document versions that were current at this time, UTC if it has no zone. The policy is "
            "the one in force now."
        ),
    )

    def validate_as_of(self, as_of: datetime) -> datetime:
        if as_of > timezone.now():
            raise serializers.ValidationError("This time is in the future. Omit it for what is current now.")
        return as_of

    def asked(self) -> dict[str, Any]:
        """What ask and search take. Call is_valid before."""
        return asked_of(self.validated_data)


def asked_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return what ask and search take, from the validated fields of an AskingSerializer."""
    return {
        "text": data["question"],
        "scopes": tuple(data["scopes"]),
        "given": GivenFilters(
            documents=_each(data, "documents", DocumentId),
            companies=_each(data, "companies", str),
            periods=_each(data, "periods", _period),
            kinds=_each(data, "kinds", str),
        ),
        "as_of": data.get("as_of"),
    }


def _each(data: Mapping[str, Any], name: str, read: Callable[[Any], ValueT]) -> tuple[ValueT, ...] | None:
    """The values of a filter, each once; None without it."""
    return tuple(dict.fromkeys(read(each) for each in data[name])) if name in data else None


def _period(value: Mapping[str, Any]) -> Period:
    return Period(fiscal_year=value["fiscal_year"], fiscal_quarter=value["fiscal_quarter"] or 0)


class QuerySerializer(AskingSerializer):
    trace = serializers.BooleanField(default=False, help_text="Show every stage.")
    earlier_questions = serializers.ListField(
        child=EarlierQuestionField(),
        max_length=MOST_EARLIER,
        required=False,
        help_text=(
            "The same person's questions before this one, the latest last; never answers. A follow-up such as "
            "“And in 2023?” is read with them, and `asked_as` says how."
        ),
    )

    def asked(self) -> dict[str, Any]:
        return {**super().asked(), "earlier": tuple(self.validated_data.get("earlier_questions", ()))}


class SearchSerializer(AskingSerializer):
    trace = serializers.BooleanField(default=True, help_text="Whether to show every stage.")


class TraceParameterSerializer(StrictSerializer):
    trace = serializers.BooleanField(default=False, help_text="The same as `trace` in the body.")
