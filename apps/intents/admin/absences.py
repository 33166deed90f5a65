"""Absences of reviewers: who is away and who deputises, a form to record one, and its early end."""

from __future__ import annotations

from datetime import UTC, date, datetime, time
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from apps.intents.errors import AbsenceError
from apps.intents.services.absences import absence_end, absence_record, absences_to_come, names_of
from apps.tenants.admin.base import add_error, may, require
from apps.tenants.admin.frame import frame
from apps.tenants.notices import holders_of
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission

_FIELDS: Final = {"begins_at": "first_day", "ends_at": "last_day", "deputy_id": "deputy", "member_id": "member"}


class AbsenceForm(forms.Form):
    member = forms.ChoiceField(label="Who is away", widget=UnfoldAdminSelectWidget())
    first_day = forms.DateField(
        label="From the beginning of (UTC)", widget=UnfoldAdminTextInputWidget(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        label="Until the end of (UTC)", widget=UnfoldAdminTextInputWidget(attrs={"type": "date"})
    )
    deputy = forms.ChoiceField(
        required=False,
        widget=UnfoldAdminSelectWidget(),
        help_text="Another reviewer, who is told by e-mail. Their own role decides what they may do.",
    )

    def __init__(self, request: HttpRequest, data: Any = None) -> None:
        super().__init__(data)
        me = str(principal_of(request).id)
        reviewers = sorted(names_of(holders_of(Permission.POLICY_APPROVE)).items(), key=lambda each: each[1])
        choices = [(str(id), name) for id, name in reviewers]
        own = [(id, name) for id, name in choices if may(request, Permission.MEMBER_MANAGE) or id == me]
        self.fields["member"].choices = own  # type: ignore[attr-defined]
        self.fields["deputy"].choices = [("", "Nobody"), *choices]  # type: ignore[attr-defined]
        self.initial = {"member": me}

    @property
    def said(self) -> dict[str, Any]:
        first: date = self.cleaned_data["first_day"]
        last: date = self.cleaned_data["last_day"]
        deputy = self.cleaned_data["deputy"]
        return {
            "begins_at": datetime.combine(first, time(), tzinfo=UTC),
            "ends_at": datetime.combine(last, time(23, 59, 59), tzinfo=UTC),
            "deputy_id": UUID(deputy) if deputy else None,
            "member_id": UUID(self.cleaned_data["member"]),
        }


@require_http_methods(["GET", "HEAD", "POST"])
def absences_view(request: HttpRequest) -> HttpResponse:
    """Who is away now and later; a POST records an absence, for who may."""
    require(request, Permission.POLICY_VIEW)
    records = may(request, Permission.POLICY_APPROVE) or may(request, Permission.MEMBER_MANAGE)
    if request.method == "POST" and not records:
        require(request, Permission.POLICY_APPROVE)
    form = AbsenceForm(request, request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        try:
            absence_record(**form.said)
        except AbsenceError as error:
            add_error(form, error, _FIELDS.get(error.data.get("field", "")))
        else:
            messages.success(request, "The absence is recorded.")
            return HttpResponseRedirect(reverse("admin:absences"))
    return frame(
        request,
        "glassbox/absences.html",
        title="Absences",
        rows=_rows(request),
        form=form if records and form.fields["member"].choices else None,  # type: ignore[attr-defined]
        status=422 if form.errors else 200,
    )


@require_POST
def absence_end_view(request: HttpRequest, absence_id: UUID) -> HttpResponse:
    """End an absence early, and go back to the list."""
    require(request, Permission.POLICY_VIEW)
    try:
        absence_end(absence_id)
    except AbsenceError as error:
        messages.error(request, error.detail)
    else:
        messages.success(request, "The absence is ended.")
    return HttpResponseRedirect(reverse("admin:absences"))


def _rows(request: HttpRequest) -> list[dict[str, Any]]:
    found = list(absences_to_come())
    names = names_of({each.member_id for each in found} | {each.deputy_id for each in found if each.deputy_id})
    me, manages = principal_of(request).id, may(request, Permission.MEMBER_MANAGE)
    return [
        {
            "absence": each,
            "who": names.get(each.member_id, "A former member"),
            "deputy": names.get(each.deputy_id, "A former member") if each.deputy_id else "",
            "ends": manages or (each.member_id == me and may(request, Permission.POLICY_APPROVE)),
        }
        for each in found
    ]
