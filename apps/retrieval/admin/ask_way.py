"""How an answer came about: the seventeen stages in six groups, each with a sentence, its counts and its details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.retrieval.admin.ask_context import context_view
from apps.retrieval.admin.ask_figures import duration
from apps.retrieval.admin.ask_panels import (
    analysis_panel,
    grounding_panel,
    intent_panel,
    kinds_panel,
    left_out_panel,
)
from apps.retrieval.admin.ask_rankings import Found, fusion_view, ranking_view
from apps.retrieval.admin.ask_sentences import NOT_REACHED, TITLES, counts, sentence
from apps.retrieval.admin.ask_slopes import slope_chart
from apps.retrieval.contracts import Citation, ContextBlock, GeneratedAnswer, GroundingReport, QueryAnalysis, Ranking
from apps.retrieval.trace import EmbeddedQuery, FusedRanking, Stage, StageRecord, StageStatus, Trace

GROUPS: Final[Sequence[tuple[str, Sequence[Stage]]]] = (
    ("Understand the question", (Stage.VALIDATE, Stage.CLASSIFY)),
    ("Decide what it may reach", (Stage.GATE,)),
    ("Prepare the search", (Stage.ANALYSE, Stage.REWRITE, Stage.EMBED)),
    (
        "Search",
        (
            Stage.DENSE,
            Stage.SPARSE,
            Stage.FUSE,
            Stage.BOOST,
            Stage.DIVERSIFY,
            Stage.RERANK,
            Stage.CUT_OFF,
            Stage.HEAL,
        ),
    ),
    ("Fill the context", (Stage.ASSEMBLE,)),
    ("Answer and check", (Stage.GENERATE, Stage.GROUND)),
)
# Word and tone; what ran needs no word, only its tick.
_STATES: Final[Mapping[StageStatus, tuple[str, str]]] = {
    StageStatus.RAN: ("", "good"),
    StageStatus.NOT_CONFIGURED: ("Not configured", "quiet"),
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    name: str
    title: str
    details: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What the panels draw on."""

    trace: Trace
    citations: Sequence[Citation]
    decision: IntentDecision
    grant: KindGrant
    snapshot: PolicySnapshot
    found: Found


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
    panel = _panel(stage, records, way)
    state, tone = _STATES[first.status]
    return Step(
        number=number,
        stage=stage.value,
        title=TITLES[stage],
        sentence=sentence(first),
        state=state,
        tone=tone,
        counts=counts(first),
        elapsed=duration(sum(record.elapsed_ms for record in records)),
        panel=f"admin/ask/panels/{panel.name}.html" if panel else "",
        panel_title=panel.title if panel else "",
        details=panel.details if panel else None,
    )


def _panel(stage: Stage, records: Sequence[StageRecord], way: Way) -> Panel | None:
    match records[0].output:
        case IntentDecision() as decision:
            return Panel(name="intent", title="Why this intent", details=intent_panel(decision, way.snapshot))
        case KindGrant() as grant:
            return Panel(name="kinds", title="", details=kinds_panel(grant, way.decision))
        case QueryAnalysis() as analysis:
            return Panel(name="analysis", title="Filters, terms and glossary", details=analysis_panel(analysis))
        case EmbeddedQuery() as embedded:
            return Panel(name="embedding", title="Provider, model and region", details=embedded)
        case Ranking() if stage is Stage.SPARSE:
            return Panel(name="rankings", title="Both rankings side by side", details=_rankings(way))
        case FusedRanking() as fused:
            view = fusion_view(fused, way.found)
            details = {"fusion": view, "chart": slope_chart(view)}
            return Panel(name="fusion", title="The fused list, and what became of each passage", details=details)
        case ContextBlock() as context:
            details_of = context_view(context, way.grant, way.found)
            return Panel(name="context", title="Room by kind, and the exact text", details=details_of)
        case GeneratedAnswer() as draft:
            return Panel(name="generation", title="Generator and notes", details=draft)
        case GroundingReport() as report:
            return Panel(name="grounding", title="Claim by claim", details=grounding_panel(report, way.citations))
    left_out = left_out_panel(records, way.found) if stage in _LEAVES_OUT else None
    return Panel(name="left_out", title="What was left out", details=left_out) if left_out else None


_LEAVES_OUT: Final = frozenset({Stage.BOOST, Stage.DIVERSIFY, Stage.RERANK, Stage.CUT_OFF, Stage.HEAL})


def _rankings(way: Way) -> tuple[object, ...]:
    return tuple(
        ranking_view(record.output, record.stage, way.found)
        for record in way.trace.stages
        if isinstance(record.output, Ranking)
    )
