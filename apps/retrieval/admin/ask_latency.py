"""Where the time went: each stage as a bar that begins where the one before it ended."""

from __future__ import annotations

from dataclasses import dataclass

from apps.retrieval.admin.ask_figures import duration, percentage
from apps.retrieval.admin.ask_sentences import TITLES
from apps.retrieval.trace import StageStatus, Trace
from apps.tenants.admin.charts import Stretch, draw_stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyRow:
    title: str
    stage: str
    elapsed: str
    share: str
    bar: Stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class LatencyView:
    rows: tuple[LatencyRow, ...]
    total: str


def latency_view(trace: Trace) -> LatencyView:
    """The stages that did something, in order; one that ran for several wordings has a row for each."""
    rows: list[LatencyRow] = []
    begun_ms = 0.0
    for record in trace.stages:
        if record.status in (StageStatus.RAN, StageStatus.DEGRADED):
            share = percentage(record.elapsed_ms, trace.elapsed_ms)
            rows.append(
                LatencyRow(
                    title=TITLES[record.stage],
                    stage=record.stage.value,
                    elapsed=duration(record.elapsed_ms),
                    share=share,
                    bar=draw_stretch(record.elapsed_ms, trace.elapsed_ms, start=begun_ms, label=f"{share} of the time"),
                )
            )
        begun_ms += record.elapsed_ms
    return LatencyView(rows=tuple(rows), total=duration(trace.elapsed_ms))
