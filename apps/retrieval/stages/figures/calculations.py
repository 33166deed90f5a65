"""Read the calculations that an answer shows, and repeat them: 1,146 / 1,402 = 0.82."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, InvalidOperation
from itertools import pairwise
from typing import Final

from apps.filings.text.numbers import Number, NumberUnit, read_numbers
from apps.retrieval.stages.figures.expressions import Token, evaluate

CONSTANTS: Final = frozenset(Decimal(each) for each in (1, 2, 3, 4, 12, 100, 365))
"""What a formula may hold that no passage does: parts of an average, months, days, percent."""
MOST_YEARS: Final = 20
"""The exponent of a compound rate is one over a number of years, up to this one."""
_OPERATORS: Final = {
    **dict.fromkeys(("+", "plus"), "+"),
    **dict.fromkeys(("-", "\u2212", "\u2013", "minus"), "-"),
    **dict.fromkeys(("*", "\u00d7", "times", "mal", "multiplied by"), "*"),
    **dict.fromkeys(("/", "\u00f7", "divided by", "geteilt durch"), "/"),
    **dict.fromkeys(("^", "**"), "^"),
}
_LONGEST_FIRST: Final = sorted(_OPERATORS, key=len, reverse=True)
_SIGN: Final = re.compile(
    "|".join(
        rf"\b{word}\b" if word[0].isalpha() else rf"(?<![^\W\d_]){re.escape(word)}|{re.escape(word)}(?![^\W\d_])"
        for word in _LONGEST_FIRST
    )
    + r"|[()\[\]]",
    re.IGNORECASE,
)
_X: Final = re.compile(r"(?<=[\d)%\s])\s*x\s*(?=[\s(]?\d)")
_BRACKETS: Final = {"[": "(", "]": ")"}
_EQUALS: Final = re.compile(
    r"=|\u2248|\b(?:gives|equals|yields|makes|results?\s+in|comes?\s+to|works\s+out\s+(?:at|to)|ergibt|sind)\b",
    re.IGNORECASE,
)
_BOUNDARY: Final = re.compile(r"[.;:?!](?=\s)|\n|(?<=[a-z]),(?=\s)")
_RAISED: Final = re.compile(r"(?:\^|\*\*)\s*\(?\s*(?:1\s*/\s*)?$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A calculation as shown.

    operands: of the expression with which it begins. steps: the numbers of what stands between it and the result.
    result: as claimed. value: what the expression gives, with percents as shares.
    correct: whether the result, and each step, is what the expression gives.
    periods: operands that count years in an exponent.
    start: where it begins in the text.
    """

    operands: tuple[Number, ...]
    steps: tuple[Number, ...]
    result: Number
    value: Decimal
    correct: bool
    periods: tuple[Number, ...]
    start: int

    def comes_out(self, exponents: Collection[int]) -> bool:
        """Return whether it is correct if its operands stand in one of these scales: 2,684 - 2,465 = 219 million."""
        if self.correct:
            return True
        return not self.steps and any(
            comes_out(self.value.scaleb(each), self.operands, self.result) for each in exponents if each
        )


def read_calculations(text: str, language: str) -> tuple[Calculation, ...]:
    """Return all calculations of a text in the form "a / b = c" or "a / b = d / e = c"; words may stand beside numbers.

    The numbers of a returned calculation have their positions in the text.
    """
    text = _X.sub(lambda match: match.group().replace("x", "*"), text)
    numbers = read_numbers(text, language)
    found: list[Calculation] = []
    equals = list(_EQUALS.finditer(text))
    position = 0
    while position < len(equals):
        last = position
        if not _has_figures(text, equals[position], numbers):
            # "Return on revenue: net income / revenue = 1,047 / 9,412 = 11.1 %" begins with words.
            position += 1
            continue
        result = _result(text, equals[last], numbers)
        # "(a - b) / b = d / b = c": what follows an equals sign may itself be an expression.
        while last + 1 < len(equals) and not _ends_between(text, equals[last].end(), equals[last + 1].start()):
            further = _result(text, equals[last + 1], numbers)
            if further is None:
                break
            last, result = last + 1, further
        if result is not None and (read := _read_chain(text, equals[position : last + 1], numbers, result)):
            found.append(read)
        position = last + 1
    return tuple(found)


def comes_out(value: Decimal, operands: Sequence[Number], result: Number) -> bool:
    """Return whether a claimed result is the value, rounded to the decimals of the result."""
    sought = [value]
    if result.unit is not NumberUnit.PLAIN:
        sought = [value * 10_000] if result.unit is NumberUnit.BASIS_POINTS else [value * 100]
        if result.unit is not NumberUnit.PERCENT and not any(each.unit is NumberUnit.PERCENT for each in operands):
            # A share of amounts is given in per cent, and points are between percents alone.
            sought = []
        # "a / b * 100 = 11.1 %", and differences of figures that are given in per cent.
        plain = result.unit is not NumberUnit.PERCENT and all(each.unit is NumberUnit.PLAIN for each in operands)
        if plain or any(each.value == 100 for each in operands):
            sought.append(value)
    scales = {operand.exponent for operand in operands}
    sought = [each.scaleb(-result.exponent) for each in sought]
    if not result.exponent and len(scales) == 1:
        # "1,577 million + 10 million = 1,587": the result has the same scale, although it does not state it.
        sought.append(value.scaleb(-scales.pop()))
    claimed = -result.value if result.negative else result.value
    step = Decimal(1).scaleb(-result.decimals)
    try:
        return any(
            each.quantize(step, rounding=mode) == claimed
            for each in sought
            for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)
        )
    except InvalidOperation:
        return False


