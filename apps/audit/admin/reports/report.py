"""Reports: what was asked, how it ended, how long it took, what was reached. Every figure can be downloaded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminSelectWidget, UnfoldAdminTextInputWidget

from apps.audit.admin.reports.charts import charts_of
from apps.audit.reporting.contracts import Period, Step
from apps.audit.reporting.export import report_export
from apps.audit.reporting.questions import LIMIT, LONGEST_DAYS, question_report
from apps.tenants.admin.base import require
from apps.tenants.models import Scope
from apps.tenants.roles import Permission

_DEFAULT_DAYS: Final = 30
_PRESETS: Final = ((7, Step.DAY), (30, Step.DAY), (90, Step.WEEK), (365, Step.WEEK))


class _PeriodForm(forms.Form):
    """What to look at. Ids in the address, so that a report can be sent to somebody who sees their own scopes in it."""

    first = forms.DateField(label="From", widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}))
    last = forms.DateField(label="To", widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}))
    step = forms.ChoiceField(
        label="By", choices=[(each.value, each.value.capitalize()) for each in Step], widget=UnfoldAdminSelectWidget
    )
    scope = forms.ChoiceField(label="Scope", required=False, widget=UnfoldAdminSelectWidget)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        scopes = [(str(id), key) for id, key in Scope.objects.order_by("key").values_list("id", "key")]
        self.fields["scope"].choices = [("", "All that you may see"), *scopes]  # type: ignore[attr-defined]

    def clean_last(self) -> Any:
        first, last = self.cleaned_data.get("first"), self.cleaned_data["last"]
        if first and last < first:
            raise ValidationError("The period ends before it begins. Swap the two dates.")
        if first and (last - first).days >= LONGEST_DAYS:
            raise ValidationError(f"At most {LONGEST_DAYS} days are shown at once. Begin later, or end earlier.")
        return last


@require_http_methods(["GET", "HEAD", "POST"])
def report_view(request: HttpRequest) -> HttpResponse:
    """GET: the report. POST: one of its tables as CSV, which is recorded."""
    require(request, Permission.AUDIT_VIEW)
    form = _PeriodForm(_asked(request))
    if not form.is_valid():
        return _page(request, form, status=400)
    period, scope_id = _period(request, form), _scope_id(form)
    report = question_report(period, scope_id=scope_id)
    if request.method == "POST":
        table = report.table(request.POST.get("table", ""))
        if table is None:
            return _page(request, form, status=400)
        return _download(
            report_export(report, table, scope_id=scope_id), f"{table.key}-{period.first}-{period.last}.csv"
        )
    query = {name: form.data[name] for name in ("first", "last", "step", "scope")}
    return _page(
        request,
        form,
        report=report,
        charts=charts_of(report),
        limit=LIMIT,
        download_url=f"{reverse('admin:audit_report')}?{urlencode({**query, 'until': period.until.isoformat()})}",
    )


def _asked(request: HttpRequest) -> dict[str, str]:
    """The address, with the last thirty days for what it leaves open."""
    today = timezone.now().astimezone(UTC).date()
    defaults = {
        "first": (today - timedelta(days=_DEFAULT_DAYS - 1)).isoformat(),
        "last": today.isoformat(),
        "step": Step.DAY.value,
        "scope": "",
    }
    return {name: request.GET.get(name, "") or default for name, default in defaults.items()}


def _period(request: HttpRequest, form: _PeriodForm) -> Period:
    """Up to now, or up to the instant of the page that a table is downloaded from: the same figures."""
    now = timezone.now()
    try:
        until = datetime.fromisoformat(request.GET.get("until", ""))
    except ValueError:
        until = now
    asked = form.cleaned_data
    return Period(
        first=asked["first"],
        last=asked["last"],
        step=Step(asked["step"]),
        until=min(until, now) if until.tzinfo else now,
    )


def _scope_id(form: _PeriodForm) -> UUID | None:
    return UUID(form.cleaned_data["scope"]) if form.cleaned_data["scope"] else None


def _download(content: bytes, filename: str) -> HttpResponse:
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    response["Cache-Control"] = "private, no-store"
    return response


def _page(request: HttpRequest, form: _PeriodForm, *, status: int = 200, **context: Any) -> HttpResponse:
    today = timezone.now().astimezone(UTC).date()
    every = {
        **admin.site.each_context(request),
        "title": "Reports",
        "crumbs": [("Reports", "")],
        "form": form,
        "presets": [
            (days, urlencode({"first": str(today - timedelta(days=days - 1)), "last": str(today), "step": step.value}))
            for days, step in _PRESETS
        ],
        **context,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/report.html", every, status=status)
