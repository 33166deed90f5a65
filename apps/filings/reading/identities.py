"""Check what must hold in every statement, whatever rows it has.

An identity fails only where its rows stand side by side, or where nothing may stand between them: a balance sheet
balances. Elsewhere a row that the vocabulary does not know may explain the difference.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.filings.contracts import ReadFact
from apps.filings.reading.sums import tolerance_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A sum that holds or fails: the places of its figures in the column, and the sum in words."""

    places: tuple[int, ...]
    holds: bool
    detail: str


_FLOWS: Final = ("operating cash flow", "investing cash flow", "financing cash flow")
_OWNERS: Final = ("profit attributable to owners of the parent", "net income available to common shareholders")


def check_identities(facts: Sequence[ReadFact], statement: str) -> Iterator[Finding]:
    """Yield the identities of one column of a statement that can be told to hold or to fail."""
    column = _Column(facts)
    if statement == Statement.BALANCE_SHEET:
        yield from _check_balance(column)
    elif statement == Statement.CASH_FLOW_STATEMENT:
        yield from _check_cash(column)
    elif statement == Statement.INCOME_STATEMENT:
        yield from _check_results(column)


class _Column:
    """The figures of a column by their concepts."""

    def __init__(self, facts: Sequence[ReadFact]) -> None:
        self.facts = facts
        self._places: dict[str, list[int]] = {}
        for place, fact in enumerate(facts):
            if fact.concept:
                self._places.setdefault(fact.concept, []).append(place)

    def find(self, *concepts: str) -> tuple[int, ...] | None:
        """Return the place of each concept; None if one is missing or printed twice with different values."""
        found: list[int] = []
        for concept in concepts:
            places = self._places.get(concept, [])
            if len({self.facts[each].value for each in places}) != 1:
                return None
            found.append(places[-1])
        return tuple(found)

    def value(self, place: int) -> Decimal:
        return self.facts[place].value

    def is_near(self, first: Decimal, second: Decimal, places: Sequence[int]) -> bool:
        return abs(first - second) <= tolerance_of([self.facts[each] for each in places], len(places))

    def in_words(self, place: int) -> str:
        fact = self.facts[place]
        return f"{fact.label or fact.concept} {fact.printed}"


def _check_balance(column: _Column) -> Iterator[Finding]:
    if both := column.find("total assets", "total liabilities and equity"):
        assets, claims = both
        holds = column.is_near(column.value(assets), column.value(claims), both)
        yield _finding(column, both, holds, "=", "equals" if holds else "does not equal")
    for total, *parts in (
        ("total liabilities and equity", "total liabilities", "equity"),
        ("total liabilities and equity", "total liabilities", "redeemable non-controlling interests", "equity"),
        ("total assets", "current assets", "non-current assets"),
        ("total liabilities", "current liabilities", "non-current liabilities"),
    ):
        places = column.find(total, *parts)
        if places is None:
            continue
        added = sum((column.value(each) for each in places[1:]), Decimal(0))
        holds = column.is_near(column.value(places[0]), added, places)
        # Assets held for sale stand apart in some balance sheets, and equity may have its minorities apart.
        if holds or (
            len(places) == 3 and total == "total assets" and places[0] == places[2] + 1 and _no_rows(column, places)
        ):
            yield _finding(column, places, holds, "+", "equals" if holds else "does not equal")


def _no_rows(column: _Column, places: tuple[int, ...]) -> bool:
    """Return whether the rows between the two parts of a total are those of the second part: it has its own heading."""
    return all(column.facts[each].group for each in range(places[1] + 1, places[2]))


def _check_cash(column: _Column) -> Iterator[Finding]:
    fx = column.find("effect of exchange rates on cash")
    rate = column.value(fx[0]) if fx is not None else Decimal(0)
    if places := column.find("net change in cash", "cash at beginning of period", "cash at end of period"):
        change, begins, ends = (column.value(each) for each in places)
        holds = any(column.is_near(begins + change + more, ends, places) for more in (Decimal(0), rate))
        if holds or max(places) - min(places) == 2:
            yield _finding(
                column, (places[2], places[1], places[0]), holds, "+", "equals" if holds else "does not equal"
            )
    if flows := column.find("net change in cash", *_FLOWS):
        added = sum((column.value(each) for each in flows[1:]), Decimal(0))
        change = column.value(flows[0])
        holds = any(column.is_near(added + more, change, flows) for more in (Decimal(0), rate))
        between = set(range(flows[3] + 1, flows[0])) - set(fx or ())
        if holds or not between:
            yield _finding(column, flows, holds, "+", "equals" if holds else "does not equal")


def _check_results(column: _Column) -> Iterator[Finding]:
    if places := column.find("gross profit", "revenue", "cost of goods sold"):
        profit, revenue, cost = places
        holds = column.is_near(column.value(revenue) - abs(column.value(cost)), column.value(profit), places)
        if holds or (cost == revenue + 1 and profit == cost + 1):
            yield _finding(column, places, holds, "-", "equals" if holds else "does not equal")
    for owners in _OWNERS:
        places = column.find(owners, "net income", "profit attributable to non-controlling interests")
        if places is None:
            continue
        mine, all_of_it, minority = (column.value(each) for each in places)
        holds = any(column.is_near(all_of_it + each, mine, places) for each in (minority, -minority))
        if holds or max(places) - min(places) == 2:
            yield _finding(column, places, holds, "-", "equals" if holds else "does not equal")


def _finding(column: _Column, places: tuple[int, ...], holds: bool, sign: str, verb: str) -> Finding:
    parts = f" {sign} ".join(column.in_words(each) for each in places[1:])
    return Finding(places=places, holds=holds, detail=f"{column.in_words(places[0])} {verb} {parts}")
