"""The auditor's questions of the log: when, what, who, which intent, which policy, which document, how it ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest

from apps.audit.registry import Group, event_classes
from apps.audit.selectors import with_term
from apps.audit.terms import DOCUMENT, INTENT, POLICY_VERSION
from apps.tenants.admin.kit import DropdownFilter, RangeDateTimeFilter, TextFilter
from apps.tenants.models import Scope


def as_uuid(text: str) -> UUID | None:
    try:
        return UUID(text.strip())
    except ValueError:
        return None


class WhenFilter(RangeDateTimeFilter):
    """A span of time in UTC. Unfold's own reads it without a zone, and skips a date that has no time beside it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.title = "time (UTC)"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        for name, lookup, whole_day in (("from", "gte", "00:00:00"), ("to", "lte", "23:59:59.999999")):
            date, time = (self.used_parameters.get(f"occurred_at_{name}_{part}", "") for part in (0, 1))
            if not date:
                continue
            try:
                moment = datetime.fromisoformat(f"{date} {time or whole_day}").replace(tzinfo=UTC)
            except ValueError:
                # Showing everything for a date that was not understood would be read as an answer.
                return queryset.none()
            queryset = queryset.filter(**{f"occurred_at__{lookup}": moment})
        return queryset


class ActionFilter(DropdownFilter):
    title = "action"
    parameter_name = "action"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return sorted(((each.action, each.label) for each in event_classes()), key=lambda choice: choice[1])

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        return queryset.filter(action=self.value()) if self.value() else queryset


class ActorFilter(TextFilter):
    """By a part of the name of then, or by the id, which stays the same when a name does not."""

    title = "actor (name or id)"
    parameter_name = "actor"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = (self.value() or "").strip()
        if not wanted:
            return queryset
        actor_id = as_uuid(wanted)
        return (
            queryset.filter(actor_label__icontains=wanted) if actor_id is None else queryset.filter(actor_id=actor_id)
        )


class IntentFilter(TextFilter):
    title = "intent"
    parameter_name = "intent"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = (self.value() or "").strip().lower()
        if not wanted:
            return queryset
        # An unrecognised question has the empty intent.
        value = "" if wanted == "unrecognised" else wanted
        return queryset.filter(with_term(group=Group.CORE, name=INTENT, value=value))


class PolicyVersionFilter(TextFilter):
    title = "policy version"
    parameter_name = "policy_version"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        wanted = (self.value() or "").strip()
        if not wanted:
            return queryset
        if not wanted.isdecimal():
            return queryset.none()
        return queryset.filter(with_term(group=Group.CORE, name=POLICY_VERSION, value=int(wanted)))


class _IdFilter(TextFilter):
    def wanted(self) -> UUID | None:
        return as_uuid(self.value() or "")


class DocumentFilter(_IdFilter):
    """Events about a document, and answers that drew on it."""

    title = "document id"
    parameter_name = "document"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        document_id = self.wanted()
        if document_id is None:
            return queryset.none()
        drew_on = with_term(group=Group.PASSAGES, name=DOCUMENT, value=document_id)
        return queryset.filter(Q(subject_id=document_id) | drew_on)


class SubjectFilter(_IdFilter):
    """What a row's History leads to."""

    title = "subject id"
    parameter_name = "subject"

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        subject_id = self.wanted()
        return queryset.none() if subject_id is None else queryset.filter(subject_id=subject_id)


class ScopeFilter(DropdownFilter):
    """Events that touched a scope. Only scopes of the reader are offered, and only their events are there."""

    title = "scope"
    parameter_name = "scope"

    def lookups(self, request: HttpRequest, model_admin: admin.ModelAdmin[Any]) -> list[tuple[str, str]]:
        return [(str(id), key) for id, key in Scope.objects.order_by("key").values_list("id", "key")]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:
        if not self.value():
            return queryset
        scope_id = as_uuid(self.value() or "")
        return queryset.none() if scope_id is None else queryset.filter(scope_ids__contains=[scope_id])
