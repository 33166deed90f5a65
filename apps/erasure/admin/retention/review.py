"""The page that a retention schedule is decided on; after the decision, its record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.erasure.admin.retention.draft import people_who_may_decide
from apps.erasure.admin.retention.frame import approved_by, events_url, retention_crumb, state_pill, words
from apps.erasure.admin.retention.page import families, today
from apps.erasure.models import RetentionSchedule, ScheduleStatus
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.diff import changes, name_of
from apps.erasure.retention.due import Totals, totals
from apps.erasure.retention.flow import SCHEDULES
from apps.erasure.retention.selectors import rules_of
from apps.erasure.retention.services import schedule_approve, schedule_reject, schedule_take_back
from apps.errors import ApplicationError
from apps.tenants.admin.base import require
from apps.tenants.admin.frame import frame
from apps.tenants.admin.read import number_read
from apps.tenants.flows.checks import steps_offered
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What is due of one subject by the rules before and after."""

    name: str
    before: Totals
    after: Totals


class NoteForm(forms.Form):
    use_required_attribute = False
    note = words("Note", required=False, help_text="Optional. It stays with the rules, for the record.")


class ReasonForm(forms.Form):
    use_required_attribute = False
    reason = words(
        "Reason",
        help_text="The author needs it, and so does the audit log.",
        missing="Say why, in a few words: the author needs the reason, and so does the audit log.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def schedule_view(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    require(request, Permission.AUDIT_VIEW)
    schedule: RetentionSchedule | None = RetentionSchedule.objects.filter(id=schedule_id).first()
    if schedule is None:
        raise Http404("There is no retention schedule with this id that you may see.")
    return _act(request, schedule) if request.method == "POST" else _show(request, schedule)


def _act(request: HttpRequest, schedule: RetentionSchedule) -> HttpResponse:
    act = request.POST.get("act", "")
    note, reason = NoteForm(request.POST, prefix="approve"), ReasonForm(request.POST, prefix="reject")
    if act == "reject" and not reason.is_valid():
        require(request, Permission.PRIVACY_APPROVE)
        return _show(request, schedule, reject=reason, status=422)
    try:
        seen = {name: number_read(request.POST, name) for name in ("revision", "against")}
        if act == "approve":
            note.is_valid()
            schedule_approve(schedule.id, **seen, reason=note.cleaned_data.get("note", ""))
            said = f"You approved retention schedule {schedule.number}. It is in force."
        elif act == "reject":
            schedule_reject(schedule.id, **seen, reason=reason.cleaned_data["reason"])
            said = f"You rejected retention schedule {schedule.number}. It never takes effect."
        elif act == "take_back":
            schedule_take_back(schedule.id, revision=seen["revision"])
            messages.success(request, f"Retention schedule {schedule.number} is your draft again.")
            return HttpResponseRedirect(reverse("admin:retention_draft", args=[schedule.id]))
        else:
            return _show(request, schedule, refusal="Nothing was done: choose one of the decisions below.", status=400)
    except ApplicationError as error:
        if error.status == 403:
            raise
        schedule.refresh_from_db()
        return _show(request, schedule, refusal=error.detail, status=error.status)
    messages.success(request, said)
    return HttpResponseRedirect(reverse("admin:retention_schedule", args=[schedule.id]))


def _show(
    request: HttpRequest,
    schedule: RetentionSchedule,
    *,
    reject: ReasonForm | None = None,
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    state = ScheduleStatus(schedule.status)
    base = _base_of(schedule)
    rules = rules_of(schedule)
    found = changes(rules_of(base), rules) if base else ()
    own = schedule.author_id is not None and schedule.author_id == principal_of(request).id
    offered = steps_offered(SCHEDULES, schedule, principal_of(request))
    in_review = state is ScheduleStatus.IN_REVIEW
    context: dict[str, Any] = {
        "schedule": schedule,
        "state": state_pill(schedule),
        "is": {each.name.lower(): each is state for each in ScheduleStatus},
        "base": base,
        "approver": approved_by(schedule),
        "changes": found,
        "effects": _effects(schedule, base, sorted({each.subject for each in found})) if in_review and base else (),
        "today": today(),
        "families": families(rules),
        "own": own,
        "offered": offered,
        "decides": "approve" in offered,
        "deciders": people_who_may_decide(schedule) if in_review else (),
        "note_form": NoteForm(prefix="approve"),
        "reject_form": reject or ReasonForm(prefix="reject"),
        "rejecting": reject is not None,
        "events_url": events_url(request, schedule.id),
        "refusal": refusal,
    }
    title = f"Retention schedule {schedule.number}: {'review' if in_review else 'record'}"
    return frame(
        request, "glassbox/retention_schedule.html", title=title, crumbs=[retention_crumb()], status=status, **context
    )


def _base_of(schedule: RetentionSchedule) -> RetentionSchedule | None:
    """What it is compared with: the one in force, or, of one that was in force itself, the one before it."""
    if schedule.valid_from is None:
        return ensure_in_force()
    before: RetentionSchedule | None = RetentionSchedule.objects.filter(valid_to=schedule.valid_from).first()
    return before


def _effects(schedule: RetentionSchedule, base: RetentionSchedule, subjects: list[str]) -> tuple[Effect, ...]:
    before, after, day = rules_of(base), rules_of(schedule), today()
    return tuple(
        Effect(
            name=name_of(subject),
            before=totals(before, on=day, subject=subject),
            after=totals(after, on=day, subject=subject),
        )
        for subject in subjects
    )
