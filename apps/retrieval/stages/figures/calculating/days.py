"""Which day's balances a question asks for: "at March 31, 2021", "at the end of June 2023", "mid-2023"."""

from __future__ import annotations

import calendar
import re
from datetime import date
from typing import Final

from apps.filings.text.dates import MONTH, month_number, read_dates

_END_OF_MONTH: Final = re.compile(
    rf"\b(?:end[\s-](?:of[\s-])?|late\s+|(?:per\s+|zum\s+)?ende\s+){MONTH}\s+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE
)
_MID_YEAR: Final = re.compile(r"\b(?:mid|mitte)[\s-]+(?P<year>(?:19|20)\d\d)\b", re.IGNORECASE)
_NEAR_DAYS: Final = 6
"""Fiscal years of weeks end on a weekday near the end of a month."""


def asked_day(question: str) -> date | None:
    """Return the one day that a question names; None if it names none, or several."""
    days = set()
    for each in read_dates(question):
        try:
            days.add(date(each.year or 0, each.month, each.day))
        except ValueError:
            return None
    for found in _END_OF_MONTH.finditer(question):
        year, month = int(found["year"]), month_number(found["month"])
        days.add(date(year, month, calendar.monthrange(year, month)[1]))
    days.update(date(int(found["year"]), 6, 30) for found in _MID_YEAR.finditer(question))
    return next(iter(days)) if len(days) == 1 else None


def is_near(day: date, other: date) -> bool:
    """Return whether a balance of one day is that of the other."""
    return abs((day - other).days) <= _NEAR_DAYS
