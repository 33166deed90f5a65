"""The editor's full contexts say what the assembly does."""

from __future__ import annotations

from dataclasses import replace

import pytest

from apps.intents.admin.draft.full_context import FullContext, full_contexts
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import KindBudget
from apps.intents.fund_house import FundHouse
from apps.retrieval.stages.ranking.assemble import assemble, ref_id
from tests.retrieval.builders import analysed, candidate, document

BASELINE = baseline_snapshot()
KINDS = (FundHouse.ORG_PROFILE, FundHouse.METHODOLOGY, FundHouse.RUN, FundHouse.SCHEDULE)


def budgets(*caps: int) -> list[KindBudget]:
    return [
        KindBudget(kind=kind, label=str(kind.label), cap_chars=cap, position=place)
        for place, (kind, cap) in enumerate(zip(KINDS, caps, strict=False), start=1)
    ]


def full_context(asked: list[KindBudget], total: int) -> FullContext:
    """The context of an intent that reaches each of these kinds."""
    first, *rest = BASELINE.intents
    reaching = replace(first, kinds=tuple(budget.kind for budget in asked))
    return full_contexts(replace(BASELINE, intents=(reaching, *rest), budgets=tuple(asked), total_cap_chars=total))[0]


def assembled(asked: list[KindBudget], total: int) -> tuple[list[tuple[str, int]], list[tuple[str, int]], int]:
    """Kept and evicted kinds with their sizes, and the block's, where each kind has a passage that just fits."""
    candidates = []
    for number, budget in enumerate(asked, start=1):
        found = candidate("x", number, facts=document(number, kind=budget.kind.value))
        prefix = f"## {budget.label}\n[{ref_id(found.chunk)}] "
        fitting = min(budget.cap_chars, total) - len(prefix)
        candidates.append(candidate("x" * fitting, number, facts=document(number, kind=budget.kind.value)))
    block = assemble(candidates, analysis=analysed("What is x?"), budgets=asked, total_cap_chars=total)
    kept, evicted = (
        [(section.kind, len(section.text)) for section in sections] for sections in (block.sections, block.evicted)
    )
    return kept, evicted, block.size_chars


@pytest.mark.parametrize(
    ("caps", "total", "evicted"),
    [
        ((100, 100), 202, 0),  # two sections and the blank line between them
        ((100, 100), 201, 1),
        ((100, 300, 90), 350, 2),  # the last one goes first, though the second is what is too large
        ((100, 900, 90), 400, 2),  # a cap above the total is the total
    ],
)
def test_the_editor_and_the_assembly_evict_by_one_rule(caps: tuple[int, ...], total: int, evicted: int) -> None:
    context = full_context(budgets(*caps), total)
    kept, gone = (
        [(each.kind.value, each.size_chars) for each in sections] for sections in (context.sections, context.evicted)
    )
    assert (kept, gone, context.size_chars) == assembled(budgets(*caps), total)
    assert len(gone) == evicted


def test_a_cap_that_its_own_heading_fills_holds_nothing() -> None:
    context = full_context(budgets(len("## Firm profile\n"), 300), 1000)
    assert [section.kind for section in context.sections] == [FundHouse.METHODOLOGY]
    assert context.without_budget == (FundHouse.ORG_PROFILE,)


def test_in_the_baseline_everything_fits_for_every_intent() -> None:
    found = full_contexts(BASELINE)
    assert [each.label for each in found][-1] == BASELINE.fallback.label
    assert {each.sentence for each in found} == {"Everything fits."}


def test_what_is_cut_left_out_or_without_a_context_budget_is_said() -> None:
    small = replace(
        BASELINE,
        total_cap_chars=900,
        budgets=tuple(each for each in BASELINE.budgets if each.kind != FundHouse.RUN),
    )
    by_name = {each.key: each.sentence for each in full_contexts(small)}
    assert by_name["performance"] == (
        "Dataset summaries would be left out whole. Fund profiles would be cut to 900 characters, the total. Past "
        "runs: no context budget, so none of it is ever used."
    )


def test_an_intent_without_kinds_reaches_nothing() -> None:
    first, *rest = BASELINE.intents
    none = replace(BASELINE, intents=(replace(first, kinds=()), *rest))
    assert full_contexts(none)[0].sentence == "It may reach nothing."
