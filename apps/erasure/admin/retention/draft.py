"""A draft of the retention rules: begun, edited in a table, handed in, thrown away."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from apps.erasure.admin.retention.frame import retention_crumb, words
from apps.erasure.admin.retention.rows import Rows
from apps.erasure.models import RetentionSchedule, ScheduleStatus
from apps.erasure.retention.baseline import ensure_in_force
from apps.erasure.retention.diff import changes
from apps.erasure.retention.errors import RetentionInvalidError, ScheduleChangedError
from apps.erasure.retention.selectors import rules_of
from apps.erasure.retention.services import draft_discard, draft_save, draft_start, draft_submit
from apps.errors import ApplicationError
from apps.tenants.admin.base import require
from apps.tenants.admin.frame import frame
from apps.tenants.admin.pages import Decision
from apps.tenants.admin.read import number_read
from apps.tenants.models import Membership
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.requests import principal_of
from apps.tenants.roles import PERMISSIONS, Permission, Role

_APPROVING = [role for role in Role if Permission.PRIVACY_APPROVE in PERMISSIONS[role]]
_SHOWN = 12


class StartForm(forms.Form):
    reason = words(
        "Why other rules are wanted",
        help_text="Whoever decides on the rules reads this, and it stays with them.",
        missing="Say why, in a few words: whoever decides needs the reason, and so does the audit log.",
    )


@require_http_methods(["GET", "HEAD", "POST"])
def draft_start_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.PRIVACY_MANAGE)
    form = StartForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        schedule = draft_start(reason=form.cleaned_data["reason"])
        return HttpResponseRedirect(reverse("admin:retention_draft", args=[schedule.id]))
    return frame(
        request,
        "glassbox/form_page.html",
        title="Draft other retention rules",
        crumbs=[retention_crumb()],
        form=form,
        intro="A draft is a copy of the rules in force. Only you can change it, and it has no effect until a second "
        "person has approved it.",
        action="Begin the draft",
        back=reverse("admin:retention"),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def draft_view(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    """The editor. Every button saves; what can't be saved comes back with what was typed."""
    require(request, Permission.PRIVACY_MANAGE)
    schedule = _own_draft(request, schedule_id)
    if request.method != "POST":
        return _editor(request, schedule, Rows.of(rules_of(schedule)))
    rows = Rows.typed(request.POST, rules_of(schedule))
    act = request.POST.get("act", "")
    rows.carry_out(act, request.POST)
    reason = request.POST.get("reason", "").strip()
    problem = "" if reason else "Say why, in a few words: whoever decides needs the reason, and so does the audit log."
    refusal = ""
    if not rows.has_problems and not problem:
        try:
            draft_save(schedule.id, rules=rows.rules(), reason=reason, revision=number_read(request.POST))
        except RetentionInvalidError as error:
            rows.add(error.data["problems"])
        except ApplicationError as error:
            refusal = str(error)
        else:
            if act == "submit":
                return HttpResponseRedirect(reverse("admin:retention_draft_submit", args=[schedule.id]))
            messages.success(request, "Saved. Nothing is in force yet. Submit the draft when it is ready.")
            return HttpResponseRedirect(reverse("admin:retention_draft", args=[schedule.id]))
    return _editor(request, schedule, rows, reason=reason, problem=problem, refusal=refusal, status=422)


