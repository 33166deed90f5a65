"""The audit log, to be searched and read. Nothing here can change a row; nothing anywhere can."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls.resolvers import URLPattern
from django.utils.html import format_html

from apps.audit.admin.events.export import export_query, export_view
from apps.audit.admin.events.filters import (
    ActionFilter,
    ActorFilter,
    DocumentFilter,
    IntentFilter,
    PolicyVersionFilter,
    ScopeFilter,
    SubjectFilter,
    WhenFilter,
)
from apps.audit.admin.events.payload import kept_groups, lost_groups, payload_groups, subject_url
from apps.audit.admin.events.proof import proof_of
from apps.audit.admin.events.trace import TRACED, trace_of
from apps.audit.errors import UnregisteredActionError
from apps.audit.models import Event, Outcome
from apps.audit.registry import EventClass, Group, event_class, part_lines
from apps.audit.reporting.export import reads_the_whole_log
from apps.audit.selectors import Reading, readings_of
from apps.tenants.admin.addresses import address
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.kit import ChangeList, ChoicesDropdownFilter
from apps.tenants.admin.pages import page
from apps.tenants.context import current_scope
from apps.tenants.display import EMPTY, identifier, moment, pill
from apps.tenants.models import Scope
from apps.tenants.roles import Permission

_TONES = {Outcome.SUCCESS: "good", Outcome.REFUSED: "warn", Outcome.DEGRADED: "warn", Outcome.FAILED: "bad"}
_ACTORS = {"user": "person", "api_key": "API key", "system": "system"}


def class_of(event: Event) -> EventClass | None:
    """None for an action that an earlier release recorded and this one no longer knows."""
    try:
        return event_class(event.action)
    except UnregisteredActionError:
        return None


def _core_of(event: Event) -> Mapping[str, Any] | None:
    """The core of an event of a page of the list; None where it is not what was recorded."""
    reading: Reading = event.__dict__.get("core_reading") or readings_of([event], groups=[Group.CORE])[event.id]
    return None if reading.problems else reading.payload.get(Group.CORE, {})


class EventList(ChangeList):
    """A page of the list: its cores are decrypted together, and nothing else is."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        events = list(self.result_list)
        readings = readings_of(events, groups=[Group.CORE])
        for event in events:
            event.__dict__["core_reading"] = readings[event.id]
        self.result_list = events


@admin.register(Event)
class EventAdmin(TenantModelAdmin):
    title_plural = "Audit events"
    empty_text = "No event matches. Every question, document change, grant change and sign-in is recorded here."

    list_display = ("at", "what", "who", "about", "result", "intent", "policy")
    list_display_links = ("at", "what")
    list_filter = (
        ("occurred_at", WhenFilter),
        ActionFilter,
        ("outcome", ChoicesDropdownFilter),
        ActorFilter,
        IntentFilter,
        PolicyVersionFilter,
        DocumentFilter,
        ScopeFilter,
        SubjectFilter,
    )
    search_fields = ("action", "actor_label", "=id")
    search_help_text = "Action or actor; the filters ask for time, outcome, intent, policy and document"

    view_permission = Permission.AUDIT_VIEW
    in_palette = False
    list_after_template = "glassbox/events_export.html"

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[ChangeList]:
        return EventList

    # --- Display ----------------------------------------------------------------------------------------------------

    @admin.display(description="When", ordering="occurred_at")
    def at(self, event: Event) -> str:
        return moment(event.occurred_at)

    @admin.display(description="What", ordering="action")
    def what(self, event: Event) -> str:
        known = class_of(event)
        return known.label if known else event.action

    @admin.display(description="Who", ordering="actor_label")
    def who(self, event: Event) -> str:
        return event.actor_label

    @admin.display(description="About")
    def about(self, event: Event) -> str:
        if not event.subject_type:
            return EMPTY
        name, url = event.subject_type.replace("_", " "), subject_url(event.subject_type, event.subject_id)
        return format_html('<a href="{}">{}</a>', url, name) if url else name

    @admin.display(description="Outcome", ordering="outcome")
    def result(self, event: Event) -> str:
        return pill(event.get_outcome_display(), _TONES[Outcome(event.outcome)])

    @admin.display(description="Intent")
    def intent(self, event: Event) -> str:
        core = _core_of(event)
        if core is None:
            return pill("damaged", "bad")
        return (core["intent"] or "unrecognised") if "intent" in core else EMPTY

    @admin.display(description="Policy")
    def policy(self, event: Event) -> str:
        number = (_core_of(event) or {}).get("policy_version")
        return f"version {number}" if number else EMPTY

    # --- Pages ------------------------------------------------------------------------------------------------------

    def own_urls(self) -> list[URLPattern]:
        return [self.page("export/", export_view(self), name="export")]

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        export_url = f"{self.url('export')}?{export_query(request)}"
        export = {"export_url": export_url, "whole_log": reads_the_whole_log(current_scope().principal)}
        return super().changelist_view(request, {**export, **(extra_context or {})})

    def changeform_view(
        self, request: HttpRequest, object_id: str | None = None, form_url: str = "", extra_context: Any = None
    ) -> Any:
        require(request, self.add_permission if object_id is None else self.view_permission)
        event = self.find(request, str(object_id))
        known = class_of(event)
        reading = readings_of([event])[event.id]
        trace = trace_of(reading.payload)
        return page(
            self,
            request,
            "glassbox/event.html",
            title=self.what(event),
            crumbs=[self.what(event)],
            event=event,
            what=self.what(event),
            result=self.result(event),
            actor_kind=_ACTORS.get(event.actor_kind, event.actor_kind),
            about=self.about(event),
            subject=identifier(event.subject_id),
            request_name=reading.request_id,
            event_class=known,
            keep_until=known and event.occurred_at.year + known.retention_years,
            groups=payload_groups(reading.payload, without=TRACED if trace else ()),
            trace=trace,
            proof=proof_of(event),
            kept=part_lines(request, event.id, kept_groups(reading, event.commitments)),
            replay_url=trace and address("question_replay", event.id),
            events_url=self.url("changelist"),
            lost=lost_groups(reading),
            scopes=list(Scope.objects.filter(id__in=event.scope_ids).order_by("key")),
            raw=json.dumps(reading.payload, indent=2, ensure_ascii=False),
        )
