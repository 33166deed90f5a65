"""What a request may say of a structured record, checked field by field before anything is stored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import IO, Any, Final

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.corpus.api.kind import KindKeyField
from apps.corpus.description import InvalidFieldError
from apps.corpus.extraction.record_file import (
    MAX_NUMBER_CHARS,
    MAX_RECORD_BYTES,
    MAX_VALUES,
    Number,
    RecordProblem,
    RecordType,
    body_problems,
    pointer,
)
from apps.corpus.extraction.record_schemas import SCHEMAS, schema_problems
from apps.corpus.services.ingest.metadata import metadata_from_row
from apps.corpus.services.records.upsert import Outcome
from apps.tenants.api.parsers import StrictJsonParser
from apps.tenants.api.serializers import StrictSerializer, choices_of

TYPES: Final = choices_of(RecordType)
OUTCOMES: Final = choices_of(Outcome)
# Of the whole numbers that fit: the sign is a character as well.
_LEAST: Final = 1 - 10 ** (MAX_NUMBER_CHARS - 1)
_GREATEST: Final = 10**MAX_NUMBER_CHARS - 1
_ABOUT: Final = ("title", "company", "ticker", "period", "published_on", "language", "jurisdictions")
_OF_A_CSV: Final = "A data profile is made by the product: send the CSV file to the address of the record and profile/."


class ScopeField(serializers.CharField):
    def __init__(self, **options: Any) -> None:
        said = "The key of one of your scopes; see GET /api/v1/scopes/."
        super().__init__(max_length=127, help_text=said, **options)


class DetailsSerializer(StrictSerializer):
    """What is known of a record besides. `validate` makes the metadata of it."""

    title = serializers.CharField(
        max_length=300, required=False, help_text="By default made of the type and the external id."
    )
    company = serializers.CharField(max_length=200, required=False)
    ticker = serializers.CharField(max_length=16, required=False)
    period = serializers.CharField(
        max_length=20, required=False, help_text="A fiscal year or quarter: FY2024, 2024, Q4 2024, 2024Q4."
    )
    published_on = serializers.DateField(required=False)
    language = serializers.RegexField(
        r"^[a-z]{2}$", required=False, help_text="ISO 639-1, such as en. By default detected from the text."
    )
    jurisdictions = serializers.ListField(child=serializers.CharField(max_length=16), max_length=50, required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        """Read what is said of the record, and refuse what can't be understood beside its field."""
        fields = dict(super().validate(attrs))
        about = {name: fields[name] for name in _ABOUT if name in fields}
        try:
            fields["metadata"] = metadata_from_row(about, filename="")
        except InvalidFieldError as error:
            raise serializers.ValidationError({error.data["field"]: error.detail}) from error
        return fields


def _bounded(schema: Any) -> Any:
    """Return a schema with the bounds that hold for every value of a record, as generators of clients want them."""
    if not isinstance(schema, Mapping):
        return [_bounded(each) for each in schema] if isinstance(schema, list) else schema
    types = schema.get("type", ())
    of = {types} if isinstance(types, str) else {each for each in types if isinstance(each, str)}
    bounds: dict[str, Any] = {}
    if "string" in of:
        bounds |= {"maxLength": MAX_RECORD_BYTES}
    if of & {"integer", "number"}:
        bounds |= {"minimum": _LEAST, "maximum": _GREATEST}
    if "array" in of:
        bounds |= {"maxItems": MAX_VALUES}
    return {**bounds, **{name: _bounded(each) for name, each in schema.items()}}


@extend_schema_field({"anyOf": [_bounded(each) for each in SCHEMAS.values()]})
class BodyField(serializers.JSONField):
    """A record's body. What can't be stored in it is told in its place, as a path below `record`."""

    def to_internal_value(self, data: Any) -> Any:
        # What a field raises is nested below its name; a place of the body is a name like "findings.0.note".
        problems = body_problems(data)
        if problems:
            raise serializers.ValidationError(_in_their_places(problems))
        return data


def _in_their_places(problems: Iterable[RecordProblem]) -> dict[str, list[str]]:
    told: dict[str, list[str]] = {}
    for problem in problems:
        place = ".".join(map(str, problem.path)) or "non_field_errors"
        told.setdefault(place, []).append(f"{problem.reason[:1].upper()}{problem.reason[1:]}.")
    return told


class RecordFieldsSerializer(DetailsSerializer):
    kind = KindKeyField(
        help_text="The key of a kind of your policy, which decides what may reach it; see its `budgets`."
    )
    type = serializers.ChoiceField(choices=TYPES)
    record = BodyField(
        help_text=(
            "An object, as the schema of its type demands (GET /api/v1/records/schemas/). At most 1 MiB, 16 levels and "
            "20,000 values; numbers are kept as they are written."
        )
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        fields = super().validate(attrs)
        problems = [
            # As told elsewhere, and by the pointer, which stands for a name with dots too.
            replace(each, reason=f"{each.reason} ({pointer(each.path)})" if each.path else each.reason)
            for each in schema_problems(fields["type"], fields["record"])
        ]
        if problems:
            raise serializers.ValidationError({"record": _in_their_places(problems)})
        return fields

    def validate_type(self, value: str) -> RecordType:
        type = RecordType(value)
        if type is RecordType.DATA_PROFILE:
            raise serializers.ValidationError(_OF_A_CSV)
        return type


class ExactJsonParser(StrictJsonParser):
    """JSON in which the numbers of a `record` stay the text that they are, and all others are Python's own."""

    number = Number

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return _usual(super().parse(stream, media_type, parser_context))


def _usual(value: Any) -> Any:
    """Make Python's numbers of those outside of a record, where a number is of the wrong type and not a text."""
    if isinstance(value, Number):
        return float(value)
    if isinstance(value, dict):
        return {name: each if name == "record" else _usual(each) for name, each in value.items()}
    return [_usual(each) for each in value] if isinstance(value, list) else value