def counts_years(text: str, number: Number) -> bool:
    """Return whether a number is an exponent, or the count of years in one: "^ (1/3)", "^ 0.5"."""
    whole = number.value == number.value.to_integral_value() and 1 <= number.value <= MOST_YEARS
    return whole and _RAISED.search(text[: number.start + len(number.text) - len(number.text.lstrip("("))]) is not None


def _result(text: str, equals: re.Match[str], numbers: Sequence[Number]) -> Number | None:
    result = next((each for each in numbers if each.start >= equals.end()), None)
    return None if result is None or re.search(r"[.;\n=]", text[equals.end() : result.start]) else result


def _has_figures(text: str, equals: re.Match[str], numbers: Sequence[Number]) -> bool:
    """Return whether figures stand before an equals sign, in its part of the text."""
    begins = max((match.end() for match in _BOUNDARY.finditer(text, 0, equals.start())), default=0)
    begins = max((each.end() for each in _EQUALS.finditer(text, begins, equals.start())), default=begins)
    return any(begins <= each.start and each.end <= equals.start() for each in numbers)


def _ends_between(text: str, start: int, end: int) -> bool:
    return re.search(r"[.;:?!](?=\s)|\n|,\s|\b(?:and|so|und)\b", text[start:end]) is not None


def _read_chain(
    text: str, equals: Sequence[re.Match[str]], numbers: Sequence[Number], result: Number
) -> Calculation | None:
    begins = max((match.end() for match in _BOUNDARY.finditer(text, 0, equals[0].start())), default=0)
    begins = max((each.end() for each in _EQUALS.finditer(text, begins, equals[0].start())), default=begins)
    within = [each for each in numbers if begins <= each.start and each.end <= equals[0].start()]
    readings = list(_read_expressions(text, begins, equals[0].start(), within))
    if not readings:
        return None
    # "2.8 times (88,420 / 31,220 = 2.8)": the longest run that gives the result, or else the longest.
    operands, value = next((each for each in readings if comes_out(each[1], each[0], result)), readings[0])
    correct, steps = comes_out(value, operands, result), []
    for left, right in pairwise(equals):
        between = [each for each in numbers if left.end() <= each.start and each.end <= right.start()]
        steps.extend(between)
        step = evaluate(tokens_of(text, left.end(), right.start(), between))
        correct = correct and step is not None and (len(between) == 1 or comes_out(step, between, result))
        if len(between) == 1:
            correct = correct and comes_out(value, operands, between[0])
    return Calculation(
        operands=operands,
        steps=tuple(steps),
        result=result,
        value=value,
        correct=correct,
        periods=tuple(each for each in operands if counts_years(text, each)),
        start=operands[0].start,
    )


def _read_expressions(
    text: str, start: int, end: int, numbers: Sequence[Number]
) -> Iterator[tuple[tuple[Number, ...], Decimal]]:
    """Yield each run of numbers and signs before the equals sign that is an expression, longest first."""
    for first in range(len(numbers) - 1):
        operands = numbers[first:]
        left = text.rfind(operands[0].text[:1], start, operands[0].end)
        opening = re.search(r"[(\[\s]*$", text[start : max(left, operands[0].start)])
        begin = start + opening.start() if opening else operands[0].start
        value = evaluate(tokens_of(text, begin, end, operands))
        if value is not None:
            yield tuple(operands), value


def tokens_of(text: str, start: int, end: int, operands: Sequence[Number]) -> list[Token]:
    """Return the numbers and signs of a part of a text."""
    tokens: list[Token] = []
    position = start
    for operand in operands:
        tokens.extend(_signs(text[position : operand.start]))
        # read_numbers may have taken a bracket that belongs to the formula into the number.
        raw = text[operand.start : operand.end]
        enclosed = operand.negative and "(" in raw and ")" in raw
        if not enclosed:
            tokens.extend("(" for _ in range(raw.count("(")))
        value = operand.scaled / 100 if operand.unit is NumberUnit.PERCENT else operand.scaled
        tokens.append(-value if operand.negative else value)
        if not enclosed:
            tokens.extend(")" for _ in range(raw.count(")")))
        position = operand.end
    tokens.extend(_signs(text[position:end]))
    return tokens


def _signs(between: str) -> list[str]:
    found = (each.lower() for each in _SIGN.findall(between))
    return [_OPERATORS.get(each) or _BRACKETS.get(each, each) for each in found]
