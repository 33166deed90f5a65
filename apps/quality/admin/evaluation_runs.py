"""Evaluation runs: all of them drawn, one with its failures, and two side by side."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib import admin
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from apps.quality.admin.evaluation_charts import DRAWN, chart_of, number
from apps.quality.admin.evaluation_run_tables import (
    answer_rows,
    change_rows,
    latency_rows,
    metric_list,
    metric_rows,
    run_tables,
    setting_rows,
)
from apps.quality.evaluation.comparing import compare
from apps.quality.evaluation.figures import figure_of
from apps.quality.models import EvaluationRun, RunState
from apps.quality.selectors.evaluation_runs import (
    answer_lines,
    evaluation_datasets,
    evaluation_run,
    evaluation_runs,
    finished,
)
from apps.tenants.admin.base import require
from apps.tenants.roles import Permission
from apps.tenants.selectors.tenants import current_tenant

_TITLE = "Evaluation runs"


@require_safe
def runs_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.POLICY_VIEW)
    runs = evaluation_runs()
    by_dataset = {name: [run for run in runs if run.dataset == name] for name in evaluation_datasets()}
    return _page(
        request,
        "glassbox/evaluation_runs.html",
        title=_TITLE,
        crumbs=[(_TITLE, "")],
        charts=[chart for name, of_name in by_dataset.items() if (chart := chart_of(name, of_name)) is not None],
        runs=[(run, [number(figure_of(run.metrics, name)) for name in DRAWN]) for run in runs],
        columns=list(DRAWN.values()),
        choices=[("before", "Before"), ("after", "After")],
        tenant_slug=current_tenant().slug,
        comparable=[run for run in runs if run.state == RunState.DONE],
    )


@require_safe
def run_view(request: HttpRequest, run_id: UUID) -> HttpResponse:
    require(request, Permission.POLICY_VIEW)
    run = _found(evaluation_run(run_id))
    title = f"Run of {run.dataset}"
    rows = answer_rows(answer_lines(run))
    return _page(
        request,
        "glassbox/evaluation_run.html",
        title=title,
        crumbs=[(_TITLE, reverse("admin:evaluation_runs")), (title, "")],
        run=run,
        metrics=metric_list(run),
        tables=run_tables(run),
        latency=latency_rows(run.latency_ms),
        settings=setting_rows(run),
        failures=[row for row in rows if row.failed],
        others=[row for row in rows if not row.failed],
        hidden=max(0, run.questions - len(rows)) if run.state == RunState.DONE else 0,
    )


@require_safe
def compare_view(request: HttpRequest) -> HttpResponse:
    require(request, Permission.POLICY_VIEW)
    before, after = (_found(_named(request, name)) for name in ("before", "after"))
    comparison = compare(before, after)
    title = "Two runs side by side"
    return _page(
        request,
        "glassbox/evaluation_compare.html",
        title=title,
        crumbs=[(_TITLE, reverse("admin:evaluation_runs")), (title, "")],
        comparison=comparison,
        metrics=metric_rows(comparison),
        changes=change_rows(comparison),
        settings=[(name, *map(str, values)) for name, values in comparison.settings.items()],
    )


def _named(request: HttpRequest, name: str) -> EvaluationRun | None:
    try:
        return finished(UUID(request.GET.get(name, "")))
    except ValueError:
        return None


def _found(run: EvaluationRun | None) -> EvaluationRun:
    if run is None:
        raise Http404("There is no such evaluation run that you may see. Choose it from the list of runs.")
    return run


def _page(request: HttpRequest, template: str, **context: Any) -> TemplateResponse:
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(
        request,
        template,
        {**admin.site.each_context(request), **context},
        headers={"Cache-Control": "no-store"},
    )
