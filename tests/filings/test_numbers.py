from __future__ import annotations

import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.filings.text.numbers import NumberUnit, currencies_in, find_stated_scale, read_numbers
from apps.retrieval.stages.figures.in_passages import read_figures
from apps.retrieval.stages.figures.number_matching import AS_WRITTEN, Stated, compare_numbers, match_number
from tests.retrieval.builders import analysed, budget, candidate, context_of


def match(claim: str, source: str, stated: Stated | None = None) -> str | None:
    (number,) = read_numbers(claim)
    return match_number(number, read_numbers(source), stated=stated or Stated())


MILLIONS = Stated(exponent=6)


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


@pytest.mark.parametrize("text", ["5.1%", "5.1 %", "(5.1)%", "5.1 percent", "5.1 per cent"])
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
    assert match("1.6 billion", "(1,577)", MILLIONS) == "rounded; with the opposite sign in the source"


@pytest.mark.parametrize("claim", ["1.57 billion", "2 billion", "1.6 million", "1.6 thousand"])
def test_rounding_keeps_to_the_decimals_and_the_scale_of_the_claim(claim: str) -> None:
    assert match(claim, "1,577", MILLIONS) is None


def test_a_scale_needs_one_in_the_source() -> None:
    assert match("1,577 million", "1,577") is None
    assert match("1,577 million", "1,577", MILLIONS) == "the scale is in the heading"
    assert match("1,577 million", "1,577 million") == AS_WRITTEN


def test_money_without_its_scale_is_another_amount() -> None:
    dollars = Stated(exponent=6, currencies=frozenset({"USD"}))
    assert match("$1,577", "1,577", dollars) is None
    asked_in_millions = Stated(exponent=6, currencies=frozenset({"USD"}), asked_exponent=6)
    assert match("$1,577", "1,577", asked_in_millions) == AS_WRITTEN


def test_percent_needs_percent_in_the_source() -> None:
    assert match("5.1%", "5.1") is None
    assert match("5.1%", "5.1", Stated(units=frozenset({NumberUnit.PERCENT}))) == "the unit is in the heading"


@pytest.mark.parametrize(
    ("claim", "source", "same"),
    [
        ("18 basis points", "0.18 percentage points", True),
        ("0.18 percentage points", "18 basis points", True),
        ("0.18 percentage points", "0.18 %", False),
        ("EUR 5 million", "5 million euros", True),
        ("€5 million", "EUR 5 million", True),
        ("USD 5 million", "EUR 5 million", False),
        ("10 %", "10 to 15 per cent", True),
        ("three", "3", True),
        ("three", "four", False),
    ],
)
def test_units_are_part_of_a_number(claim: str, source: str, same: bool) -> None:
    assert (match(claim, source) is not None) is same


@pytest.mark.parametrize(
    ("text", "exponent"),
    [
        ("(In millions, except per share data)", 6),
        ("(Millions) | 2018", 6),
        ("EUR million | 2024", 6),
        ("in US$ thousands", 3),
        ("in Mio. EUR", 6),
        ("It cost EUR 5 million.", None),
    ],
)
def test_the_scale_of_a_table_is_read_from_its_caption(text: str, exponent: int | None) -> None:
    assert find_stated_scale(text) == exponent


def test_currencies_by_code_sign_and_name() -> None:
    assert currencies_in("EUR 5, $6, C$7 and eight pounds") == {"EUR", "USD", "CAD", "GBP"}


@pytest.mark.parametrize(
    ("text", "value"), [("1.577", "1577"), ("1.577,5", "1577.5"), ("4,9 %", "4.9"), ("2 Mrd.", "2"), ("drei", "3")]
)
def test_german_points_group_and_commas_divide(text: str, value: str) -> None:
    (number,) = read_numbers(text, "de")
    assert number.value == Decimal(value)


def test_what_differs_is_told_without_the_figures() -> None:
    (claim,), (source,) = read_numbers("USD 5 million"), read_numbers("EUR 5 million")
    compared = compare_numbers(claim, source)
    assert compared is not None
    assert (compared.same, compared.note) == (False, "in another currency")


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


def test_a_row_of_figures_without_words_is_read_once() -> None:
    """Its label was looked for again for each figure of each figure: a minute for a passage of 9,000 characters."""
    passage = context_of(
        analysed("What was the revenue?"),
        [candidate("2,684 " * 1_500)],
        budgets=[budget(cap_chars=12_000)],
        total_cap_chars=12_000,
    ).passages[0]
    began = time.process_time()
    assert len(read_figures(passage, asked_exponent=None)) == 1_500
    assert time.process_time() - began < 5
