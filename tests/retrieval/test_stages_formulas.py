"""Formulas over lines: read, worked out, and written so that whoever reads the figures comes to the same result."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.stages.figures.calculations import read_calculations
from apps.retrieval.stages.figures.formulas import (
    Formula,
    Line,
    Operation,
    Over,
    only_adds,
    read_formula,
    work_out,
)

FIGURES = {("a", 2018): Decimal(30), ("a", 2017): Decimal(20), ("b", 2018): Decimal("4.5"), ("c", 2018): Decimal(0)}


def shown(text: str) -> tuple[str, Decimal] | None:
    formula = read_formula(text)
    assert formula is not None
    worked = work_out(formula, year=2018, figure=lambda name, year: FIGURES.get((name, year)))
    return worked and (worked.text, worked.value)


@pytest.mark.parametrize(
    ("text", "figures", "value"),
    [
        ("{a}", "30", 30),
        ("{a@2017}", "20", 20),
        ("{a} - {b} - {b}", "30 - 4.5 - 4.5", 21),
        ("{a} - ({b} - {b})", "30 - (4.5 - 4.5)", 30),
        ("{a} / ({b} * 2)", "30 / (4.5 * 2)", Decimal(30) / 9),
        ("{a} + {b} * 2", "30 + 4.5 * 2", 39),
        ("({a} + {b}) * 2", "(30 + 4.5) * 2", 69),
        ("365 / average {a}", "365 / ((20 + 30) / 2)", Decimal("14.6")),
        ("average ({a}) / {b}", "(20 + 30) / 2 / 4.5", Decimal(25) / Decimal("4.5")),
        ("{b} - change in {a@2017,2018}", "4.5 - (30 - 20)", Decimal("-5.5")),
    ],
)
def test_a_formula_is_worked_out_and_written_down(text: str, figures: str, value: Any) -> None:
    assert shown(text) == (figures, value)


@pytest.mark.parametrize("text", ["{a} / {c}", "{a} + {d}", "average {b}", "{a@2016}"])
def test_what_is_missing_or_divided_by_nothing_gives_nothing(text: str) -> None:
    assert shown(text) is None


@pytest.mark.parametrize(
    "text",
    ["", "{a", "{a} {b}", "{a} +", "+ {a}", "({a}", "{a})", "average 3", "average average {a}", "revenue", "{a} ^ 2"],
)
def test_what_is_no_whole_formula_is_not_read(text: str) -> None:
    assert read_formula(text) is None


@pytest.mark.parametrize("part", ["(", "{a} + ", "average ", "({a}) / "])
def test_what_is_long_beyond_reading_is_not_read(part: str) -> None:
    """It would end the question with an error, one call deeper with each part."""
    assert read_formula(part * 2_000 + "{a}" + ")" * (2_000 if part == "(" else 0)) is None
    assert read_formula("{a}" + " + {a}" * 20) is not None


def test_a_sum_of_lines_is_an_amount_and_nothing_else_is() -> None:
    told = {text: only_adds(read_formula(text) or Decimal()) for text in ("{a} + {b} - {a}", "{a} / {b}", "{a} + 1")}
    assert list(told.values()) == [True, False, False]


lines = st.builds(Line, name=st.sampled_from("xyz"), over=st.sampled_from([None, *Over]))
formulas: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(lines, st.sampled_from([Decimal(2), Decimal(365)])),
    lambda inner: st.builds(Operation, sign=st.sampled_from("+-*/"), left=inner, right=inner),
    max_leaves=6,
)


@given(formulas, st.lists(st.integers(1, 10**6), min_size=6, max_size=6))
def test_what_is_shown_comes_out_by_the_rules_that_every_calculation_is_checked_by(
    formula: Formula, values: list[int]
) -> None:
    figures = dict(zip([(name, year) for name in "xyz" for year in (2017, 2018)], map(Decimal, values), strict=True))
    worked = work_out(formula, year=2018, figure=lambda name, year: figures[name, year])
    if worked is None or not isinstance(formula, Operation):
        return
    exact = eval(_of_fractions(worked.text), {"F": Fraction})  # noqa: S307 - digits, signs and brackets
    assert abs(Fraction(worked.value) - exact) <= abs(exact) / 10**20
    result = worked.value.quantize(Decimal("0.0001"))
    if result > 0:
        (calculation,) = read_calculations(f"So: {worked.text} = {result:,}", "en")
        assert calculation.correct


def _of_fractions(text: str) -> str:
    """With exact numbers in place of its own."""
    return " ".join(
        f"{'(' * part.count('(')}F({part.strip('()').replace(',', '')}){')' * part.count(')')}"
        if part.strip("()")[0].isdigit()
        else part
        for part in text.split()
    )
