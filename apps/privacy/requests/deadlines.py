"""Compute the date by which a request must be answered. Pure: dates in, dates out.

Article 12(3) GDPR: the firm answers within one month of receipt. Where necessary it may take two further months, if it
tells the person so, with the reasons, within the first month. Regulation (EEC, Euratom) 1182/71, Article 3, says how a
month is counted: the day of receipt does not count; the month ends with the day of the same number or, where there is
no such day, with the last day of that month.

We made two choices, which the screens show:

- Where the last day is a Saturday or a Sunday, the period ends with the following Monday (Article 3(4)). Public
  holidays differ by country and are ignored, so the date given is the stricter one.
- The clock does not stop while the person is asked for proof of identity (Article 12(6)). The EDPB's Guidelines 01/2022
  (numbers 157 to 159) let it stop where the question was asked without undue delay and is justified. Whether it was is
  for a person to argue, and a list that stops the clock at a click hides what is overdue. The days on which the
  question was open are counted and shown beside the deadline.
"""

from __future__ import annotations

import calendar
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

FIRST_MONTHS: Final = 1
FURTHER_MONTHS: Final = 2
_SATURDAY: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """The end of a period. ends_on: the last day of the counted months. due_on: that day, or the next working day."""

    ends_on: date
    due_on: date

    @property
    def is_moved(self) -> bool:
        return self.due_on != self.ends_on


def received_date(received_at: datetime, zone: str) -> date:
    """Return the day of receipt in the firm's time zone: 23:30 UTC on the 31st is the 1st in Berlin."""
    return received_at.astimezone(ZoneInfo(zone)).date()


def first_deadline(received_on: date) -> Deadline:
    return _deadline(received_on, FIRST_MONTHS)


def extended_deadline(received_on: date) -> Deadline:
    """Return the deadline with the two further months.

    All three months are counted from receipt, so that the days cut off by a short first month are not lost.
    """
    return _deadline(received_on, FIRST_MONTHS + FURTHER_MONTHS)


def deadline(received_on: date, *, extended: bool) -> Deadline:
    return extended_deadline(received_on) if extended else first_deadline(received_on)


def may_extend_on(received_on: date, today: date) -> bool:
    """Return whether a notice of extension that goes out today is within the first month."""
    return today <= first_deadline(received_on).due_on


def days_left(due_on: date, today: date) -> int:
    """Return the number of days left: 0 on the last day, negative after it."""
    return (due_on - today).days


def left_in_words(days: int) -> str:
    if days < 0:
        return f"overdue by {-days} day{'s' * (days != -1)}"
    return "due today" if days == 0 else f"{days} day{'s' * (days != 1)} left"


def months_after(day: date, months: int) -> date:
    """Return the same day `months` months later, or the last day of that month where it has no such day."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def working_day(day: date) -> date:
    """Return the day itself, or the following Monday where the day is on a weekend."""
    return day + timedelta(days=7 - day.weekday()) if day.weekday() >= _SATURDAY else day


def _deadline(received_on: date, months: int) -> Deadline:
    ends_on = months_after(received_on, months)
    return Deadline(ends_on=ends_on, due_on=working_day(ends_on))
