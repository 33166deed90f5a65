"""The context block: each kind's context budget and how it was used, what was left out, and the exact bytes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from apps.intents.contracts import KindGrant
from apps.retrieval.admin.ask_figures import counted
from apps.retrieval.admin.ask_rankings import Found, PassageLine
from apps.retrieval.contracts import ChunkId, ContextBlock, ContextSection
from apps.tenants.admin.charts import Stretch, draw_stretch


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetRow:
    """One kind's context budget. A kind of which nothing was found has used nothing of it."""

    label: str
    kind: str
    used_chars: int
    cap_chars: int
    bar: Stretch
    passages: str
    evicted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutRow:
    passage: PassageLine
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextView:
    budgets: tuple[BudgetRow, ...]
    total: BudgetRow
    left_out: tuple[LeftOutRow, ...]
    text: str
    sha256: str
    byte_count: int


def context_view(context: ContextBlock, grant: KindGrant, found: Found) -> ContextView:
    return ContextView(
        budgets=budget_rows(context, grant),
        total=_row(
            "The whole context",
            "",
            used=context.size_chars,
            cap=context.total_cap_chars,
            passages=len(context.passages),
        ),
        left_out=tuple(
            LeftOutRow(passage=found.passage(ChunkId(UUID(each.chunk_id))), reason=each.reason)
            for each in context.left_out
        ),
        text=context.text,
        sha256=context.sha256,
        byte_count=len(context.text.encode()),
    )


def budget_rows(context: ContextBlock, grant: KindGrant) -> tuple[BudgetRow, ...]:
    """Every permitted kind in the policy's order; an evicted section counts with what it would have used."""
    rows = []
    for budget in grant.budgets:
        kept, evicted = _section(context.sections, budget.kind), _section(context.evicted, budget.kind)
        section = kept or evicted
        rows.append(
            _row(
                budget.label,
                str(budget.kind.label),
                used=len(section.text) if section else 0,
                cap=budget.cap_chars,
                passages=len(section.passages) if section else 0,
                evicted=evicted is not None,
            )
        )
    return tuple(rows)


def _section(sections: Sequence[ContextSection], kind: str) -> ContextSection | None:
    return next((section for section in sections if section.kind == kind), None)


def _row(label: str, kind: str, *, used: int, cap: int, passages: int, evicted: bool = False) -> BudgetRow:
    return BudgetRow(
        label=label,
        kind=kind,
        used_chars=used,
        cap_chars=cap,
        bar=draw_stretch(used, cap, label=f"{used} of {cap} characters"),
        passages=counted(passages, "passage"),
        evicted=evicted,
    )
