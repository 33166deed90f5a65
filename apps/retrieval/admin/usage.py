"""What requests to models took and cost, by day and intent. The table can be downloaded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, Final

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_http_methods
from unfold.widgets import UnfoldAdminTextInputWidget

from apps.audit.reporting.contracts import Period, Report, Step, Table
from apps.audit.reporting.export import report_export
from apps.retrieval.usage.contracts import Figures, Sort, Usage
from apps.retrieval.usage.counting import LIMIT, LONGEST_DAYS, model_usage, model_usage_of_all
from apps.tenants.admin.base import require
from apps.tenants.models import User
from apps.tenants.roles import Permission

_DEFAULT_DAYS: Final = 30
_PRESETS: Final = (1, 7, 30, 90)
_COLUMNS: Final = (
    *("Day", "Tenant", "Made for", "Provider", "Model", "Requests", "Failed", "Repeated", "Tokens read"),
    *("Tokens written", "Tokens not stated", "Mean time to first byte, ms", "Cost"),
)
# Shown as numbers, beside what names the row.
NAMING: Final = 5
NO_QUESTION: Final = "no answered question"
OF_DOCUMENTS: Final = "passages of documents"


class _PeriodForm(forms.Form):
    """What to look at. It stands in the address, so that a page can be sent to somebody else."""

    first = forms.DateField(label="From", widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}))
    last = forms.DateField(label="To", widget=UnfoldAdminTextInputWidget(attrs={"type": "date"}))

    def clean_last(self) -> Any:
        first, last = self.cleaned_data.get("first"), self.cleaned_data["last"]
        if first and last < first:
            raise ValidationError("The period ends before it begins. Swap the two dates.")
        if first and (last - first).days >= LONGEST_DAYS:
            raise ValidationError(f"At most {LONGEST_DAYS} days are shown at once. Begin later, or end earlier.")
        return last


@require_http_methods(["GET", "HEAD", "POST"])
def usage_view(request: HttpRequest) -> HttpResponse:
    """GET: the figures. POST: the table as CSV, which is recorded.

    With `all`, an operator sees every tenant's figures; they hold nothing of a question.
    """
    require(request, Permission.AUDIT_VIEW)
    everywhere = "all" in request.GET and runs_the_platform(request)
    form = _PeriodForm(_asked(request))
    if not form.is_valid():
        return _page(request, form, everywhere=everywhere, status=400)
    first, last = form.cleaned_data["first"], form.cleaned_data["last"]
    period = Period(first=first, last=last, step=Step.DAY, until=timezone.now())
    usage = model_usage_of_all(period) if everywhere else model_usage(period)
    table = usage_table(usage)
    if request.method == "POST":
        report = Report(period=period, looked=usage.looked, tables=(table,))
        return _download(report_export(report, table, scope_id=None), f"model-usage-{first}-{last}.csv")
    return _page(request, form, everywhere=everywhere, usage=usage, table=table, totals=_row(usage.total), limit=LIMIT)


def usage_table(usage: Usage) -> Table:
    rows = tuple((*_named(sort), *_row(figures)) for sort, figures in usage.lines)
    return Table(key="model_usage", title="Requests to models", columns=_COLUMNS, rows=rows)


def runs_the_platform(request: HttpRequest) -> bool:
    return isinstance(request.user, User) and request.user.is_active and request.user.is_superuser


def _named(sort: Sort) -> tuple[str, ...]:
    made_for = OF_DOCUMENTS if sort.of_documents else sort.intent or NO_QUESTION
    return (sort.day.isoformat(), sort.tenant, made_for, sort.profile, sort.model)


def _row(figures: Figures) -> tuple[str | int | float | None, ...]:
    return (
        figures.requests,
        figures.failed,
        figures.repeated,
        figures.input_tokens,
        figures.output_tokens,
        figures.unstated,
        figures.mean_first_byte_ms,
        figures.cost_told,
    )


def _asked(request: HttpRequest) -> dict[str, str]:
    """The address, with the last thirty days for what it leaves open."""
    today = _today()
    defaults = {"first": str(today - timedelta(days=_DEFAULT_DAYS - 1)), "last": str(today)}
    return {name: request.GET.get(name, "") or default for name, default in defaults.items()}


def _today() -> Any:
    return datetime.now(UTC).date()


def _download(content: bytes, filename: str) -> HttpResponse:
    response = HttpResponse(content, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    response["Cache-Control"] = "private, no-store"
    return response


def _page(
    request: HttpRequest, form: _PeriodForm, *, everywhere: bool, status: int = 200, **context: Any
) -> HttpResponse:
    today, title = _today(), "Use of models"
    whose = {"all": "1"} if everywhere else {}
    shown = {name: form.data[name] for name in ("first", "last")}
    query = {**shown, **whose}
    every = {
        **admin.site.each_context(request),
        "title": title,
        "crumbs": [(title, "")],
        "form": form,
        "everywhere": everywhere,
        "runs_the_platform": runs_the_platform(request),
        "naming": NAMING,
        "presets": [
            (days, urlencode({"first": str(today - timedelta(days=days - 1)), "last": str(today), **whose}))
            for days in _PRESETS
        ],
        "page_url": f"{reverse('admin:model_usage')}?{urlencode(query)}",
        "switch_url": f"?{urlencode({**shown, **({} if whose else {'all': '1'})})}",
        **context,
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request, "glassbox/model_usage.html", every, status=status, headers={"Cache-Control": "no-store"}
    )
