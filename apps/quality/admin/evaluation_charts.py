"""Figures of evaluation runs as drawings: a row of bars for each metric, a bar for each run, the oldest first.

Each metric goes from 0 to 1, so a full bar is 1 everywhere; of "confidently wrong", less is better. A line's summary is
the newest value, and the step to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.quality.evaluation.figures import figure_of
from apps.quality.models import EvaluationRun, RunState
from apps.tenants.admin.charts import BarLine, draw_bar
from apps.tenants.display import moment

_LEAST_HEIGHT: Final = 1.0
DRAWN: Final[Mapping[str, str]] = {
    "page_recall@5": "Page recall, first 5",
    "page_recall@30": "Page recall, first 30",
    "document_hit@5": "Document among the first 5",
    "mrr": "Mean reciprocal rank",
    "ndcg@10": "nDCG, first 10",
    "context_recall": "Context recall",
    "answered_rightly": "Answered rightly",
    "useful": "Useful",
    "confidently_wrong": "Confidently wrong",
    "not_answered": "Rightly not answered",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RunsChart:
    """One dataset's runs; places: how many bars are as wide as the drawing."""

    dataset: str
    places: int
    first: str
    last: str
    lines: tuple[BarLine, ...]


def chart_of(dataset: str, runs: Iterable[EvaluationRun]) -> RunsChart | None:
    """Of a dataset's finished runs; None where there is none."""
    ordered = sorted((run for run in runs if run.state == RunState.DONE), key=lambda run: run.started_at)
    if not ordered:
        return None
    return RunsChart(
        dataset=dataset,
        places=max(len(ordered), 8),
        first=moment(ordered[0].started_at),
        last=moment(ordered[-1].started_at),
        lines=tuple(line for name, label in DRAWN.items() if (line := _line(label, name, ordered)) is not None),
    )


def number(value: Any) -> str:
    """A metric as pages show it; a dash where it says nothing."""
    if value is None:
        return "—"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _line(label: str, name: str, runs: Sequence[EvaluationRun]) -> BarLine | None:
    values = [figure_of(run.metrics, name) for run in runs]
    if all(value is None for value in values):
        return None
    bars = tuple(
        draw_bar(place, value, least_height=_LEAST_HEIGHT, says=f"{moment(run.started_at)}: {label} {number(value)}")
        for place, (run, value) in enumerate(zip(runs, values, strict=True))
        if value is not None
    )
    return BarLine(name=label, summary=_summary(values), bars=bars)


def _summary(values: Sequence[float | None]) -> str:
    last = values[-1]
    before = values[-2] if len(values) > 1 else None
    step = "" if last is None or before is None else f", {last - before:+.3f}"
    return f"{number(last)}{step}"
