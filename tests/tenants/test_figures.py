"""Figures in comparing sentences differ as the numbers do."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.tenants.figures import shares_told_apart, told_apart


@pytest.mark.parametrize(
    ("less", "more", "told"),
    [
        (0.2, 0.35, ("0.20", "0.35")),
        (0.3467, 0.35, ("0.347", "0.35")),
        (0.349_999, 0.35, ("0.349999", "0.35")),
        (0.35, 0.3512, ("0.350", "0.351")),
        (0.35, 0.35, ("0.35", "0.35")),
    ],
)
def test_as_many_digits_as_it_takes(less: float, more: float, told: tuple[str, str]) -> None:
    assert told_apart(less, more) == told


def test_a_share_below_its_bar_is_not_the_bar() -> None:
    assert shares_told_apart(0.846, 0.85) == ("84.6%", "85%")
    assert shares_told_apart(0.8496, 0.85, digits=1) == ("84.96%", "85%")


@given(st.floats(-10, 10, width=32), st.floats(-10, 10, width=32))
def test_what_is_less_is_told_as_less(one: float, other: float) -> None:
    less, more = sorted((one, other))
    told_less, told_more = told_apart(less, more)
    assert (float(told_less) < float(told_more)) == (less < more)
