"""The benchmark's figures as lines, aims and text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from tests.benchmarks.wall import Plan
from tests.benchmarks.wall_measure import OPENING, STATEMENTS, WITH_OPENING, Cell, Ratio, median_ratio, p95_ratio

MEDIAN_AIM = 1.05
P95_AIM = 1.3
MEASURED = (*STATEMENTS, "all", OPENING, WITH_OPENING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One row of the table; times in milliseconds."""

    chunks: int
    others: int
    statistics: str
    statement: str
    walled_median_ms: float
    bypassed_median_ms: float
    walled_p95_ms: float
    bypassed_p95_ms: float
    median_ratio: Ratio
    repetitions: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A ratio that is held to something, or only told (at_most None)."""

    what: str
    ratio: Ratio
    at_most: float | None = None

    @property
    def verdict(self) -> str:
        if self.at_most is None:
            return ""
        return "met" if self.ratio.value <= self.at_most else "missed"


@dataclass(slots=True, kw_only=True)
class Report:
    """differences: searches that found other chunks on one side than on the other; there must be none."""

    lines: list[Line] = field(default_factory=list)
    comparisons: list[Comparison] = field(default_factory=list)
    searches: int = 0
    differences: list[str] = field(default_factory=list)
    fewest_found: int | None = None
    plans: list[str] = field(default_factory=list)

    def add(self, cell: Cell) -> None:
        for name in MEASURED:
            pairs = cell.pairs(name)
            medians, p95s = np.median(pairs, axis=0) * 1e3, np.percentile(pairs, 95, axis=0) * 1e3
            self.lines.append(
                Line(
                    chunks=cell.chunks,
                    others=cell.others,
                    statistics=cell.statistics,
                    statement=name,
                    walled_median_ms=float(medians[0]),
                    bypassed_median_ms=float(medians[1]),
                    walled_p95_ms=float(p95s[0]),
                    bypassed_p95_ms=float(p95s[1]),
                    median_ratio=median_ratio(pairs),
                    repetitions=len(pairs),
                )
            )
        self.searches += len(cell.hits)
        self.differences += [f"{name}, {cell.chunks} chunks, {cell.others} others" for name in cell.differences]
        self.fewest_found = min([*cell.hits, *([] if self.fewest_found is None else [self.fewest_found])])

    def hold_to_aims(self, fewest: Cell, most: Cell) -> None:
        """Args: fewest, most: the largest tenant with the fewest other tenants, and with the most."""
        for cell in (fewest, most):
            for name in ("all", *STATEMENTS):
                what = f"{name}: median with / without the wall, {cell.chunks} chunks, {cell.others} others"
                self.comparisons.append(Comparison(what=what, ratio=median_ratio(cell.pairs(name)), at_most=MEDIAN_AIM))
        for name in ("all", *STATEMENTS):
            ratio = p95_ratio(most.pairs(name)[:, 0], fewest.pairs(name)[:, 0])
            what = f"{name}: p95 with the wall, {most.others} / {fewest.others} others, {most.chunks} chunks"
            self.comparisons.append(Comparison(what=what, ratio=ratio, at_most=P95_AIM))

    def compare_statistics(self, cells: Sequence[Cell]) -> None:
        """Args: cells: the same tenant with one state of the statistics each; the others are held against the first."""
        first = cells[0]
        for cell in cells[1:]:
            for name in ("all", *STATEMENTS):
                walled = np.stack([cell.pairs(name)[:, 0], first.pairs(name)[:, 0]], axis=1)
                for measure, ratio in (("median", median_ratio(walled)), ("p95", p95_ratio(*walled.T))):
                    what = (
                        f"{name}: {measure} with the wall, statistics {cell.statistics} / {first.statistics}, "
                        f"{cell.chunks} chunks, {cell.others} others"
                    )
                    self.comparisons.append(Comparison(what=what, ratio=ratio))

    def as_json(self, plan: Plan) -> dict[str, Any]:
        return {
            "plan": asdict(plan),
            "lines": [asdict(line) for line in self.lines],
            "comparisons": [{**asdict(each), "verdict": each.verdict} for each in self.comparisons],
            "searches": self.searches,
            "differences": self.differences,
            "fewest_found": self.fewest_found,
            "plans": self.plans,
        }


def as_text(report: Report, plan: Plan) -> str:
    head = (
        f"{'chunks':>7} {'others':>6} {'statistics':<11} {'statement':<12} "
        f"{'median ms: wall':>15} {'none':>8} {'p95 ms: wall':>13} {'none':>8}  ratio of medians (95 %)"
    )
    rows = [
        f"{line.chunks:>7} {line.others:>6} {line.statistics:<11} {line.statement:<12} "
        f"{line.walled_median_ms:>15.2f} {line.bypassed_median_ms:>8.2f} "
        f"{line.walled_p95_ms:>13.2f} {line.bypassed_p95_ms:>8.2f}  {_ratio(line.median_ratio)}"
        for line in report.lines
    ]
    held = [
        f"{each.verdict:<7} {_ratio(each.ratio)} {'' if each.at_most is None else f'aim {each.at_most:.2f}':<9} "
        f"{each.what}"
        for each in report.comparisons
    ]
    agreed = (
        f"{report.searches} searches on both sides, {len(report.differences)} found different chunks; "
        f"the fewest found: {report.fewest_found}"
    )
    title = (
        f"{plan.repetitions} repetitions a side, in turns, after {plan.warm_up} to warm up; "
        f"another tenant has {plan.chunks_of_another} chunks"
    )
    return "\n".join([title, "", head, *rows, "", *held, "", agreed, *report.plans])


def _ratio(ratio: Ratio) -> str:
    return f"{ratio.value:.3f} ({ratio.low:.3f} to {ratio.high:.3f})"