@require_http_methods(["GET", "HEAD", "POST"])
def draft_submit_view(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    require(request, Permission.PRIVACY_MANAGE)
    schedule = _own_draft(request, schedule_id)
    refusal = ""
    if request.method == "POST":
        try:
            draft_submit(schedule.id, revision=number_read(request.POST))
        except ApplicationError as error:
            refusal = error.detail
            schedule.refresh_from_db()
        else:
            messages.success(request, f"Retention schedule {schedule.number} waits for a second person.")
            return HttpResponseRedirect(reverse("admin:retention_schedule", args=[schedule.id]))
    in_force = ensure_in_force()
    said = [f"{each.name}: {each.sentence}." for each in changes(rules_of(in_force), rules_of(schedule))]
    more = [f"And {len(said) - _SHOWN} more: see the draft's page."] if len(said) > _SHOWN else []
    decision = Decision(
        question=f"Submit retention schedule {schedule.number}?",
        effects=[
            _asked(schedule),
            f"Your reason: {schedule.reason}",
            *(said[:_SHOWN] or [f"It changes nothing: it says the same as schedule {in_force.number}."]),
            *more,
        ],
        irreversible="After that it can't be changed. You can take it back as a draft until somebody has decided.",
        action=f"Submit schedule {schedule.number} for review",
        dangerous=False,
        read={"revision": schedule.revision},
    )
    return _decide(request, schedule, decision, refusal)


@require_http_methods(["GET", "HEAD", "POST"])
def draft_discard_view(request: HttpRequest, schedule_id: UUID) -> HttpResponse:
    require(request, Permission.PRIVACY_MANAGE)
    schedule = _own_draft(request, schedule_id)
    refusal = ""
    if request.method == "POST":
        try:
            draft_discard(schedule.id, revision=number_read(request.POST))
        except ScheduleChangedError as error:
            refusal = error.detail
            schedule.refresh_from_db()
        else:
            messages.success(request, "Draft discarded. The rules in force stay as they are.")
            return HttpResponseRedirect(reverse("admin:retention"))
    decision = Decision(
        question=f"Discard the draft of retention schedule {schedule.number}?",
        effects=["The rules in force stay as they are.", f"It was begun because: {schedule.reason}"],
        irreversible="The draft is deleted. The audit log still shows that it was begun, changed and discarded.",
        action="Discard the draft",
        read={"revision": schedule.revision},
    )
    return _decide(request, schedule, decision, refusal)


def own_crumb(schedule: RetentionSchedule) -> tuple[str, str]:
    return f"Draft of schedule {schedule.number}", reverse("admin:retention_draft", args=[schedule.id])


def people_who_may_decide(schedule: RetentionSchedule) -> list[str]:
    """Everybody of the tenant who may; its author may not."""
    memberships = Membership.objects.filter(IN_FORCE, role__in=_APPROVING, user__is_active=True)
    others = memberships.exclude(user_id=schedule.author_id).select_related("user")
    return sorted({str(membership.user) for membership in others})


def _asked(schedule: RetentionSchedule) -> str:
    people = people_who_may_decide(schedule)
    if not people:
        return (
            "Nobody else here may decide on it, so it would wait. A tenant administrator can give somebody the role "
            "Reviewer or Data protection officer."
        )
    return (
        f"It waits for one of these people, who see it on their start page: {', '.join(people)}. You can't approve it."
    )


def _own_draft(request: HttpRequest, schedule_id: UUID) -> RetentionSchedule:
    schedule: RetentionSchedule | None = RetentionSchedule.objects.filter(
        id=schedule_id, status=ScheduleStatus.DRAFT, author_id=principal_of(request).id
    ).first()
    if schedule is None:
        raise Http404("You have no draft of retention rules with this id.")
    return schedule


def _editor(
    request: HttpRequest,
    schedule: RetentionSchedule,
    rows: Rows,
    *,
    reason: str | None = None,
    problem: str = "",
    refusal: str = "",
    status: int = 200,
) -> HttpResponse:
    in_force = ensure_in_force()
    context: dict[str, Any] = {
        "schedule": schedule,
        "in_force": in_force,
        "rows": rows,
        "reason": schedule.reason if reason is None else reason,
        "reason_problem": problem,
        "refusal": refusal,
        "changes": changes(rules_of(in_force), rules_of(schedule)),
        "own": True,
    }
    title = f"Draft of retention schedule {schedule.number}"
    return frame(
        request, "glassbox/retention_draft.html", title=title, crumbs=[retention_crumb()], status=status, **context
    )


def _decide(request: HttpRequest, schedule: RetentionSchedule, decision: Decision, refusal: str) -> HttpResponse:
    return frame(
        request,
        "glassbox/decision.html",
        title=decision.question,
        crumbs=[retention_crumb(), own_crumb(schedule)],
        decision=decision,
        refusal=refusal,
        back=reverse("admin:retention_draft", args=[schedule.id]),
        status=409 if refusal else 200,
    )
