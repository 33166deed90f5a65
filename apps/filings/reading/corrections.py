"""Put a sign or a scale right that was misread, where a sum proves what it should be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Final

from apps.filings.contracts import CheckResult, FactUnit, ReadFact
from apps.filings.reading.agreement import rounding_of
from apps.filings.reading.sums import FoundSum

_RESULTS: Final = (
    "net income available to common shareholders",
    "profit attributable to owners of the parent",
    "net income",
)
_FLOWS: Final = frozenset({"operating cash flow", "investing cash flow", "financing cash flow"})
_NAMED_BY_SUMS: Final = Decimal("0.8")
_NEAR: Final = Decimal("0.02")
_POWERS: Final = (0, 3, -3, 6, -6)


def put_scale_right(facts: Sequence[ReadFact]) -> list[ReadFact]:
    """Return the facts of a column, the shares scaled as the result per share shows.

    A result divided by the shares is the result per share. That proves all three figures, or the power of ten by which
    the shares are off.
    """
    fixed = list(facts)
    for kind in ("basic", "diluted"):
        per_share = _place(facts, f"{kind} earnings per share")
        shares = _place(facts, f"weighted average {kind} shares")
        if (
            per_share is None
            or shares is None
            or abs(facts[per_share].value) < Decimal("0.2")
            or not facts[shares].value
        ):
            continue
        for name in _RESULTS:
            result = _place(facts, name)
            if result is None or not facts[result].value:
                continue
            implied = facts[per_share].value * facts[shares].value
            power = next((each for each in _POWERS if _is_near(implied.scaleb(each), facts[result].value)), None)
            if power is not None:
                _prove(fixed, per_share, shares, result, power)
                break
    return fixed


def put_sign_right(money: Sequence[ReadFact], sums: Sequence[FoundSum]) -> list[ReadFact] | None:
    """Return a column of cash flows with one sign turned that makes a total hold; None if none, or several, would."""
    proven = {each.total for each in sums}
    parts = {part for each in sums for part in each.parts}
    for at, fact in enumerate(money):
        if fact.concept not in _FLOWS or at in proven:
            continue
        start = next((each + 1 for each in range(at - 1, -1, -1) if money[each].concept in _FLOWS), 0)
        rows = [each for each in range(start, at) if each not in parts]
        off = sum((money[each].value for each in rows), Decimal(0)) - fact.value
        turned = [each for each in rows if money[each].value and 2 * money[each].value == off]
        if len(turned) == 1 and len(rows) > 1 and abs(off) > 10 * rounding_of(fact):
            right = list(money)
            detail = f"The sign is turned: only so do the rows above add up to {fact.label} {fact.printed}"
            row = money[turned[0]]
            right[turned[0]] = replace(row, value=-row.value, check_detail=detail)
            return right
    return None


def name_unnamed_totals(money: Sequence[ReadFact], sums: Sequence[FoundSum]) -> list[ReadFact]:
    """Return the column of a balance sheet, its two totals named where it prints them without a label.

    They are the largest figures of the column, equal, and the sums of what stands above each.
    """
    named = list(money)
    largest = max((fact.value for fact in money), default=Decimal(0))
    totals = [at for at, fact in enumerate(money) if fact.value == largest]
    proven = {each.total for each in sums}
    if len(totals) != 2 or not proven.issuperset(totals) or largest <= 0:
        return named
    for at, concept in zip(totals, ("total assets", "total liabilities and equity"), strict=True):
        if not named[at].label and not named[at].concept:
            named[at] = replace(named[at], concept=concept, confidence=_NAMED_BY_SUMS)
    return named


def _place(facts: Sequence[ReadFact], concept: str) -> int | None:
    places = [place for place, fact in enumerate(facts) if fact.concept == concept]
    return places[0] if len(places) == 1 else None


def _is_near(first: Decimal, second: Decimal) -> bool:
    return abs(first - second) <= abs(second) * _NEAR


def _prove(facts: list[ReadFact], per_share: int, shares: int, result: int, power: int) -> None:
    detail = f"{facts[result].label} divided by {facts[shares].label} shares is {facts[per_share].printed} per share"
    fact = facts[shares]
    if power:
        detail = f"{detail}; the shares are scaled by a power of {power}, which only so holds"
        facts[shares] = replace(fact, value=fact.value * Decimal(10) ** power, exponent=(fact.exponent or 0) + power)
    for place in (per_share, shares):
        if facts[place].unit in (FactUnit.PER_SHARE, FactUnit.SHARES):
            facts[place] = replace(facts[place], check=CheckResult.PASSED, check_detail=detail)
