"""The policy of evaluation folders: shipped packs, in which every intent reaches the kinds that the folder holds.

So the gate, row-level security and the log work as for every tenant, and no question is lost to them.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace
from typing import Final

from apps.corpus.kinds import Kind
from apps.intents.baseline import baseline_snapshot
from apps.intents.contracts import KindBudget, PolicySnapshot

# The documents of all folders lie in one tenant, whose policy must know their kinds.
EVALUATION_PACKS: Final = ("fund_house", "company_research")
_SHIPPED: Final = {pack: baseline_snapshot((pack,)) for pack in EVALUATION_PACKS}
_TOGETHER: Final = baseline_snapshot(EVALUATION_PACKS)
EVALUATION_KINDS: Final = _TOGETHER.kinds


def packs_of(kinds: Set[Kind]) -> tuple[str, ...]:
    """Return the packs that define a folder's kinds; the fund house for none."""
    return (
        tuple(pack for pack in EVALUATION_PACKS if not kinds.isdisjoint(_SHIPPED[pack].kinds)) or EVALUATION_PACKS[:1]
    )


def evaluation_policy(kinds: Set[Kind]) -> PolicySnapshot:
    """Return the packs of a folder's kinds, with every intent and the fallback reaching these kinds.

    A filing's passages have the budgets that company research ships with. In the fund house the budgets of all ten
    kinds share the context; those of a folder that holds a few of them share it in the same proportions, up to the same
    total, since a context of which six sevenths stay empty would say little about answers.
    """
    packs = packs_of(kinds)
    shipped = baseline_snapshot(packs)
    reached = tuple(kind for kind in EVALUATION_KINDS if kind in kinds)
    budgets = _TOGETHER.budgets
    if packs == EVALUATION_PACKS[:1]:
        budgets = _shared_out(budgets, frozenset(reached), shipped.total_cap_chars)
    return replace(
        shipped,
        intents=tuple(replace(rule, kinds=reached) for rule in shipped.intents),
        fallback=replace(shipped.fallback, kinds=reached),
        budgets=budgets,
    )


def policy_words(policy: PolicySnapshot) -> str:
    """Return which packs a run is under, and how much of the context the kinds that it reaches may fill."""
    shipped = {budget.kind: budget.cap_chars for budget in _TOGETHER.budgets}
    reached = policy.fallback.kinds
    caps = [
        f"{budget.kind.value} {budget.cap_chars:,}"
        + ("" if budget.cap_chars == shipped[budget.kind] else f" (shipped: {shipped[budget.kind]:,})")
        for budget in policy.budgets
        if budget.kind in reached
    ]
    return (
        f"Policy: as shipped for {' and '.join(packs_of(frozenset(reached)))}, every intent reaching the kinds of the "
        f"folder. Characters of the context at most: {', '.join(caps)}; {policy.total_cap_chars:,} in all."
    )


def _shared_out(budgets: tuple[KindBudget, ...], kinds: Set[Kind], total: int) -> tuple[KindBudget, ...]:
    held = sum(budget.cap_chars for budget in budgets if budget.kind in kinds)
    if held >= total or not held:
        return budgets
    return tuple(
        replace(budget, cap_chars=budget.cap_chars * total // held) if budget.kind in kinds else budget
        for budget in budgets
    )
