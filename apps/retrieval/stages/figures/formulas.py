"""Formulas over lines of statements: read, calculated, and written out with the figures that were used.

    {cost of goods sold} / average {inventory}

A line stands in braces, by its name in line_items.py, followed by @ and a year if it is not of the year asked for.
`average` is the average of a line at the end of a year and of the year before; `change in` is the difference between
the two.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Final

_TOKEN: Final = re.compile(r"\s*(?:\{[^{}]+\}|\d+(?:\.\d+)?|(?:average|change in)\b|[-+*/()])\s*")
# A question may hold thousands of tokens, and reading and calculating recurse one call deeper with each.
_MOST_TOKENS: Final = 60
_ADDS, _MULTIPLIES, _WHOLE = 1, 2, 3
_PRECEDENCE: Final = {"+": _ADDS, "-": _ADDS, "*": _MULTIPLIES, "/": _MULTIPLIES}


class Over(StrEnum):
    """How a line's two year-ends are combined."""

    AVERAGE = "average"
    CHANGE = "change in"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of a statement in a formula.

    years: the year of the line, or the two years between which it is averaged or compared; empty for the year asked for
        (and the year before).
    """

    name: str
    years: tuple[int, ...] = ()
    over: Over | None = None

    def of(self, year: int) -> tuple[int, ...]:
        """Return the years for which its figures are needed, the earlier first."""
        if self.over is None:
            return self.years[-1:] or (year,)
        return self.years if len(self.years) == 2 else (year - 1, year)


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    sign: str
    left: Formula
    right: Formula


Formula = Decimal | Line | Operation


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkedFormula:
    """A calculated formula. text: the figures with signs and brackets between them, without the result."""

    value: Decimal
    text: str
    precedence: int


LookUp = Callable[[str, int], Decimal | None]


def read_formula(text: str) -> Formula | None:
    """Return the formula, or None if the text is not a complete formula or has more than _MOST_TOKENS parts."""
    tokens: list[str] = []
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None or len(tokens) == _MOST_TOKENS:
            return None
        tokens.append(match.group().strip())
        position = match.end()
    try:
        formula, rest = _sum(tokens)
    except IndexError:
        return None
    return formula if not rest else None


def lines_of(formula: Formula) -> Iterator[Line]:
    match formula:
        case Line():
            yield formula
        case Operation():
            yield from lines_of(formula.left)
            yield from lines_of(formula.right)


def names_of(formula: Formula) -> tuple[Line, ...]:
    """Return the lines of a formula, each once."""
    return tuple(dict.fromkeys(lines_of(formula)))


def only_adds(formula: Formula) -> bool:
    """Return whether the formula is a sum of amounts, and therefore an amount itself."""
    match formula:
        case Operation():
            return formula.sign in "+-" and only_adds(formula.left) and only_adds(formula.right)
        case _:
            return isinstance(formula, Line)


def have_one_shape(one: Formula, other: Formula) -> bool:
    """Return whether two formulas differ only in what their lines are called."""
    match one, other:
        case Operation(), Operation():
            return (
                one.sign == other.sign
                and have_one_shape(one.left, other.left)
                and have_one_shape(one.right, other.right)
            )
        case Line(), Line():
            return one.over == other.over and len(one.years) == len(other.years)
        case _:
            return one == other


def work_out(formula: Formula, *, year: int, figure: LookUp) -> WorkedFormula | None:
    """Calculate a formula for a year.

    Args:    figure: returns what a line was in a year; None if that is unknown.
    Returns: None if a figure is missing or a divisor is zero.
    """
    match formula:
        case Decimal():
            return WorkedFormula(value=formula, text=f"{formula:,}", precedence=_WHOLE)
        case Line():
            return _work_out_line(formula, year, figure)
        case Operation():
            left = work_out(formula.left, year=year, figure=figure)
            right = work_out(formula.right, year=year, figure=figure)
            return _join(formula.sign, left, right) if left and right else None


def _work_out_line(line: Line, year: int, figure: LookUp) -> WorkedFormula | None:
    found = [figure(line.name, each) for each in line.of(year)]
    values = [value for value in found if value is not None]
    if len(values) < len(found):
        return None
    if line.over is None:
        return WorkedFormula(value=values[0], text=f"{values[0]:,}", precedence=_WHOLE)
    before, after = values
    if line.over is Over.CHANGE:
        return WorkedFormula(value=after - before, text=f"{after:,} - {before:,}", precedence=_ADDS)
    return WorkedFormula(value=(before + after) / 2, text=f"({before:,} + {after:,}) / 2", precedence=_MULTIPLIES)


def _join(sign: str, left: WorkedFormula, right: WorkedFormula) -> WorkedFormula | None:
    precedence = _PRECEDENCE[sign]
    before = f"({left.text})" if left.precedence < precedence else left.text
    # To the right of a minus or a division, an operation of equal precedence needs brackets too.
    closer = right.precedence < precedence or (right.precedence == precedence and sign != "+")
    behind = f"({right.text})" if closer else right.text
    match sign:
        case "+":
            value = left.value + right.value
        case "-":
            value = left.value - right.value
        case "*":
            value = left.value * right.value
        case _:
            if not right.value:
                return None
            value = left.value / right.value
    return WorkedFormula(value=value, text=f"{before} {sign} {behind}", precedence=precedence)


def _sum(tokens: list[str]) -> tuple[Formula, list[str]]:
    left, rest = _product(tokens)
    while rest and rest[0] in "+-":
        right, after = _product(rest[1:])
        left, rest = Operation(sign=rest[0], left=left, right=right), after
    return left, rest


def _product(tokens: list[str]) -> tuple[Formula, list[str]]:
    left, rest = _factor(tokens)
    while rest and rest[0] in "*/":
        right, after = _factor(rest[1:])
        left, rest = Operation(sign=rest[0], left=left, right=right), after
    return left, rest


def _factor(tokens: list[str]) -> tuple[Formula, list[str]]:
    """Return the factor at the beginning of the tokens, and the tokens after it.

    Raises: IndexError: no factor begins here.
    """
    first, rest = tokens[0], tokens[1:]
    if first == "(":
        inner, after = _sum(rest)
        if after[0] != ")":
            raise IndexError
        return inner, after[1:]
    if first in (Over.AVERAGE, Over.CHANGE):
        # "average (inventory)" means the same as "average inventory".
        inner, after = _factor(rest)
        if not isinstance(inner, Line) or inner.over is not None:
            raise IndexError
        return Line(name=inner.name, years=inner.years, over=Over(first)), after
    if first[0] == "{":
        name, _, years = first[1:-1].partition("@")
        return Line(name=name, years=tuple(sorted(int(year) for year in years.split(",") if year))), rest
    if first[0].isdigit():
        return Decimal(first), rest
    raise IndexError
