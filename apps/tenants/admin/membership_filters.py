"""Memberships: valid now, awaiting confirmation, or ended."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from apps.tenants.admin.kit import DropdownFilter


class StandingFilter(DropdownFilter):
    title = "standing"
    parameter_name = "standing"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("valid", "Valid now"), ("waiting", "Awaiting confirmation"), ("ended", "Ended")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "ended":
            return queryset.filter(revoked_at__isnull=False)
        if self.value() in ("valid", "waiting"):
            return queryset.filter(revoked_at__isnull=True, confirmed_at__isnull=self.value() == "waiting")
        return queryset
