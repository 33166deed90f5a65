"""Which period a number of a sentence is of, and with which it is compared."""

from __future__ import annotations

import datetime
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass

from apps.filings.periods import Period
from apps.filings.text.bindings import YearsBehind, bound_years
from apps.filings.text.dates import Date, read_dates
from apps.filings.text.mentions import mentions_of
from apps.filings.text.numbers import Number
from apps.filings.text.period_mentions import name_split_years_by_their_end, read_period_mentions
from apps.research.claims.contracts import When
from apps.research.claims.words import CALENDAR, PRIOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A period that a sentence names, and where."""

    start: int
    end: int
    when: When


def named_periods(sentence: str) -> tuple[Named, ...]:
    """Return the periods that a sentence spells out, left to right. A day with its year counts as the year it ends."""
    calendar = CALENDAR.search(sentence) is not None
    found = [
        Named(start=date.start, end=date.end, when=_of_day(date))
        for date in read_dates(sentence)
        if date.year is not None
    ]
    for named in read_period_mentions(name_split_years_by_their_end(sentence)).named:
        period = Period(fiscal_year=named.period.fiscal_year, fiscal_quarter=named.period.fiscal_quarter)
        for place in mentions_of(named.wording, sentence) or mentions_of(str(named.period.fiscal_year), sentence):
            if not any(place.start < other.end and other.start < place.end for other in found):
                when = When(period=period, calendar=calendar)
                found.append(Named(start=place.start, end=place.end, when=when))
    return tuple(sorted(found, key=lambda each: each.start))


def period_of(
    sentence: str, numbers: Sequence[Number], number: Number, named: Sequence[Named], behind: YearsBehind
) -> tuple[When, ...]:
    """Return the periods that a number may be of: the one that stands with it, or all that the sentence leaves open.

    Args: behind: the years behind the numbers.
    """
    years = bound_years(sentence, numbers, number, behind=behind)
    return tuple(dict.fromkeys(each.when for each in named if each.when.period.fiscal_year in years))


def year_before(when: When) -> When:
    """Return the same period of the year before."""
    period = Period(fiscal_year=when.period.fiscal_year - 1, fiscal_quarter=when.period.fiscal_quarter)
    day = when.ends_on
    last = monthrange(day.year - 1, day.month)[1] if day else 0
    earlier = day.replace(year=day.year - 1, day=min(day.day, last)) if day else None
    return When(period=period, ends_on=earlier, calendar=when.calendar)


def names_year_before(sentence: str, start: int, end: int) -> bool:
    return PRIOR.search(sentence, start, end) is not None


def _of_day(date: Date) -> When:
    year = date.year or 0
    day = min(date.day, monthrange(year, date.month)[1])
    return When(period=Period(fiscal_year=year), ends_on=datetime.date(year, date.month, day))
