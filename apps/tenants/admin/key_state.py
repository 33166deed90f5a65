"""Whether a key opens anything now, as a word: the same on the administrator's list and on one's own."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from apps.tenants.admin.kit import DropdownFilter
from apps.tenants.display import pill
from apps.tenants.models import ApiKey
from apps.tenants.selectors.keys import has_ended


def is_valid(key: ApiKey) -> bool:
    """Neither revoked nor expired."""
    return key.revoked_at is None and (key.expires_at is None or key.expires_at > timezone.now())


def key_state(key: Any) -> str:
    """Args: key: an ApiKey from directory.with_person()."""
    if key.revoked_at:
        return pill("Revoked", "quiet")
    if not is_valid(key):
        return pill("Expired", "quiet")
    if key.person is not None and not key.person.is_active:
        return pill("Opens nothing: the account is deactivated", "warn")
    if key.person is not None and not key.role_held:
        return pill("Opens nothing: the role has ended", "warn")
    return pill("Valid", "good")


def expires_in(key: ApiKey) -> str:
    """In how many days a key that has an end ends, in words; a day that has begun counts."""
    days = math.ceil((key.expires_at - timezone.now()) / timedelta(days=1)) if key.expires_at else 0
    return f"Expires in {days} days" if days > 1 else "Expires within a day"


class KeyStateFilter(DropdownFilter):
    """As is_valid() has it: neither revoked nor expired, or one of them."""

    title = "state"
    parameter_name = "state"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [("valid", "Valid now"), ("ended", "Revoked or expired")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if self.value() == "ended":
            return queryset.filter(has_ended())
        if self.value() == "valid":
            return queryset.exclude(has_ended())
        return queryset
