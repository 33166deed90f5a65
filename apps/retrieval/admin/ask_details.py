"""What the steps of the way open to: which panel shows a stage's output, and what it is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.retrieval.admin.ask_context import context_view
from apps.retrieval.admin.ask_fates import Fate, FateKind
from apps.retrieval.admin.ask_panels import (
    analysis_panel,
    grounding_panel,
    intent_panel,
    kinds_panel,
    left_out_panel,
)
from apps.retrieval.admin.ask_rankings import (
    Found,
    FusionView,
    PassageLine,
    RankingView,
    added_lines,
    fusion_view,
    ranking_view,
)
from apps.retrieval.contracts import (
    Citation,
    ContextBlock,
    GeneratedAnswer,
    GroundingReport,
    ProfileCheck,
    QueryAnalysis,
    Ranking,
)
from apps.retrieval.trace import CandidateList, EmbeddedQuery, FusedRanking, Stage, StageRecord, Trace
from apps.tenants.admin.charts import Slope, SlopeChart, draw_slopes

_DRAWN: Final = (FateKind.FOUND, FateKind.DROPPED, FateKind.CONTEXT, FateKind.CITED)
_LEAVES_OUT: Final = frozenset({Stage.BOOST, Stage.DIVERSIFY, Stage.RERANK, Stage.CUT_OFF, Stage.HEAL})


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """name is that of its template; without a title it is always open."""

    name: str
    title: str
    details: object


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionPanel:
    fusion: FusionView
    chart: SlopeChart | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddedRow:
    """A passage that no ranking found, the one that brought it, and what became of it."""

    passage: PassageLine
    around: PassageLine
    fate: Fate


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """What the panels draw on."""

    trace: Trace
    citations: Sequence[Citation]
    decision: IntentDecision
    grant: KindGrant
    snapshot: PolicySnapshot
    found: Found


def panel_of(stage: Stage, records: Sequence[StageRecord], way: Way) -> Panel | None:
    """The panel of a stage that has records; None where its sentence says all."""
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
            rankings = _rankings(way)
            title = "Both rankings side by side" if len(rankings) == 2 else "Every ranking"
            return Panel(name="rankings", title=title, details=rankings)
        case FusedRanking():
            fusions = tuple(_fusion(each.output, way) for each in records if isinstance(each.output, FusedRanking))
            return Panel(name="fusion", title="The fused list, and what happened to each passage", details=fusions)
        case CandidateList() if stage is Stage.EXPAND:
            rows = added_rows(way)
            return Panel(name="added", title="What was added around", details=rows) if rows else None
        case ContextBlock() as context:
            details_of = context_view(context, way.grant, way.found)
            return Panel(name="context", title="Context budget by kind, and the exact text", details=details_of)
        case GeneratedAnswer() as draft:
            return Panel(name="generation", title="Generator and notes", details=draft)
        case ProfileCheck(findings=findings) as check if findings or check.disclaimers:
            return Panel(name="profile", title="Which rules, and by which words", details=check)
        case GroundingReport() as report:
            return Panel(name="grounding", title="Claim by claim", details=grounding_panel(report, way.citations))
    left_out = left_out_panel(records, way.found) if stage in _LEAVES_OUT else None
    return Panel(name="left_out", title="What was left out", details=left_out) if left_out else None


def added_rows(way: Way) -> tuple[AddedRow, ...]:
    return tuple(
        AddedRow(
            passage=way.found.passage(line.chunk_id),
            around=way.found.passage(line.around),
            fate=way.found.fate(line.chunk_id),
        )
        for line in added_lines(way.trace)
        if line.around is not None
    )


def _fusion(fused: FusedRanking, way: Way) -> FusionPanel:
    view = fusion_view(fused, way.found)
    return FusionPanel(fusion=view, chart=slope_chart(view))


def _rankings(way: Way) -> tuple[RankingView, ...]:
    return tuple(
        ranking_view(record.output, record.stage, way.found)
        for record in way.trace.stages
        if isinstance(record.output, Ranking)
    )


def slope_chart(fusion: FusionView) -> SlopeChart | None:
    """Draw the fusion of the first two rankings, by meaning and by words; None without two, or if nothing was found.

    What was left out is drawn first, so that what was used lies on top.
    """
    if len(fusion.rankings) < 2:
        return None
    slopes = [
        Slope(
            ranks=(row.ranks[0][1], row.ranks[1][1]),
            fused_rank=row.rank,
            style=row.fate.kind.value,
            title=f"{row.passage.title}, {row.passage.place}: {row.fate.label}",
        )
        for row in sorted(fusion.rows, key=lambda each: _DRAWN.index(each.fate.kind))
    ]
    return draw_slopes(slopes) if slopes else None
