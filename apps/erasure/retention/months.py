"""Periods in months, by the day: they end with the last hour of their last day (UTC)."""

from __future__ import annotations

from calendar import monthrange
from datetime import UTC, date, datetime, time, timedelta


def add_months(day: date, months: int) -> date:
    """So many months later; at the month's end where that month has no such day: 31 January + 1 is 28 February."""
    year, month0 = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month0 + 1, min(day.day, _last(year, month0 + 1)))


def latest_start(today: date, months: int) -> date:
    """The latest day on which a period of so many months can have begun that is over today.

    Exactly: `add_months(day, months) < today` holds for this day and every one before it, and for none after it.
    """
    yesterday = today - timedelta(days=1)
    start = add_months(yesterday, -months)
    if yesterday.day == _last(yesterday.year, yesterday.month):
        # Every later day of that month was brought forward to yesterday, the last there is.
        start = start.replace(day=max(start.day, _last(start.year, start.month)))
    return start


def begun_before(today: date, months: int) -> datetime:
    """The first instant (UTC) at which a period can have begun that is not over today."""
    return datetime.combine(latest_start(today, months) + timedelta(days=1), time.min, tzinfo=UTC)


def in_words(months: int) -> str:
    """84 -> "7 years", 18 -> "18 months"."""
    if months and months % 12 == 0:
        years = months // 12
        return "1 year" if years == 1 else f"{years} years"
    return "1 month" if months == 1 else f"{months} months"


def _last(year: int, month: int) -> int:
    return monthrange(year, month)[1]
