"""Where a version's pages lead, and whose versions a list shows."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from apps.intents.admin.review.facts import base_of
from apps.intents.models import PolicyVersion, VersionStatus
from apps.tenants.admin.base import may
from apps.tenants.admin.kit import ChoicesDropdownFilter, DropdownFilter
from apps.tenants.roles import Permission


class StandingFilter(ChoicesDropdownFilter):
    """By where a version stands by now, which its row may not say yet."""

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any] | None:
        renamed = {name.replace("status", "standing", 1): values for name, values in dict(self.used_parameters).items()}
        before, self.used_parameters = self.used_parameters, renamed
        try:
            return super().queryset(request, queryset)
        finally:
            self.used_parameters = before


class AuthorFilter(DropdownFilter):
    """By the person, under the name that their latest version bears."""

    title = "author"
    parameter_name = "author"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        written = PolicyVersion.objects.filter(author_id__isnull=False).order_by("number")
        names = dict(written.values_list("author_id", "author_label"))
        return sorted(((str(person), name) for person, name in names.items()), key=lambda choice: choice[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        try:
            return queryset.filter(author_id=UUID(str(self.value())))
        except ValueError:
            return queryset.none()


def review_url(version: PolicyVersion) -> str:
    return reverse("admin:policy_review", args=[version.id])


def compare_url(version: PolicyVersion) -> str:
    """Against the version in force; of that itself, against what it replaced. Empty for the only one."""
    base = base_of(version) if version.status == VersionStatus.ACTIVE else None
    if base is not None:
        return f"{reverse('admin:policy_compare')}?before={base.snapshot.number}&after={version.number}"
    if version.status == VersionStatus.ACTIVE:
        return ""
    return f"{reverse('admin:policy_compare')}?before=active&after={version.number}"


def copy_url(request: HttpRequest, version: PolicyVersion) -> str:
    begin = reverse("admin:policy_draft_start") if may(request, Permission.POLICY_EDIT) else ""
    return f"{begin}?copy={version.id}" if begin else ""
