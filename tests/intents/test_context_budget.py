"""Sections share a context by priority: the first ones that fit together stay, the others are evicted whole."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.corpus.kinds import Kind
from apps.intents.context_budget import SECTION_BREAK, share_context
from apps.intents.contracts import KindBudget
from apps.intents.fund_house import FUND_HOUSE

KINDS = tuple(FUND_HOUSE)


@given(
    caps=st.lists(st.integers(1, 400), min_size=1, max_size=6),
    used=st.lists(st.floats(0, 1), min_size=6, max_size=6),
    total=st.integers(1, 1500),
    order=st.randoms(use_true_random=False),
)
@settings(deadline=None)
def test_the_most_sections_that_fit_stay_and_the_lowest_priority_goes_first(
    caps: list[int], used: list[float], total: int, order: Random
) -> None:
    budgets = [
        KindBudget(kind=kind, label=str(kind.label), cap_chars=cap, position=place)
        for place, (kind, cap) in enumerate(zip(KINDS, caps, strict=False), start=1)
    ]
    texts = [
        "x" * round(share * min(cap, total))  # a section that would be empty is none
        for cap, share in zip(caps, used, strict=False)
    ]
    asked: list[tuple[Kind, int]] = []

    def fill(budget: KindBudget, cap_chars: int) -> str | None:
        asked.append((budget.kind, cap_chars))
        return texts[budget.position - 1] or None

    shuffled = list(budgets)
    order.shuffle(shuffled)
    context = share_context(shuffled, total_cap_chars=total, fill=fill, size_of=len)

    assert asked == [(budget.kind, min(budget.cap_chars, total)) for budget in budgets]
    there = [text for text in texts if text]
    fitting = [number for number in range(len(there) + 1) if len(SECTION_BREAK.join(there[:number])) <= total]
    kept = max(fitting)
    assert context.sections == tuple(there[:kept])
    assert context.evicted == tuple(reversed(there[kept:]))
    assert context.size_chars == len(SECTION_BREAK.join(context.sections))


def test_without_a_budget_the_context_is_empty() -> None:
    context = share_context([], total_cap_chars=100, fill=lambda budget, cap_chars: "x", size_of=len)
    assert (context.sections, context.evicted, context.size_chars) == ((), (), 0)
