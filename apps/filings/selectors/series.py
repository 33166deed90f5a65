"""A series: one concept of one company, a point for each period, each value with the documents that give it.

A document's own figure is never replaced by a later report's. Where they differ, the later one is a restatement and
stands beside it; where they agree, the later document is a further source.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import groupby
from typing import NamedTuple

from django.db.models import QuerySet

from apps.filings.contracts import CheckResult, FactUnit
from apps.filings.models import Fact
from apps.filings.selectors.facts import current_facts


class SeriesKey(NamedTuple):
    """What the facts of one series have in common. concept is empty for rows that the vocabulary does not know."""

    concept: str
    label: str
    dimension: str
    consolidated: bool
    unit: str
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restatement:
    """Another value of the same period in a later document. facts: all that give it, the earliest document first."""

    value: Decimal
    facts: tuple[Fact, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The value of one period.

    facts: those that give it, the first that of the earliest document: its own filing, unless that is not held.
    restatements: other values, in the order of the documents that give them.
    """

    fiscal_year: int
    fiscal_quarter: int
    months: int
    value: Decimal
    facts: tuple[Fact, ...]
    restatements: tuple[Restatement, ...] = ()

    @property
    def fact(self) -> Fact:
        return self.facts[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points are in the order of their periods."""

    company: str
    key: SeriesKey
    points: tuple[Point, ...]


def read_series(
    company: str, concept: str, *, dimension: str = "", consolidated: bool = True, quarters: bool = False
) -> tuple[Series, ...]:
    """Return the series of a concept; more than one where its documents give it in several units or currencies.

    Args: quarters: the quarters in place of the years.
    """
    facts = _of(company, quarters=quarters).filter(concept=concept, dimension=dimension, consolidated=consolidated)
    return tuple(stitch(company, facts))


def company_series(company: str, *, quarters: bool = False, statement: str = "") -> tuple[Series, ...]:
    """Return all series of a company's concepts, in the order in which its newest document prints them."""
    facts = _of(company, quarters=quarters).exclude(concept="").filter(consolidated=True)
    if statement:
        facts = facts.filter(statement=statement)
    found = stitch(company, facts)
    return tuple(sorted(found, key=_place))


def _of(company: str, *, quarters: bool) -> QuerySet[Fact]:
    facts = current_facts().filter(company=company).select_related("document")
    return facts.exclude(fiscal_quarter=0) if quarters else facts.filter(fiscal_quarter=0)


def stitch(company: str, facts: Iterable[Fact]) -> list[Series]:
    """Return the series of facts of one company. Each fact has its document with it."""
    by_key: dict[SeriesKey, list[Fact]] = {}
    for fact in facts:
        key = SeriesKey(
            concept=fact.concept,
            label="" if fact.concept else fact.label,
            dimension=fact.dimension,
            consolidated=fact.consolidated,
            unit=fact.unit,
            currency=fact.currency,
        )
        by_key.setdefault(key, []).append(fact)
    return [
        Series(company=company, key=key, points=tuple(_points(of_key)))
        for key, of_key in _join_unstated_currencies(by_key).items()
    ]


def _join_unstated_currencies(by_key: dict[SeriesKey, list[Fact]]) -> dict[SeriesKey, list[Fact]]:
    """Count facts that state no currency to the one series of the same concept that states one."""
    joined = dict(by_key)
    for key in by_key:
        if key.currency or key.unit not in (FactUnit.MONEY, FactUnit.PER_SHARE):
            continue
        others = [other for other in by_key if other.currency and other._replace(currency="") == key]
        if len(others) == 1:
            joined[others[0]] = [*joined[others[0]], *joined.pop(key)]
    return joined


def _points(facts: Sequence[Fact]) -> Iterable[Point]:
    ordered = sorted(facts, key=_period)
    for (year, quarter, months), of_period in groupby(ordered, key=_period):
        of_documents = _best_of_each_document(list(of_period))
        values: list[tuple[Decimal, list[Fact]]] = []
        for fact in of_documents:
            same = next((held for value, held in values if agree(fact, held[0])), None)
            if same is None:
                values.append((fact.value, [fact]))
            else:
                same.append(fact)
        (value, first), *others = values
        yield Point(
            fiscal_year=year,
            fiscal_quarter=quarter,
            months=months,
            value=value,
            facts=tuple(first),
            restatements=tuple(Restatement(value=other, facts=tuple(held)) for other, held in others),
        )


def _period(fact: Fact) -> tuple[int, int, int]:
    return fact.fiscal_year, fact.fiscal_quarter, fact.months


def _best_of_each_document(facts: Sequence[Fact]) -> list[Fact]:
    """Return one fact of each document, the earliest document first.

    A concept may stand in a statement and in notes: the statement counts first, then what passed its checks, then what
    was read with more confidence.
    """
    best: dict[object, Fact] = {}
    for fact in sorted(facts, key=_quality):
        best.setdefault(fact.document_id, fact)
    return sorted(best.values(), key=lambda fact: (_report_period(fact), fact.document.created_at, str(fact.id)))


def _quality(fact: Fact) -> tuple[bool, bool, Decimal, int]:
    return not fact.statement, fact.check_result == CheckResult.FAILED, -fact.confidence, fact.number


def _report_period(fact: Fact) -> tuple[int, int]:
    return fact.document.fiscal_year or 9999, fact.document.fiscal_quarter or 5


def agree(one: Fact, other: Fact) -> bool:
    """Return whether two facts give the same value, to the digits of the less exact one."""
    if one.value == other.value:
        return True
    exponents = [(fact.exponent or 0) - fact.decimals for fact in (one, other)]
    coarser = Decimal(1).scaleb(max(exponents))
    return exponents[0] != exponents[1] and abs(one.value - other.value) * 2 <= coarser


def _place(series: Series) -> tuple[bool, str, int, int, str]:
    newest = series.points[-1].fact
    return not newest.statement, newest.statement, newest.page, newest.number, series.key.dimension
