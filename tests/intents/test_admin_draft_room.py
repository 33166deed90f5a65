"""The editor's table of room says what the assembly does."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.admin.draft.room import fill, fillings
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import KindBudget
from apps.retrieval.stages.ranking.assemble import assemble, ref_id
from tests.retrieval.builders import analysed, candidate, document

BASELINE = baseline_snapshot()
KINDS = (Kind.ORG_PROFILE, Kind.METHODOLOGY, Kind.RUN, Kind.SCHEDULE)


def budgets(*caps: int) -> list[KindBudget]:
    return [
        KindBudget(kind=kind, label=str(kind.label), cap_chars=cap, position=place)
        for place, (kind, cap) in enumerate(zip(KINDS, caps, strict=False), start=1)
    ]


def assembled(asked: list[KindBudget], total: int) -> tuple[list[tuple[str, int]], list[tuple[str, int]], int]:
    """Kept and evicted kinds with their sizes, and the block's, where each kind has a passage that just fits."""
    candidates = []
    for number, budget in enumerate(asked, start=1):
        found = candidate("x", number, facts=document(number, kind=budget.kind.value))
        prefix = f"## {budget.label}\n[{ref_id(found.chunk)}] "
        room = min(budget.cap_chars, total) - len(prefix)
        candidates.append(candidate("x" * room, number, facts=document(number, kind=budget.kind.value)))
    block = assemble(candidates, analysis=analysed("What is x?"), budgets=asked, total_cap_chars=total)
    kept, evicted = (
        [(section.kind, len(section.text)) for section in sections] for sections in (block.sections, block.evicted)
    )
    return kept, evicted, block.size_chars


@given(st.lists(st.integers(80, 400), min_size=1, max_size=4), st.integers(80, 1500))
@settings(deadline=None, max_examples=200)
def test_what_fills_what_goes_and_in_which_order_is_as_the_assembly_has_it(caps: list[int], total: int) -> None:
    sections = fill(budgets(*caps), total)
    kept = [(each.kind.value, each.size_chars) for each in sections if not each.evicted]
    evicted = [(each.kind.value, each.size_chars) for each in reversed(sections) if each.evicted]
    size = sum(chars for _, chars in kept) + 2 * max(0, len(kept) - 1)
    assert (kept, evicted, size) == assembled(budgets(*caps), total)


@pytest.mark.parametrize(
    ("caps", "total", "evicted"),
    [
        ((100, 100), 202, 0),  # two sections and the blank line between them
        ((100, 100), 201, 1),
        ((100, 300, 90), 350, 2),  # the last one goes first, though the second is what is too large
    ],
)
def test_the_blank_line_counts_and_the_last_goes_first(caps: tuple[int, ...], total: int, evicted: int) -> None:
    assert sum(section.evicted for section in fill(budgets(*caps), total)) == evicted
    assert len(assembled(budgets(*caps), total)[1]) == evicted


def test_a_cap_without_room_for_its_own_heading_holds_nothing() -> None:
    asked = budgets(len("## Firm profile\n"), 300)
    assert [section.kind for section in fill(asked, 1000)] == [Kind.METHODOLOGY]


def test_the_baseline_has_room_for_every_intent() -> None:
    found = fillings(BASELINE)
    assert [each.label for each in found][-1] == BASELINE.fallback.label
    assert {each.sentence for each in found} == {"Everything fits."}


def test_what_is_cut_left_out_or_without_room_is_said() -> None:
    small = replace(
        BASELINE, total_cap_chars=900, budgets=tuple(each for each in BASELINE.budgets if each.kind is not Kind.RUN)
    )
    by_name = {each.key: each.sentence for each in fillings(small)}
    assert by_name["performance"] == (
        "Dataset summaries would be left out whole. Fund profiles would be cut to 900 characters, the total. Past "
        "runs: no context budget, so none of it is ever used."
    )


def test_an_intent_without_kinds_reaches_nothing() -> None:
    first, *rest = BASELINE.intents
    none = replace(BASELINE, intents=(replace(first, kinds=()), *rest))
    assert fillings(none)[0].sentence == "It may reach nothing."
