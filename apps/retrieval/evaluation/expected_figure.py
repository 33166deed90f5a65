"""Whether an answer holds the figure that is expected, as a reader would see it: 1,577 million is $1577.00 (in USD
millions), and 8.738 billion is $8.70 billion to the decimals that are asked for.

The first figure of what is expected counts; years are no figures. Signs are left aside: a statement puts in brackets
what a question calls a decrease.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.retrieval.stages.numbers import Number, read_numbers

_IN_UNITS: Final = re.compile(
    r"\b(thousand|million|billion|trillion)s?\b|(?:\b(?:USD|EUR)|[$€])\s?(m|mn|bn|k)\b", re.IGNORECASE
)
_EXPONENTS: Final = {"t": 3, "k": 3, "m": 6, "b": 9}
_CURRENCY: Final = re.compile(r"[$€£]|\b(?:USD|EUR|GBP|CHF)\b")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
# The ref_ids that an answer names: their page numbers are no figures.
_REFERENCE: Final = re.compile(r"\[[^\[\]]*\|p\d+\|c\d+\]")
_SCALES: Final = (0, 3, 6, 9, 12)
# An answer that is rounded more than what is expected counts from so many figures on: "2 billion" is not 1,577 million.
_FIGURES_OF_A_ROUNDED_ANSWER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number with the powers of ten that it may stand for, and the last place that it is given to.

    value: without sign; step: of its last place that is not 0; digits: how many figures it is given to; exponents: one
    where the unit is known.
    """

    value: Decimal
    step: Decimal
    digits: int
    exponents: tuple[int, ...]
    percent: bool


def expected_figure(answer: str, *, question: str) -> Figure | None:
    """The figure that an answer must hold; None where the expected answer has none."""
    number = next(_figures(answer), None)
    if number is None:
        return None
    asked = _unit_of(question)
    if number.percent or number.exponent:
        exponents: tuple[int, ...] = (number.exponent,)
    elif asked is not None:
        exponents = (asked,)
    else:
        exponents = _SCALES if _CURRENCY.search(number.text) else (0,)
    return _figure(number, exponents)


def holds_figure(text: str, expected: Figure) -> bool:
    """Whether any figure of an answer is the expected one, within the rounding of either."""
    return any(_is(each, expected) for each in _figures(_REFERENCE.sub(" ", text)))


def _is(number: Number, expected: Figure) -> bool:
    if number.percent or expected.percent:
        return _is_share(number, expected)
    money = expected.exponents != (0,)
    exponents = (number.exponent,) if number.exponent or not money else _SCALES
    found = _figure(number, exponents)
    return any(_near(found, scale, expected, wanted) for scale in exponents for wanted in expected.exponents)


def _is_share(number: Number, expected: Figure) -> bool:
    """Percent against percent, or against the same share as a fraction or as a row of a table has it."""
    if number.exponent:
        return False
    found = _figure(number, (0,))
    if number.percent == expected.percent:
        return _near(found, 0, expected, 0)
    if number.percent:
        return 0 in expected.exponents and _near(found, -2, expected, 0)
    return _near(found, 0, expected, 0) or _near(found, 2, expected, 0)


def _near(found: Figure, scale: int, expected: Figure, wanted: int) -> bool:
    distance = abs(found.value.scaleb(scale) - expected.value.scaleb(wanted))
    room = expected.step.scaleb(wanted) / 2
    if found.digits >= _FIGURES_OF_A_ROUNDED_ANSWER:
        room = max(room, found.step.scaleb(scale) / 2)
    return distance <= room


def _figures(text: str) -> Iterator[Number]:
    return (number for number in read_numbers(text) if not _YEAR.fullmatch(number.text))


def _figure(number: Number, exponents: tuple[int, ...]) -> Figure:
    value = number.value
    decimals = number.decimals
    # $8.70 is asked for as 8.7: what is expected is often written with the cents that the statement does not have.
    while decimals and value == value.quantize(Decimal(1).scaleb(1 - decimals)):
        decimals -= 1
        value = value.quantize(Decimal(1).scaleb(-decimals))
    digits = len(value.as_tuple().digits)
    return Figure(
        value=value, step=Decimal(1).scaleb(-decimals), digits=digits, exponents=exponents, percent=number.percent
    )


def _unit_of(question: str) -> int | None:
    """The power of ten that a question asks for, such as 6 for "in USD millions"; None where it names none or two."""
    found = {
        12 if word.startswith("trillion") else _EXPONENTS[word[0]]
        for match in _IN_UNITS.finditer(question)
        for word in ((match[1] or match[2]).lower(),)
    }
    return found.pop() if len(found) == 1 else None
