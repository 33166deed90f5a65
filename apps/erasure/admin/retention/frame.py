"""What the pages of retention and purges share: the frame, fields, and links."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest
from django.urls import reverse
from unfold.widgets import UnfoldAdminTextareaWidget

from apps.erasure.models import RetentionSchedule, ScheduleOrigin, ScheduleStatus
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
