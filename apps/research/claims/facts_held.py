"""The facts that a check may read, by company, measure and period. Series are those of apps/filings."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Final

from apps.filings.models import Fact
from apps.filings.selectors.series import Point, Series, stitch
from apps.filings.vocabulary.concepts import Period as Length
from apps.filings.vocabulary.concepts import concepts
from apps.research.claims.contracts import Claim, Operand, When

_DAYS_APART: Final = 7
"""A fiscal year of 52 or 53 weeks ends some days before or after the day by which it is called."""
_YEAR_END: Final = 12


_Name = tuple[str, str, str]
"""A company, and the concept of its facts or, of those that have none, what their row is called."""


class HeldFacts:
    """Args: facts: of documents in force, each with its document; those of parts of a group are told apart."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        by_name: dict[_Name, list[Fact]] = defaultdict(list)
        for fact in facts:
            by_name[fact.company, fact.concept, "" if fact.concept else fact.label.casefold()].append(fact)
        self._facts = by_name
        self._series: dict[_Name, list[Series]] = {}

    def series(self, company: str, claim: Claim) -> list[Series]:
        """Return the series of a claim's measure and part, of one company."""
        name = _name(company, claim)
        if name not in self._series:
            self._series[name] = stitch(company, self._facts.get(name, ()))
        return [
            each
            for each in self._series[name]
            if each.key.consolidated and each.key.dimension.casefold() == claim.part.casefold()
        ]

    def count(self, company: str, claim: Claim) -> int:
        """Return how many facts of a claim's measure there are, of all its periods and parts."""
        return len(self._facts.get(_name(company, claim), ()))


def _name(company: str, claim: Claim) -> _Name:
    return company, claim.concept, "" if claim.concept else claim.measure.casefold()


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One value of a period. latest: no later document gives another."""

    value: Decimal
    fact: Fact
    latest: bool


def points_of(series: Series, when: When) -> list[Point]:
    """Return the points of a period: one, unless lengths of periods leave it open."""
    wanted = when.period
    if when.ends_on is not None:
        found = [each for each in series.points if _ends(each, when.ends_on)]
        unknown = [each for each in series.points if each.fact.ends_on is None]
        found = found or [each for each in unknown if each.fiscal_year == wanted.fiscal_year]
    else:
        found = [each for each in series.points if each.fiscal_year == wanted.fiscal_year]
    of_quarter = [each for each in found if each.fiscal_quarter == wanted.fiscal_quarter]
    concept = concepts().get(series.key.concept)
    instant = concept is not None and concept.period is Length.INSTANT
    months = (0,) if instant else (3,) if wanted.fiscal_quarter else (12,)
    return [each for each in of_quarter if each.months in months] or of_quarter


def values_of(point: Point) -> tuple[Value, ...]:
    """Return the values that documents give for a period: the first, then what later ones restate."""
    found = [(point.value, point.fact), *((each.value, each.facts[0]) for each in point.restatements)]
    return tuple(
        Value(value=value, fact=fact, latest=number == len(found) - 1) for number, (value, fact) in enumerate(found)
    )


def is_calendar_year(point: Point) -> bool:
    """Return whether a year ends in December, as far as its end is known."""
    return point.fact.ends_on is None or point.fact.ends_on.month == _YEAR_END


def operand(fact: Fact) -> Operand:
    return Operand(
        company=fact.company,
        concept=fact.concept,
        label=fact.label,
        period=period_label(fact.fiscal_year, fact.fiscal_quarter),
        value=fact.value,
        printed=fact.printed,
        column=fact.column_heading,
        document_id=fact.document_id,
        document_title=fact.document.title,
        page=fact.page,
        row_start=fact.row_start,
        row_end=fact.row_end,
        cell_start=fact.cell_start,
        cell_end=fact.cell_end,
    )


def period_label(year: int, quarter: int) -> str:
    return f"Q{quarter} {year}" if quarter else f"FY{year}"


def labels_of(points: Sequence[Point]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(period_label(each.fiscal_year, each.fiscal_quarter) for each in points))


def _ends(point: Point, day: date) -> bool:
    return any(fact.ends_on is not None and abs((fact.ends_on - day).days) <= _DAYS_APART for fact in point.facts)
