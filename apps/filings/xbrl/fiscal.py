"""The fiscal year and quarter of a period, told from the year that the filing says it is about."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from math import ceil
from typing import Any, Final

from apps.filings.periods import Period
from apps.filings.xbrl.contexts import Context
from apps.filings.xbrl.markup import canonical_name, element_names

_YEAR_DAYS: Final = 365.25
_MONTH_DAYS: Final = 30.4375
# A year of 52 or 53 weeks ends up to six days from its anniversary, and drifts by a few more over the years shown.
_TOLERANCE_DAYS: Final = 12
_FULL_YEAR_MONTHS: Final = range(11, 14)
_EARLY_JANUARY: Final = 9
_FIRST_HALF: Final = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class FiscalCalendar:
    """When a fiscal year ends: the days of others count from it."""

    fiscal_year: int
    ends_on: date

    def period_of(self, context: Context) -> Period:
        """Return the fiscal year and quarter of a context. The whole year, and the day that ends it, have quarter 0."""
        behind = (context.ends_on - self.ends_on).days
        years = ceil((behind - _TOLERANCE_DAYS) / _YEAR_DAYS)
        fiscal_year = self.fiscal_year + years
        days_left = years * _YEAR_DAYS - behind
        quarter = 4 - round(days_left / (_YEAR_DAYS / 4))
        months = months_of(context)
        if quarter >= 4 and (months == 0 or months >= _FULL_YEAR_MONTHS.start):
            quarter = 0
        return Period(fiscal_year=fiscal_year, fiscal_quarter=max(quarter, 0))


def months_of(context: Context) -> int:
    """Return how long a context's period is, in months; 0 for an instant. Thirteen weeks are three months."""
    if context.starts_on is None:
        return 0
    return max(1, round(((context.ends_on - context.starts_on).days + 1) / _MONTH_DAYS))


def read_calendar(
    root: Any, contexts: Mapping[str, Context], prefixes: Mapping[str, str], used: Iterable[Context], year: int | None
) -> FiscalCalendar | None:
    """Return the calendar that the filing states on its cover, or else the one that its periods show.

    Args:    used: the contexts of all facts, once for each fact. year: which the document is known to be about.
    Returns: None if no fact has a period.
    """
    focus, quarter, cover = _read_cover(root, contexts, prefixes)
    counted = Counter(used)
    if cover is not None:
        ends_on = cover.ends_on + timedelta(days=round((4 - quarter) * _YEAR_DAYS / 4)) if quarter else cover.ends_on
        if quarter and cover.starts_on is not None:
            # The cover of a quarterly report runs from the start of the year, which tells its end to the day.
            year_to_date = abs(months_of(cover) - 3 * quarter) <= 1
            ends_on = cover.starts_on + timedelta(days=364) if year_to_date else ends_on
        if focus is not None and abs(focus - ends_on.year) <= 1:
            return FiscalCalendar(fiscal_year=focus, ends_on=ends_on)
        return FiscalCalendar(fiscal_year=_stated(year, ends_on), ends_on=ends_on)
    annual = {each: count for each, count in counted.items() if months_of(each) in _FULL_YEAR_MONTHS}
    ends: Counter[date] = Counter()
    for each, count in (annual or counted).items():
        ends[each.ends_on] += count
    if not ends:
        return None
    # The year under report is the latest that has many facts; a subsequent event is later, and has few.
    most = max(ends.values())
    ends_on = max(day for day, count in ends.items() if 3 * count >= most)
    return FiscalCalendar(fiscal_year=_stated(year, ends_on), ends_on=ends_on)


def _stated(year: int | None, ends_on: date) -> int:
    """Return the year that a document is known to be about if a fiscal year of that name can end on a day.

    Only a year that ends in its first half may be called by the year in which it began.
    """
    natural = ends_on.year - 1 if ends_on.month == 1 and ends_on.day <= _EARLY_JANUARY else ends_on.year
    possible = {ends_on.year, ends_on.year - 1} if ends_on.month <= _FIRST_HALF else {natural}
    return year if year in possible else natural


def _read_cover(
    root: Any, contexts: Mapping[str, Context], prefixes: Mapping[str, str]
) -> tuple[int | None, int, Context | None]:
    """Return the year and the quarter (0 for a whole year) of the cover, and the context they are stated in."""
    focus: int | None = None
    quarter = 0
    cover: Context | None = None
    for element in root.iter(*element_names(prefixes, "ix", "nonnumeric")):
        name = canonical_name(element.get("name") or "", prefixes)
        if name == "dei:DocumentFiscalYearFocus":
            said = re.search(r"(?:19|20)\d\d", element.text_content()[:40])
            focus = int(said.group()) if said else focus
            cover = contexts.get(element.get("contextref") or "", cover)
        elif name == "dei:DocumentFiscalPeriodFocus":
            said = re.search(r"Q([1-4])", element.text_content()[:40])
            quarter = int(said[1]) if said else 0
            cover = cover or contexts.get(element.get("contextref") or "")
    return focus, quarter, cover
