"""What a step of the way opens to: the stage's output, brought into tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.retrieval.admin.ask_links import policy_url
from apps.retrieval.admin.ask_rankings import Found, PassageLine
from apps.retrieval.contracts import Certainty, ChunkId, Citation, GroundingReport, QueryAnalysis
from apps.retrieval.trace import StageRecord
from apps.tenants.admin.charts import Stretch, draw_stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestRow:
    text: str
    intent: str
    similarity: str
    bar: Stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentPanel:
    decision: IntentDecision
    score: str
    margin: str
    nearest: tuple[NearestRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class KindsPanel:
    """Labels of the kinds, permitted in the order of their budgets."""

    intent: str
    permitted: tuple[str, ...]
    withheld: tuple[str, ...]
    reason: str
    policy_version: int
    policy_url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FilterRow:
    """A condition on documents, what it did to the search, and why."""

    field: str
    values: str
    certainty: str
    effect: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysisPanel:
    analysis: QueryAnalysis
    filters: tuple[FilterRow, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutPanel:
    """Passages that a stage left out, each with the reason."""

    rows: tuple[tuple[PassageLine, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRow:
    """A checked claim; citation is the number of the card that supports it, 0 for none."""

    claim: str
    value: str
    supported: bool
    ref_id: str
    citation: int
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundingPanel:
    reason: str
    findings: tuple[FindingRow, ...]


def intent_panel(decision: IntentDecision, snapshot: PolicySnapshot) -> IntentPanel:
    return IntentPanel(
        decision=decision,
        score=f"{decision.score:.2f}",
        margin=f"{decision.margin:.2f}",
        nearest=tuple(
            NearestRow(
                text=each.text,
                intent=snapshot.label_of(each.intent),
                similarity=f"{each.cosine_similarity:.2f}",
                bar=draw_stretch(each.cosine_similarity, 1.0, label=f"cosine similarity {each.cosine_similarity:.2f}"),
            )
            for each in decision.nearest
        ),
    )


def kinds_panel(grant: KindGrant, decision: IntentDecision) -> KindsPanel:
    return KindsPanel(
        intent=decision.label,
        permitted=tuple(str(kind.label) for kind in grant.permitted),
        withheld=tuple(str(kind.label) for kind in grant.withheld),
        reason=f"Policy version {grant.policy_version} does not permit them for {decision.label}.",
        policy_version=grant.policy_version,
        policy_url=policy_url(grant.policy_version_id),
    )


def analysis_panel(analysis: QueryAnalysis) -> AnalysisPanel:
    given = [
        FilterRow(
            field=each.field.value.replace("_", " "),
            values=", ".join(each.values) or "nothing that is held",
            certainty="given",
            effect="narrows the search, and is never relaxed",
            reason=each.unmet or "It was sent with the question.",
        )
        for each in analysis.given
    ]
    kept = [
        FilterRow(
            field=each.field.value.replace("_", " "),
            values=", ".join(each.values),
            certainty=each.certainty.value,
            effect="narrows the search" if each.certainty is Certainty.SURE else "lifts what meets it",
            reason=each.reason,
        )
        for each in analysis.filters
    ]
    relaxed = [
        FilterRow(
            field=each.filter.field.value.replace("_", " "),
            values=", ".join(each.filter.values),
            certainty="relaxed",
            effect="taken out again",
            reason=each.reason,
        )
        for each in analysis.relaxed
    ]
    return AnalysisPanel(analysis=analysis, filters=(*given, *kept, *relaxed))


def left_out_panel(records: Sequence[StageRecord], found: Found) -> LeftOutPanel | None:
    """None where the stage left out nothing: its sentence says the rest."""
    rows = tuple(
        (found.passage(ChunkId(UUID(exclusion.subject))), exclusion.reason)
        for record in records
        for exclusion in record.exclusions
    )
    return LeftOutPanel(rows=rows) if rows else None


def grounding_panel(report: GroundingReport, citations: Sequence[Citation]) -> GroundingPanel:
    numbers = {citation.ref_id: number for number, citation in reversed(list(enumerate(citations, start=1)))}
    return GroundingPanel(
        reason=report.reason,
        findings=tuple(
            FindingRow(
                claim=each.type.value.replace("ref_id", "reference"),
                value=each.value,
                supported=each.supported,
                ref_id=each.ref_id,
                citation=numbers.get(each.ref_id, 0),
                note=each.note,
            )
            for each in report.findings
        ),
    )
