from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.stages.numbers import AS_WRITTEN, match_number, read_numbers


def match(claim: str, source: str, *, percent_nearby: bool = False) -> str | None:
    (number,) = read_numbers(claim)
    return match_number(number, read_numbers(source), percent_nearby=percent_nearby)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("1,577 and 1577.50", ["1577", "1577.50"]),
        ("1'577 in Zurich", ["1577"]),
        ("2018: (1,577) | 2017: $(1,373)", ["2018", "1577", "2017", "1373"]),
        ("Q4, 10-K, 3M, FY2018, 8th", []),
        ("2018-2020", ["2018", "2020"]),
        ("12.5x", []),
    ],
)
def test_numbers_of_a_text(text: str, values: list[str]) -> None:
    assert [number.value for number in read_numbers(text)] == [Decimal(value) for value in values]


@pytest.mark.parametrize("text", ["(1,577)", "-1,577", "$(1,577)", "\u22121,577", "-$1,577"])
def test_negatives(text: str) -> None:
    assert read_numbers(text)[0].negative


@pytest.mark.parametrize("text", ["5.1%", "5.1 %", "(5.1)%", "5.1 percent", "5.1 per cent", "5.1 percentage points"])
def test_percentages(text: str) -> None:
    assert read_numbers(text)[0].percent


@pytest.mark.parametrize(
    ("text", "exponent"), [("1.5 billion", 9), ("$1.5bn", 9), ("$5M", 6), ("2 million", 6), ("3 thousand", 3), ("7", 0)]
)
def test_scales(text: str, exponent: int) -> None:
    assert read_numbers(text)[0].exponent == exponent


@pytest.mark.parametrize(("claim", "source"), [("1,577", "1577"), ("1577.00", "1,577"), ("5.1%", "5.1 percent")])
def test_same_number_in_another_spelling(claim: str, source: str) -> None:
    assert match(claim, source) == AS_WRITTEN


def test_sign_may_differ_and_is_noted() -> None:
    assert match("1,577", "(1,577)") == "with the opposite sign in the source"


def test_scaled_and_rounded_number() -> None:
    assert match("$1.6 billion", "(1,577)") == "rounded or in another scale; with the opposite sign in the source"


def test_rounding_keeps_to_the_decimals_of_the_claim() -> None:
    assert match("$1.57 billion", "1,577") is None


def test_scale_beside_the_claim_alone_is_noted() -> None:
    assert match("1,577 million", "1,577") == "the scale is not given beside the figure"


def test_percent_needs_percent_in_the_source() -> None:
    assert match("5.1%", "5.1") is None
    assert match("5.1%", "5.1", percent_nearby=True) == "the percent sign stands elsewhere"


@pytest.mark.parametrize(
    ("claim", "source"), [("1,578", "1,577"), ("157", "1,577"), ("15.77", "1,577"), ("2 billion", "2 million")]
)
def test_other_numbers_do_not_match(claim: str, source: str) -> None:
    assert match(claim, source) is None


def test_closest_match_is_reported() -> None:
    assert match("1,577", "(1,577) and 1,577") == AS_WRITTEN


@given(st.integers(0, 10**9))
def test_thousands_separators_change_nothing(value: int) -> None:
    assert match(f"{value:,}", str(value)) == AS_WRITTEN
