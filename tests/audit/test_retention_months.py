"""Periods in months, by the day."""

from __future__ import annotations

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.erasure.retention.months import add_months, begun_before, in_words, latest_start

days = st.dates(min_value=date(1970, 1, 1), max_value=date(2200, 12, 31))
months = st.integers(min_value=0, max_value=600)


@pytest.mark.parametrize(
    ("day", "later", "expected"),
    [
        (date(2025, 1, 31), 1, date(2025, 2, 28)),
        (date(2024, 1, 31), 1, date(2024, 2, 29)),
        (date(2024, 2, 29), 12, date(2025, 2, 28)),
        (date(2024, 2, 29), 48, date(2028, 2, 29)),
        (date(2025, 11, 30), 3, date(2026, 2, 28)),
        (date(2025, 12, 31), 0, date(2025, 12, 31)),
        (date(2026, 3, 31), -1, date(2026, 2, 28)),
    ],
)
def test_a_month_without_that_day_ends_the_period_at_its_own_end(day: date, later: int, expected: date) -> None:
    assert add_months(day, later) == expected


@given(day=days, later=months)
def test_no_period_ends_in_another_month_than_it_should(day: date, later: int) -> None:
    end = add_months(day, later)
    assert (end.year * 12 + end.month) - (day.year * 12 + day.month) == later
    assert end.day <= day.day


@given(today=days, later=months, shift=st.integers(min_value=-70, max_value=70))
def test_what_is_over_today_is_what_began_no_later_than_the_latest_start(today: date, later: int, shift: int) -> None:
    latest = latest_start(today, later)
    started = date.fromordinal(latest.toordinal() + shift)
    assert (add_months(started, later) < today) == (started <= latest)


@given(today=days, later=months)
def test_what_began_on_a_later_day_is_never_over_earlier(today: date, later: int) -> None:
    assert add_months(today, later) <= add_months(date.fromordinal(today.toordinal() + 1), later)


def test_a_period_lasts_through_the_last_hour_of_its_last_day() -> None:
    started = datetime(2019, 11, 22, 23, 59, tzinfo=UTC)
    assert started >= begun_before(date(2026, 11, 22), 84)
    assert started < begun_before(date(2026, 11, 23), 84)


@pytest.mark.parametrize(
    ("count", "words"), [(84, "7 years"), (12, "1 year"), (18, "18 months"), (1, "1 month"), (0, "0 months")]
)
def test_months_read_as_years_where_they_are(count: int, words: str) -> None:
    assert in_words(count) == words
