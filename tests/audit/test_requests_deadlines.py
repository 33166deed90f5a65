"""How the months are counted: by hand for what is known, over every receipt date of four years, and by PostgreSQL."""

from __future__ import annotations

import calendar
from datetime import UTC, date, datetime, timedelta
from itertools import pairwise

import pytest
from django.db import connection

from apps.privacy.requests.deadlines import (
    days_left,
    extended_deadline,
    first_deadline,
    left_in_words,
    may_extend_on,
    months_after,
    received_date,
)

# A leap year in them.
DAYS = [date(2025, 1, 1) + timedelta(days=number) for number in range(4 * 365 + 1)]


@pytest.mark.parametrize(
    ("received", "ends", "due"),
    [
        (date(2025, 1, 31), date(2025, 2, 28), date(2025, 2, 28)),
        (date(2028, 1, 31), date(2028, 2, 29), date(2028, 2, 29)),
        (date(2026, 3, 31), date(2026, 4, 30), date(2026, 4, 30)),
        (date(2025, 12, 31), date(2026, 1, 31), date(2026, 2, 2)),  # a Saturday
        (date(2026, 1, 1), date(2026, 2, 1), date(2026, 2, 2)),  # a Sunday
        (date(2026, 11, 22), date(2026, 12, 22), date(2026, 12, 22)),
    ],
)
def test_one_calendar_month_clamped_and_off_the_weekend(received: date, ends: date, due: date) -> None:
    found = first_deadline(received)
    assert (found.ends_on, found.due_on, found.is_moved) == (ends, due, ends != due)


def test_an_extension_counts_from_receipt_so_that_a_short_month_costs_nothing() -> None:
    assert first_deadline(date(2026, 1, 31)).ends_on == date(2026, 2, 28)
    assert extended_deadline(date(2026, 1, 31)).ends_on == date(2026, 4, 30)
    assert extended_deadline(date(2026, 11, 30)).ends_on == date(2027, 2, 28)


@pytest.mark.parametrize("months", [1, 3])
def test_over_four_years_the_month_is_the_next_one_and_the_day_the_same_or_the_last(months: int) -> None:
    for received in DAYS:
        ends = months_after(received, months)
        assert (ends.year * 12 + ends.month) - (received.year * 12 + received.month) == months
        last = calendar.monthrange(ends.year, ends.month)[1]
        assert ends.day == min(received.day, last)


def test_over_four_years_nothing_is_due_on_a_weekend_or_moved_further_than_a_monday() -> None:
    for received in DAYS:
        for found in (first_deadline(received), extended_deadline(received)):
            assert found.due_on.weekday() < 5
            assert 0 <= (found.due_on - found.ends_on).days <= 2
            assert not found.is_moved or (found.ends_on.weekday() >= 5 and found.due_on.weekday() == 0)


def test_over_four_years_whoever_asks_later_is_never_answered_earlier() -> None:
    for before, after in pairwise(DAYS):
        assert first_deadline(before).due_on <= first_deadline(after).due_on
        assert first_deadline(before).due_on < extended_deadline(before).due_on


def test_over_four_years_an_extension_is_possible_to_the_last_day_and_not_on_the_next() -> None:
    for received in DAYS:
        due = first_deadline(received).due_on
        assert may_extend_on(received, received)
        assert may_extend_on(received, due)
        assert not may_extend_on(received, due + timedelta(days=1))


@pytest.mark.django_db
def test_over_four_years_postgresql_counts_the_same() -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT day, audit_request_due(day, 1), audit_request_due(day, 3) FROM unnest(%s::date[]) AS day", [DAYS]
        )
        found = cursor.fetchall()
    assert found == [(day, first_deadline(day).due_on, extended_deadline(day).due_on) for day in DAYS]


@pytest.mark.parametrize(
    ("zone", "expected"),
    [("UTC", date(2026, 1, 31)), ("Europe/Berlin", date(2026, 2, 1)), ("America/New_York", date(2026, 1, 31))],
)
def test_the_day_of_receipt_is_that_of_the_place(zone: str, expected: date) -> None:
    assert received_date(datetime(2026, 1, 31, 23, 30, tzinfo=UTC), zone) == expected


@pytest.mark.parametrize(
    ("days", "words"),
    [
        (12, "12 days left"),
        (1, "1 day left"),
        (0, "due today"),
        (-1, "overdue by 1 day"),
        (-30, "overdue by 30 days"),
    ],
)
def test_the_time_left_is_said_in_words(days: int, words: str) -> None:
    due = date(2026, 6, 15)
    assert left_in_words(days_left(due, due - timedelta(days=days))) == words
