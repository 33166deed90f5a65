"""Check whether an answer holds the expected figure, as a reader would see it.

1,577 in a table of millions is $1577.00 (in USD millions), and 8.738 billion is $8.70 billion to the places asked for.

The first figure of the expected answer counts. Only its first sentence is read, since the rest explains. Years are not
figures, and neither is a plain small number in running text ("12 months", "28 January"), unless the question asks how
many. Signs are ignored: a statement puts in brackets what a question calls a decrease.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.filings.text.numbers import Number, read_numbers
from apps.quality.evaluation.accepting import REFERENCE

_IN_UNITS: Final = re.compile(
    r"\b(thousand|million|billion|trillion)s?\b|(?:\b(?:USD|EUR)|[$€])\s?(m|mn|bn|k)\b", re.IGNORECASE
)
_EXPONENTS: Final = {"t": 3, "k": 3, "m": 6, "b": 9}
_CURRENCY: Final = re.compile(r"[$€£]|\b(?:USD|EUR|GBP|CHF)\b")
_YEAR: Final = re.compile(r"(?:19|20)\d\d")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+(?=[A-Z(\"“])|\n")
_HOW_MANY: Final = re.compile(
    r"\bhow (?:many|much|often|long)\b|\bnumber of\b|\bwie (?:viele?|oft|lange)\b", re.IGNORECASE
)
_WORDS_OF_A_BARE_FIGURE: Final = 3
_LEAST_BARE_FIGURE: Final = 1000
# The scales that a table may state apart from its figures: units, thousands, millions, billions.
_SCALES: Final = (0, 3, 6, 9)
# An answer that is rounded more coarsely than the expected figure needs at least this many digits: "2 billion" is not
# 1,577 million.
_FIGURES_OF_A_ROUNDED_ANSWER: Final = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A number with its meaning: `value` times ten to the power of `exponent`, without its sign.

    step: the step of the last place that is not 0. digits: how many digits are given.
    money: the number may stand in a table that states elsewhere whether its figures are thousands or millions.
    """

    value: Decimal
    exponent: int
    step: Decimal
    digits: int
    percent: bool
    money: bool


def expected_figure(answer: str, *, question: str) -> Figure | None:
    """Return the figure that an answer must hold; None if the expected answer has none."""
    sentence = _first_sentence(answer)
    counted = len(sentence.split()) <= _WORDS_OF_A_BARE_FIGURE or bool(_HOW_MANY.search(question))
    number = next((each for each in _figures(sentence) if counted or not _is_plain(each)), None)
    if number is None:
        return None
    asked = None if number.percent or number.exponent else _unit_of(question)
    money = asked is not None or bool(number.exponent or _CURRENCY.search(number.text))
    return _figure(number, exponent=asked or number.exponent, money=money)


def holds_figure(text: str, expected: Figure) -> bool:
    """Return whether any figure of an answer is the expected one, within the rounding of either."""
    return any(_is(each, expected) for each in _figures(REFERENCE.sub(" ", text)))


def _is(number: Number, expected: Figure) -> bool:
    if number.percent or expected.percent:
        return _is_share(number, expected)
    scales = (number.exponent,) if number.exponent or not expected.money else _SCALES
    return any(_near(_figure(number, exponent=scale), expected) for scale in scales)


def _is_share(number: Number, expected: Figure) -> bool:
    """Compare percent with percent, or with the same share as a fraction or as a table's row gives it."""
    if number.exponent or expected.money:
        return False
    if number.percent == expected.percent:
        return _near(_figure(number), expected)
    if number.percent:
        return _near(_figure(number, exponent=-2), expected)
    return _near(_figure(number), expected) or _near(_figure(number, exponent=2), expected)


def _near(found: Figure, expected: Figure) -> bool:
    distance = abs(found.value.scaleb(found.exponent) - expected.value.scaleb(expected.exponent))
    room = expected.step.scaleb(expected.exponent) / 2
    if found.digits >= _FIGURES_OF_A_ROUNDED_ANSWER:
        room = max(room, found.step.scaleb(found.exponent) / 2)
    return distance <= room


def _first_sentence(answer: str) -> str:
    """Return the first sentence of an answer. A leading "Yes." belongs to the sentence that follows."""
    sentences = [each for each in _SENTENCE_END.split(answer.strip()) if each.strip()]
    return next((each for each in sentences if len(each.split()) > 1 or any(map(str.isdigit, each))), answer)


def _figures(text: str) -> Iterator[Number]:
    return (number for number in read_numbers(text) if not _YEAR.fullmatch(number.text))


def _is_plain(number: Number) -> bool:
    says_more = number.percent or number.exponent or number.decimals or _CURRENCY.search(number.text)
    return not says_more and number.value < _LEAST_BARE_FIGURE


def _figure(number: Number, *, exponent: int = 0, money: bool = False) -> Figure:
    value, decimals = number.value, number.decimals
    # $8.70 is treated as 8.7: an expected figure is often written with cents that the statement does not have.
    while decimals and value == (shorter := value.quantize(Decimal(1).scaleb(1 - decimals))):
        value, decimals = shorter, decimals - 1
    return Figure(
        value=value,
        exponent=exponent,
        step=Decimal(1).scaleb(-decimals),
        digits=len(value.as_tuple().digits),
        percent=number.percent,
        money=money,
    )


def _unit_of(question: str) -> int | None:
    """Return the power of ten that a question asks for, such as 6 for "in USD millions"; None for none or several."""
    words = [(match[1] or match[2]).lower() for match in _IN_UNITS.finditer(question)]
    found = {12 if word.startswith("trillion") else _EXPONENTS[word[0]] for word in words}
    return found.pop() if len(found) == 1 else None
