"""What the lists of documents and jobs can be narrowed by. A value that is none of the known ones is refused."""

from __future__ import annotations

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema_field

from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.models import Chunk, Document, DocumentStatus, IngestJob, JobStatus
from apps.tenants.api.filtering import FilterSet
from apps.tenants.selectors.tenants import scope_by_key


class DocumentFilter(FilterSet):
    kind = filters.ChoiceFilter(choices=Kind.choices, empty_label=None)
    status = filters.ChoiceFilter(choices=DocumentStatus.choices, empty_label=None)
    scope = filters.CharFilter(method="in_scope", help_text="A scope's key, without the scopes below it.")
    document_type = filters.ChoiceFilter(choices=DocumentType.choices, empty_label=None)
    company = filters.CharFilter(lookup_expr="iexact", help_text="The whole name, in any case.")
    fiscal_year = filters.NumberFilter()
    fiscal_quarter = filters.NumberFilter()
    language = filters.CharFilter(lookup_expr="iexact", help_text="ISO 639-1, such as en.")
    external_id = filters.CharFilter(help_text="What the source system calls it.")
    q = filters.CharFilter(field_name="title", lookup_expr="icontains", help_text="A part of the title, in any case.")

    class Meta:
        model = Document
        fields: list[str] = []

    def in_scope(self, queryset: QuerySet[Document], name: str, value: str) -> QuerySet[Document]:
        return queryset.filter(scope_id=scope_by_key(value).id)


class JobFilter(FilterSet):
    status = filters.ChoiceFilter(choices=JobStatus.choices, empty_label=None)
    document = filters.UUIDFilter(field_name="document_id", help_text="A document's id.")

    class Meta:
        model = IngestJob
        fields: list[str] = []


class ChunkFilter(FilterSet):
    page = filters.NumberFilter(method="on_page", help_text="Only passages that stand, in part, on this page.")
    # Not a BooleanFilter: that takes a word it does not know for no filter at all.
    parents = extend_schema_field(OpenApiTypes.BOOL)(
        filters.TypedChoiceFilter(
            field_name="is_parent",
            choices=(("true", "true"), ("false", "false")),
            coerce="true".__eq__,
            help_text="true for the wider passages that give context, instead of those that are searched and cited.",
        )
    )

    class Meta:
        model = Chunk
        fields: list[str] = []

    def on_page(self, queryset: QuerySet[Chunk], name: str, value: int) -> QuerySet[Chunk]:
        return queryset.filter(page_start__lte=value, page_end__gte=value)
