"""Turn what headings say of periods into fiscal years, quarters and days, by the fiscal year of the document."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from apps.filings.reading.headings import ColumnPeriod

_DAYS_A_MONTH: Final = 365.25 / 12
_FURTHEST_YEARS: Final = 2
_FURTHEST_DAYS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class FactPeriod:
    """The period of a fact, as ReadFact has it."""

    starts_on: date | None
    ends_on: date | None
    fiscal_year: int
    fiscal_quarter: int
    months: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalCalendar:
    """When the fiscal years of a document's company end.

    anchor: a day on which a quarter ended; year, quarter: which one it was.
    years_off: what is added to a year that is named alone: retailers head the fiscal year 2024 with "2025".
    """

    anchor: date | None
    year: int
    quarter: int
    years_off: int = 0

    def find_quarter(self, day: date) -> tuple[int, int]:
        """Return the fiscal year and quarter (1 to 4) that ended on a day, or next to it."""
        if self.anchor is None:
            return day.year, min(4, (day.month + 2) // 3)
        passed = round((day - self.anchor).days / _DAYS_A_MONTH / 3)
        index = self.year * 4 + (self.quarter or 4) - 1 + passed
        return index // 4, index % 4 + 1

    def is_near_quarter(self, day: date) -> bool:
        """Return whether a day is the end of a quarter, or so near to it that retailers end theirs there."""
        if self.anchor is None:
            return True
        months = (day - self.anchor).days / _DAYS_A_MONTH
        return abs(months - 3 * round(months / 3)) * _DAYS_A_MONTH <= _FURTHEST_DAYS

    def find_end(self, year: int, quarter: int) -> date | None:
        """Return the day on which a fiscal quarter ended, if the company's quarters end with a month."""
        if self.anchor is None or not _ends_a_month(self.anchor):
            return None
        months = ((year - self.year) * 4 + quarter - (self.quarter or 4)) * 3
        return _add_months(self.anchor, months)


def read_calendar(
    periods: Iterable[ColumnPeriod], *, fiscal_year: int | None, fiscal_quarter: int | None
) -> FiscalCalendar:
    """Read the calendar from the headings of a document's statements.

    The newest column of a document is of the fiscal period of the document, whatever its calendar year.
    """
    known = list(periods)
    days = [day for each in known if each.is_dated and (day := _day(each)) is not None]
    newest = max(days, default=None)
    years = [each.year for each in known if each.year is not None]
    latest = newest.year if newest is not None else max(years, default=0)
    quarter = fiscal_quarter or 4
    if fiscal_year is None or (latest and abs(latest - fiscal_year) > _FURTHEST_YEARS - 1):
        return FiscalCalendar(anchor=newest, year=latest, quarter=quarter)
    if newest is not None:
        return FiscalCalendar(anchor=newest, year=fiscal_year, quarter=quarter)
    return FiscalCalendar(
        anchor=None, year=fiscal_year, quarter=quarter, years_off=fiscal_year - latest if latest else 0
    )


def place_period(
    said: ColumnPeriod, calendar: FiscalCalendar, *, is_instant: bool, default_months: int
) -> FactPeriod | None:
    """Return the period of a column's figures; None if its year cannot be told."""
    if said.year is None:
        return None
    months = 0 if is_instant else said.months or default_months
    day = _day(said) if said.month and not said.quarter else None
    if day is not None:
        year, quarter = calendar.find_quarter(day)
    else:
        year = said.year + (0 if said.named_fiscal else calendar.years_off)
        quarter = said.quarter or (_quarter_of_months(months, calendar) if months != 12 else 4)
        day = calendar.find_end(year, quarter)
    whole = quarter == 4 and (months in (0, 12))
    return FactPeriod(
        starts_on=_start(day, months, said.weeks) if day is not None and months else None,
        ends_on=day,
        fiscal_year=year,
        fiscal_quarter=0 if whole else quarter,
        months=months,
    )


def at_beginning(period: FactPeriod, months: int) -> FactPeriod:
    """Return the instant at which a flow of so many months began, for "cash at the beginning of the year"."""
    index = period.fiscal_year * 4 + (period.fiscal_quarter or 4) - 1 - months // 3
    quarter = index % 4 + 1
    start = _start(period.ends_on, months, 0) if period.ends_on is not None else None
    return FactPeriod(
        starts_on=None,
        ends_on=start - timedelta(days=1) if start is not None else None,
        fiscal_year=index // 4,
        fiscal_quarter=0 if quarter == 4 else quarter,
        months=0,
    )


def _quarter_of_months(months: int, calendar: FiscalCalendar) -> int:
    if months in (6, 9):
        return months // 3
    return calendar.quarter or 4


def _day(said: ColumnPeriod) -> date | None:
    if said.year is None or not said.month:
        return None
    return date(said.year, said.month, min(said.day or 31, monthrange(said.year, said.month)[1]))


def _ends_a_month(day: date) -> bool:
    return (day + timedelta(days=1)).month != day.month


def _add_months(day: date, months: int) -> date | None:
    """Return the last day of the month so many months later."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, monthrange(year, month + 1)[1]) if 1 <= year <= 9999 else None


def _start(end: date, months: int, weeks: int) -> date | None:
    """Return the first day of a period: of a month where it ends a month, else counted in weeks."""
    if _ends_a_month(end):
        before = _add_months(end, -months)
        return before + timedelta(days=1) if before is not None else None
    return end - timedelta(days=7 * (weeks or round(months * 52 / 12)) - 1)
