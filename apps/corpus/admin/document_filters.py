"""The questions that people ask of the list of documents."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.corpus.models import Document
from apps.corpus.registry import kind_names, name_of
from apps.tenants.admin.kit import DropdownFilter
from apps.tenants.admin.scope_field import scope_choices


class ScopeFilter(DropdownFilter):
    title = "scope"
    parameter_name = "scope"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return scope_choices()

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        # Only a scope that is offered: any other text would not be a uuid, or not the reader's business.
        known = {value for value, _ in scope_choices()}
        return queryset.filter(scope_id=self.value()) if self.value() in known else queryset


class KindFilter(DropdownFilter):
    title = parameter_name = "kind"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        """The kinds of the policy in force, then those of documents that it no longer has."""
        names = kind_names()
        occurring = Document.objects.order_by("kind").values_list("kind", flat=True).distinct()
        return [*names.items(), *((kind, name_of(kind, names)) for kind in occurring if kind not in names)]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        known = {value for value, _ in self.lookup_choices}
        return queryset.filter(kind=self.value()) if self.value() in known else queryset


class _ValuesFilter(DropdownFilter):
    """The values that occur in the documents that the reader may see."""

    field = ""

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        occurring = Document.objects.order_by(self.field).values_list(self.field, flat=True).distinct()
        return [(str(value), str(value)) for value in occurring if value not in (None, "")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        known = {value for value, _ in self.lookup_choices}
        return queryset.filter(**{self.field: self.value()}) if self.value() in known else queryset


class CompanyFilter(_ValuesFilter):
    title = "company"
    parameter_name = field = "company"


class FiscalYearFilter(_ValuesFilter):
    title = "fiscal year"
    parameter_name = field = "fiscal_year"
