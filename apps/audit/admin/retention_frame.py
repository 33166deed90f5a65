"""What the pages of retention and purges share: the frame, fields, and links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.audit.models import RetentionSchedule, ScheduleOrigin, ScheduleStatus
from apps.tenants.admin.base import may
from apps.tenants.display import pill
from apps.tenants.roles import Permission

_TONES = {
    ScheduleStatus.DRAFT: "quiet",
    ScheduleStatus.IN_REVIEW: "warn",
    ScheduleStatus.IN_FORCE: "good",
    ScheduleStatus.SUPERSEDED: "quiet",
    ScheduleStatus.REJECTED: "bad",
}


def frame(
    request: HttpRequest,
    template: str,
    *,
    title: str,
    crumbs: Sequence[tuple[str, str]] = (),
    status: int = 200,
    **context: Any,
) -> HttpResponse:
    """One of these pages within the admin's frame; never an old one out of a cache, since others decide meanwhile."""
    every = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [*crumbs, (title, "")],
        "manages": may(request, Permission.PRIVACY_MANAGE),
        **context,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, template, every, status=status, headers={"Cache-Control": "no-store"})


def retention_crumb() -> tuple[str, str]:
    return "Retention", reverse("admin:retention")


def purges_crumb() -> tuple[str, str]:
    return "Purges", reverse("admin:purges")


def words(label: str, *, help_text: str = "", required: bool = True, missing: str = "Say why.") -> forms.CharField:
    return forms.CharField(
        label=label,
        required=required,
        max_length=4000,
        widget=UnfoldAdminTextareaWidget(attrs={"rows": 3}),
        help_text=help_text,
        error_messages={"required": missing},
    )


def state_pill(schedule: RetentionSchedule) -> str:
    return pill(schedule.get_status_display(), _TONES[ScheduleStatus(schedule.status)])


def approved_by(schedule: RetentionSchedule) -> str:
    """Who put it in force, in words."""
    if schedule.origin == ScheduleOrigin.BASELINE:
        return "nobody: it came with Glassbox"
    return schedule.approver_label or "—"


def events_url(request: HttpRequest, subject_id: object) -> str:
    if not may(request, Permission.AUDIT_VIEW):
        return ""
    return f"{reverse('admin:audit_event_changelist')}?subject={subject_id}"
