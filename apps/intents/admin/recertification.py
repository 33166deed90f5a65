"""Recertifications: the list, beginning one, its page where owners decide and its report is read, and closing it."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_http_methods, require_POST, require_safe
from unfold.widgets import (
    UnfoldAdminCheckboxSelectMultipleWidget,
    UnfoldAdminTextInputWidget,
)

from apps.audit.reporting.contracts import Cell
from apps.audit.reporting.delimited import csv_bytes
from apps.errors import ApplicationError
from apps.intents.access.recertified import (
    CertifiedLine,
    lines_of,
    progress_of,
    recertification_of,
    sees_all,
    visible_recertifications,
    waiting_for_me,
)
from apps.intents.errors import RecertificationError
from apps.intents.models import CertifiedGrant, GrantDecision, Recertification
from apps.intents.services.recertification import (
    grant_decide,
    owner_change,
    recertification_begin,
    recertification_close,
)
from apps.intents.services.recertification_reminders import owners_remind
from apps.tenants.admin.base import add_error, may, require
from apps.tenants.admin.frame import frame
from apps.tenants.admin.scope_field import scope_choices
from apps.tenants.models import Membership, User
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission, Role

_TITLE: Final = "Recertifications"
_DAYS: Final = 30
_COLUMNS: Final = ("who", "role", "scope", "granted", "owner", "decision", "reason", "decided_by", "decided", "late")


class BeginForm(forms.Form):
    owners = forms.MultipleChoiceField(
        label="Owners",
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="Each grant goes to the first of them, in the order of this list, who does not hold it and reaches "
        "its scope. So name at least two, if owners hold grants themselves.",
        error_messages={"required": "Name one or more owners."},
    )
    due_on = forms.DateField(
        label="Until the end of (UTC)",
        widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}),
        help_text="Owners are reminded from a week before this day on.",
    )
    roles = forms.MultipleChoiceField(
        required=False,
        choices=Role.choices,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="None: grants of every role.",
    )
    scopes = forms.MultipleChoiceField(
        required=False,
        widget=UnfoldAdminCheckboxSelectMultipleWidget,
        help_text="None: grants in every scope that you may see.",
    )

    def __init__(self, data: Any = None) -> None:
        super().__init__(data, initial={"due_on": (timezone.now().astimezone(UTC) + timedelta(days=_DAYS)).date()})
        self.fields["owners"].choices = _members()  # type: ignore[attr-defined]
        self.fields["scopes"].choices = scope_choices()  # type: ignore[attr-defined]

    @property
    def question(self) -> dict[str, Any]:
        said = self.cleaned_data
        due_on: date = said["due_on"]
        return {
            "owner_ids": [UUID(each) for each in said["owners"]],
            "due_at": datetime.combine(due_on, time(23, 59, 59), tzinfo=UTC),
            "roles": [Role(each) for each in said["roles"]],
            "scope_ids": [UUID(each) for each in said["scopes"]],
        }


@require_safe
def list_view(request: HttpRequest) -> HttpResponse:
    """What waits for the reader, and every recertification that they may see."""
    require(request, Permission.POLICY_VIEW)
    return frame(
        request,
        "glassbox/recertifications.html",
        title=_TITLE,
        rows=progress_of(visible_recertifications()),
        waiting=waiting_for_me(),
        begins=may(request, Permission.POLICY_EDIT),
    )


@require_http_methods(["GET", "HEAD", "POST"])
def begin_view(request: HttpRequest) -> HttpResponse:
    """The form, and with it posted a new recertification."""
    require(request, Permission.POLICY_EDIT)
    form = BeginForm(request.POST if request.method == "POST" else None)
    if form.is_bound and form.is_valid():
        try:
            made = recertification_begin(**form.question)
        except RecertificationError as error:
            add_error(form, error, {"due_at": "due_on"}.get(error.data.get("field", ""), error.data.get("field")))
        else:
            messages.success(request, f"{made.grant_count} grants wait for their owners, who are told by e-mail.")
            return HttpResponseRedirect(_url(made))
    return frame(
        request,
        "glassbox/recertification_begin.html",
        title="Begin a recertification",
        crumbs=[_list_crumb()],
        status=422 if form.errors else 200,
        form=form,
    )


@require_http_methods(["GET", "HEAD", "POST"])
def page_view(request: HttpRequest, recertification_id: UUID) -> HttpResponse:
    """The grants of it; posted, a decision on one of them, another owner, or a reminder."""
    require(request, Permission.POLICY_VIEW)
    found = _found(recertification_id)
    problem, about = "", None
    if request.method == "POST":
        try:
            about = request.POST.get("grant", "")
            messages.success(request, _act(request, found))
            return HttpResponseRedirect(f"{_url(found)}#{'grant-' + about if about else 'progress'}")
        except ApplicationError as error:
            problem = error.detail
    lines = lines_of(found)
    (progress,) = progress_of([found])
    person = principal_of(request).id
    mine = [each for each in lines if each.row.owner_id == person and not each.row.decision and progress.is_open]
    return frame(
        request,
        "glassbox/recertification.html",
        title=str(found),
        crumbs=[_list_crumb()],
        status=422 if problem else 200,
        found=found,
        progress=progress,
        mine=mine,
        others=[each for each in lines if each not in mine],
        problem=problem,
        about=about,
        said=request.POST.get("reason", ""),
        reads_all=sees_all(found),
        edits=may(request, Permission.POLICY_EDIT),
        roles=[Role(each).label for each in found.roles],
        members=_members() if may(request, Permission.POLICY_EDIT) and progress.is_open else [],
    )


@require_http_methods(["GET", "HEAD", "POST"])
def close_view(request: HttpRequest, recertification_id: UUID) -> HttpResponse:
    """Ask once, then close it for ever."""
    require(request, Permission.POLICY_EDIT)
    found = _found(recertification_id)
    (progress,) = progress_of([found])
    problem = ""
    if request.method == "POST":
        try:
            recertification_close(found.id)
        except RecertificationError as error:
            problem = error.detail
        else:
            messages.success(request, "Closed. Its report stays, and nothing in it can change.")
            return HttpResponseRedirect(_url(found))
    return frame(
        request,
        "glassbox/recertification_close.html",
        title="Close",
        crumbs=[_list_crumb(), (str(found), _url(found))],
        status=422 if problem else 200,
        found=found,
        progress=progress,
        problem=problem,
    )


@require_POST
def csv_view(request: HttpRequest, recertification_id: UUID) -> HttpResponse:
    """The grants that the reader may see, with what was decided, as CSV."""
    require(request, Permission.POLICY_VIEW)
    found = _found(recertification_id)
    response = HttpResponse(csv_bytes([_COLUMNS, *_cells(lines_of(found))]), content_type="text/csv; charset=utf-8")
    name = f"recertification-{found.started_at:%Y%m%d}.csv"
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["Cache-Control"] = "private, no-store"
    return response


def _act(request: HttpRequest, found: Recertification) -> str:
    """Take the posted step. Returns: what happened. Raises: ApplicationError."""
    act = request.POST.get("act", "")
    if act == "remind":
        told = owners_remind(found.id)
        return f"{told} owner{'' if told == 1 else 's'} reminded by e-mail."
    certified = CertifiedGrant.objects.filter(recertification=found, id=_uuid(request.POST.get("grant"))).first()
    if certified is None:
        raise RecertificationError("intents.recertification_not_there")
    if act == "owner":
        owner_change(certified_id=certified.id, owner_id=_uuid(request.POST.get("owner")))
        return "The grant has another owner, who is told by e-mail."
    decisions = {"confirm": GrantDecision.CONFIRMED, "end": GrantDecision.ENDED}
    if act not in decisions:
        raise RecertificationError("intents.recertification_not_there")
    grant_decide(certified_id=certified.id, decision=decisions[act], reason=request.POST.get("reason", ""))
    return "Confirmed: the grant goes on." if act == "confirm" else "Ended: the grant opens nothing any more."


def _found(recertification_id: UUID) -> Recertification:
    try:
        return recertification_of(recertification_id)
    except RecertificationError as error:
        raise Http404(error.detail) from error


def _uuid(text: str | None) -> UUID:
    try:
        return UUID(text or "")
    except ValueError:
        raise RecertificationError("intents.recertification_not_there") from None


def _url(found: Recertification) -> str:
    return reverse("admin:recertification", args=[found.id])


def _list_crumb() -> tuple[str, str]:
    return _TITLE, reverse("admin:recertifications")


def _members() -> list[tuple[str, str]]:
    ids = Membership.objects.filter(IN_FORCE, user__is_active=True).values("user_id")
    people = User.objects.filter(id__in=ids).order_by("last_name", "first_name", "username")
    return [(str(each.id), f"{each} ({each.username})" if str(each) != each.username else str(each)) for each in people]


def _cells(lines: tuple[CertifiedLine, ...]) -> Iterator[tuple[Cell, ...]]:
    for line in lines:
        yield (
            line.who,
            line.role,
            line.scope,
            line.since.isoformat() if line.since else "",
            line.owner,
            line.decision,
            line.row.reason,
            line.decider,
            line.row.decided_at.isoformat() if line.row.decided_at else "",
            "late" if line.is_late else "",
        )
