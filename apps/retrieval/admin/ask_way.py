"""How an answer came about: the twenty-three stages in six groups, each with a sentence, its counts and its details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.retrieval.admin.ask_details import Way, panel_of
from apps.retrieval.admin.ask_figures import duration
from apps.retrieval.admin.ask_sentences import NOT_REACHED, TITLES, counts, sentence
from apps.retrieval.trace import Stage, StageStatus

GROUPS: Final[Sequence[tuple[str, Sequence[Stage]]]] = (
    ("Understand the question", (Stage.VALIDATE, Stage.CLASSIFY)),
    ("Decide what it may reach", (Stage.GATE, Stage.PROFILE)),
    ("Prepare the search", (Stage.ANALYSE, Stage.REWRITE, Stage.EMBED)),
    (
        "Search",
        (
            Stage.DENSE,
            Stage.SPARSE,
            Stage.STATEMENTS,
            Stage.METADATA,
            Stage.FUSE,
            Stage.BOOST,
            Stage.DIVERSIFY,
            Stage.RERANK,
            Stage.CUT_OFF,
            Stage.HEAL,
            Stage.LINES,
        ),
    ),
    ("Fill the context", (Stage.EXPAND, Stage.ASSEMBLE)),
    ("Answer and check", (Stage.GENERATE, Stage.GROUND, Stage.SUITABILITY)),
)
# Word and tone; what ran needs no word, only its tick.
_STATES: Final[Mapping[StageStatus, tuple[str, str]]] = {
    StageStatus.RAN: ("", "good"),
    StageStatus.NOT_CONFIGURED: ("Nothing chosen", "quiet"),
    StageStatus.SKIPPED: ("Skipped", "quiet"),
    StageStatus.DEGRADED: ("Degraded", "warn"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One stage as a line of the way. panel is the template that its details are drawn with, empty for none."""

    number: int
    stage: str
    title: str
    sentence: str
    state: str
    tone: str
    counts: str
    elapsed: str
    panel: str = ""
    panel_title: str = ""
    details: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepGroup:
    title: str
    steps: tuple[Step, ...]


def step_groups(way: Way) -> tuple[StepGroup, ...]:
    """All stages in the order of the pipeline, those that did not run included."""
    order = {stage: number for number, stage in enumerate(Stage, start=1)}
    return tuple(
        StepGroup(title=title, steps=tuple(_step(order[stage], stage, way) for stage in stages))
        for title, stages in GROUPS
    )


def _step(number: int, stage: Stage, way: Way) -> Step:
    records = [record for record in way.trace.stages if record.stage is stage]
    if not records:
        return Step(
            number=number,
            stage=stage.value,
            title=TITLES[stage],
            sentence=NOT_REACHED,
            state="Not reached",
            tone="quiet",
            counts="",
            elapsed="",
        )
    first = records[0]
    panel = panel_of(stage, records, way)
    state, tone = _STATES[first.status]
    return Step(
        number=number,
        stage=stage.value,
        title=TITLES[stage],
        sentence=sentence(first) + (f" It ran {len(records)} times; this is the first." if len(records) > 1 else ""),
        state=state,
        tone=tone,
        counts=counts(first),
        elapsed=duration(sum(record.elapsed_ms for record in records)),
        panel=f"admin/ask/panels/{panel.name}.html" if panel else "",
        panel_title=panel.title if panel else "",
        details=panel.details if panel else None,
    )


def _again(times: int) -> str:
    return "" if times == 1 else f" It ran {times} times; this is the first."
