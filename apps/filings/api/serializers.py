"""How facts and series are written for API clients."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from apps.filings.contracts import CheckResult, FactUnit, HowRead
from apps.filings.models import Fact
from apps.filings.numbers import plain_number
from apps.filings.selectors import Point, Series
from apps.tenants.api.serializers import StrictSerializer


@extend_schema_field(OpenApiTypes.STR)
class ValueField(serializers.Field[Decimal, Any, str, Decimal]):
    """A number as text, so that no digit is lost."""

    def to_representation(self, value: Decimal) -> str:
        return plain_number(value)


class FactSerializer(serializers.ModelSerializer[Fact]):
    """A figure of a document, with its place."""

    value = ValueField(read_only=True, help_text="In whole units, with its sign: 1,577 in millions is 1577000000.")
    unit = serializers.ChoiceField(choices=FactUnit.choices, read_only=True)
    how_read = serializers.ChoiceField(choices=HowRead.choices, read_only=True)
    check_result = serializers.ChoiceField(choices=CheckResult.choices, read_only=True)
    confidence = serializers.FloatField(read_only=True, help_text="From 0 to 1: how certain the reading is.")
    document_title = serializers.CharField(source="document.title", read_only=True)

    class Meta:
        model = Fact
        fields = (
            "id",
            "document_id",
            "document_title",
            "company",
            "concept",
            "tag",
            "label",
            "column",
            "group",
            "dimension",
            "value",
            "printed",
            "exponent",
            "unit",
            "currency",
            "starts_on",
            "ends_on",
            "fiscal_year",
            "fiscal_quarter",
            "months",
            "statement",
            "consolidated",
            "restated",
            "page",
            "row_start",
            "row_end",
            "cell_start",
            "cell_end",
            "how_read",
            "confidence",
            "check_result",
            "check_detail",
        )
        read_only_fields = fields
        extra_kwargs = {
            "concept": {"help_text": "Its name in the vocabulary; empty for a row that the vocabulary does not know."},
            "label": {"help_text": "What its row is called."},
            "printed": {"help_text": "As the page prints it: the page's text from cell_start to cell_end."},
            "exponent": {"help_text": "Of the stated scale, 6 for millions; null if none is stated."},
            "dimension": {"help_text": "A segment or another part of the group; empty for all of it."},
            "fiscal_quarter": {"help_text": "0 is the whole year."},
            "months": {"help_text": "The length of its period; 0 is an instant."},
            "cell_start": {"help_text": "Where the figure begins on its page, in Unicode code points from 0."},
        }


class SeriesQuery(StrictSerializer):
    """What a series is asked for by."""

    company = serializers.CharField(max_length=200, help_text="The whole name; case does not matter.")
    concept = serializers.CharField(
        max_length=120, help_text="A concept's name in the vocabulary, or any name that the vocabulary knows it by."
    )
    dimension = serializers.CharField(max_length=300, required=False, default="", help_text="A segment's name.")
    quarters = serializers.ChoiceField(
        choices=[("true", "true"), ("false", "false")],
        required=False,
        default="false",
        help_text="true for the quarters in place of the years.",
    )


class RestatementSerializer(serializers.Serializer[Any]):
    value = ValueField()
    facts = FactSerializer(many=True)


class PointSerializer(serializers.Serializer[Point]):
    """The value of one period. The first of its facts is of the earliest document."""

    fiscal_year = serializers.IntegerField()
    fiscal_quarter = serializers.IntegerField(help_text="0 is the whole year.")
    months = serializers.IntegerField()
    value = ValueField()
    facts = FactSerializer(many=True, help_text="All facts that give this value.")
    restatements = RestatementSerializer(many=True, help_text="Other values of the period, in later documents.")


class SeriesSerializer(serializers.Serializer[Series]):
    company = serializers.CharField()
    concept = serializers.CharField(source="key.concept")
    dimension = serializers.CharField(source="key.dimension")
    unit = serializers.ChoiceField(choices=FactUnit.choices, source="key.unit")
    currency = serializers.CharField(source="key.currency", help_text="Empty if no document states one.")
    points = PointSerializer(many=True)


class SeriesAnswerSerializer(serializers.Serializer[Any]):
    """The series that were found; more than one where the documents give several units or currencies."""

    series = SeriesSerializer(many=True)
