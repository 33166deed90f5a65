"""What the list of facts can be narrowed by."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import CheckResult
from apps.filings.models import Fact
from apps.filings.vocabulary.concepts import find_by_name
from apps.tenants.api.filtering import FilterSet, SeveralFilter, text_filter, whole_filter

_STATEMENTS = [(each.value, each.label("en")) for each in Statement]


class FactFilter(FilterSet):
    document = filters.UUIDFilter(
        field_name="document_id", help_text="A document's id. Without it, only documents in force."
    )
    company = text_filter(max_length=200, lookup_expr="iexact", help_text="The whole name; case does not matter.")
    concept = text_filter(
        max_length=120, method="of_concept", help_text="A concept's name, or any name that the vocabulary knows it by."
    )
    label = text_filter(max_length=200, lookup_expr="icontains", help_text="A part of what the row is called.")
    dimension = text_filter(max_length=300, lookup_expr="iexact", help_text="A segment's name.")
    statement = filters.ChoiceFilter(choices=_STATEMENTS, empty_label=None)
    fiscal_year = whole_filter(min_value=1, max_value=9999)
    fiscal_quarter = whole_filter(min_value=0, max_value=4, help_text="0 is the whole year.")
    page = whole_filter(min_value=1)
    check_result = SeveralFilter(choices=CheckResult.choices, help_text="Repeat it to match any of several.")

    class Meta:
        model = Fact
        fields: list[str] = []

    def of_concept(self, queryset: QuerySet[Fact], name: str, value: str) -> QuerySet[Fact]:
        found = find_by_name(value)
        return queryset.filter(concept=found.name) if found else queryset.none()
