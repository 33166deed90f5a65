"""What the lists of documents and jobs can be narrowed by. A value that is none of the known ones is refused."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters

from apps.corpus.kinds import DocumentType
from apps.corpus.models import Chunk, Document, DocumentStatus, IngestJob, JobState
from apps.corpus.registry import kind_names
from apps.tenants.api.filtering import (
    FilterSet,
    SeveralFilter,
    changed_filter,
    flag_filter,
    several_texts_filter,
    text_filter,
    whole_filter,
)
from apps.tenants.selectors.tenants import scope_by_key


class DocumentFilter(FilterSet):
    kind = several_texts_filter(kind_names, help_text="A kind's key. Repeat it to match any of several.")
    status = SeveralFilter(choices=DocumentStatus.choices, help_text="Repeat it to match any of several.")
    scope = text_filter(max_length=127, method="in_scope", help_text="A scope's key, without the scopes below it.")
    document_type = filters.ChoiceFilter(choices=DocumentType.choices, empty_label=None)
    company = text_filter(max_length=200, lookup_expr="iexact", help_text="The whole name; case does not matter.")
    fiscal_year = whole_filter(min_value=1, max_value=9999)
    fiscal_quarter = whole_filter(min_value=1, max_value=4)
    language = text_filter(max_length=2, lookup_expr="iexact", help_text="ISO 639-1, such as en.")
    external_id = text_filter(max_length=200, help_text="The id in the source system.")
    updated_since = changed_filter()
    q = text_filter(field_name="title", lookup_expr="icontains", help_text="A part of the title; case does not matter.")

    class Meta:
        model = Document
        fields: list[str] = []

    def in_scope(self, queryset: QuerySet[Document], name: str, value: str) -> QuerySet[Document]:
        return queryset.filter(scope_id=scope_by_key(value).id)


class VersionFilter(FilterSet):
    updated_since = changed_filter()

    class Meta:
        model = Document
        fields: list[str] = []


class JobFilter(FilterSet):
    status = SeveralFilter(field_name="state", choices=JobState.choices, help_text="Repeat it to match any of several.")
    document = filters.UUIDFilter(field_name="document_id", help_text="A document's id.")
    updated_since = changed_filter()

    class Meta:
        model = IngestJob
        fields: list[str] = []


class ChunkFilter(FilterSet):
    page = whole_filter(min_value=1, method="on_page", help_text="Only passages that are at least partly on this page.")
    parents = flag_filter(
        field_name="is_parent",
        help_text="true for the wider passages that give context, instead of those that are searched and cited.",
    )

    class Meta:
        model = Chunk
        fields: list[str] = []

    def on_page(self, queryset: QuerySet[Chunk], name: str, value: int) -> QuerySet[Chunk]:
        return queryset.filter(page_start__lte=value, page_end__gte=value)
