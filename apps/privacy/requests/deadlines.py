"""By when a request must be answered. Pure: dates in, dates out.

Article 12(3) GDPR: within one month of receipt, and two further months where that is necessary, told to the person with
the reasons within the first. How a month is counted is Regulation (EEC, Euratom) 1182/71, Article 3: the day of receipt
does not count; the month ends with the day of the same number, and where there is none, with the last day of that
month.

Two choices of ours, which the screens show:

- Where the last day is a Saturday or a Sunday, the period ends with the Monday after it (Article 3(4)). Public holidays
  differ by country and are not taken account of: the date given is the stricter one.
- The clock does not stop while the person is asked for proof of identity (Article 12(6)). The EDPB's Guidelines 01/2022
  (numbers 157 to 159) let it rest where the question was asked without undue delay and is justified; whether it was is
  for a person to argue, and a list that stops a clock by a click hides what is overdue. The days that the question was
  open are counted and shown beside the deadline.
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
    """ends_on: the last day of the months as they are counted. due_on: the same, or the next working day."""

    ends_on: date
    due_on: date

    @property
    def is_moved(self) -> bool:
        return self.due_on != self.ends_on


def received_date(received_at: datetime, zone: str) -> date:
    """The day of receipt where the firm is: 23:30 UTC on the 31st is the 1st in Berlin."""
    return received_at.astimezone(ZoneInfo(zone)).date()


def first_deadline(received_on: date) -> Deadline:
    return _deadline(received_on, FIRST_MONTHS)


def extended_deadline(received_on: date) -> Deadline:
    """Two further months, counted from receipt: what was clamped in a short month is not lost for good."""
    return _deadline(received_on, FIRST_MONTHS + FURTHER_MONTHS)


def deadline(received_on: date, *, extended: bool) -> Deadline:
    return extended_deadline(received_on) if extended else first_deadline(received_on)


def may_extend_on(received_on: date, today: date) -> bool:
    """Whether a notice of extension that goes out today is within the first month."""
    return today <= first_deadline(received_on).due_on


def days_left(due_on: date, today: date) -> int:
    """0 on the last day; negative once it is over."""
    return (due_on - today).days


def left_in_words(days: int) -> str:
    if days < 0:
        return f"overdue by {-days} day{'s' * (days != -1)}"
    return "due today" if days == 0 else f"{days} day{'s' * (days != 1)} left"


def months_after(day: date, months: int) -> date:
    """The same day so many months later, or the last of that month."""
    year, month = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def working_day(day: date) -> date:
    """The day itself, or the Monday after its weekend."""
    return day + timedelta(days=7 - day.weekday()) if day.weekday() >= _SATURDAY else day


def _deadline(received_on: date, months: int) -> Deadline:
    ends_on = months_after(received_on, months)
    return Deadline(ends_on=ends_on, due_on=working_day(ends_on))
