"""Read the calculations that an answer shows, and repeat them: 1,146 / 1,402 = 0.82."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, DivisionByZero, InvalidOperation
from typing import Final

from apps.retrieval.stages.figures.numbers import Number, NumberUnit, read_numbers

CONSTANTS: Final = frozenset(Decimal(each) for each in (1, 2, 3, 4, 12, 100, 365))
"""What a formula may hold that no passage does: parts of an average, months, days, percent."""
_OPERATORS: Final = {
    **dict.fromkeys(("+", "plus"), "+"),
    **dict.fromkeys(("-", "\u2212", "\u2013", "minus"), "-"),
    **dict.fromkeys(("*", "\u00d7", "times", "mal"), "*"),
    **dict.fromkeys(("/", "\u00f7", "divided by", "geteilt durch"), "/"),
}
_PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "/": 2}
_LONGEST_FIRST: Final = sorted(_OPERATORS, key=len, reverse=True)
_SIGN: Final = re.compile(
    "|".join(rf"\b{word}\b" if word[0].isalpha() else re.escape(word) for word in _LONGEST_FIRST) + r"|[()]",
    re.IGNORECASE,
)
_EQUALS: Final = re.compile(r"=|\u2248")
_BOUNDARY: Final = re.compile(r"[.;:?!](?=\s)|\n")

Token = Decimal | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Calculation:
    """A calculation as shown: its operands, the result that it claims, and whether the result is correct."""

    operands: tuple[Number, ...]
    result: Number
    correct: bool


def read_calculations(text: str, language: str) -> tuple[Calculation, ...]:
    """Return all calculations of a text in the form "a / b = c"; words may stand beside the numbers.

    The numbers of a returned calculation have their positions in the text.
    """
    numbers = read_numbers(text, language)
    found = []
    for equals in _EQUALS.finditer(text):
        result = next((each for each in numbers if each.start >= equals.end()), None)
        if result is None or re.search(r"[.;\n=]", text[equals.end() : result.start]):
            continue
        begins = max((match.end() for match in _BOUNDARY.finditer(text, 0, equals.start())), default=0)
        before = [each for each in numbers if begins <= each.start and each.end <= equals.start()]
        begins = max((each.end() for each in _EQUALS.finditer(text, begins, equals.start())), default=begins)
        calculation = _read_calculation(
            text, begins, equals.start(), [each for each in before if each.start >= begins], result
        )
        if calculation is not None:
            found.append(calculation)
    return tuple(found)


def _read_calculation(text: str, start: int, end: int, numbers: Sequence[Number], result: Number) -> Calculation | None:
    """Return the calculation with the longest run of numbers and signs before the equals sign that is an expression."""
    for first in range(len(numbers) - 1):
        operands = numbers[first:]
        left = text.rfind(operands[0].text[:1], start, operands[0].end)
        opening = re.search(r"[(\s]*$", text[start : max(left, operands[0].start)])
        begin = start + opening.start() if opening else operands[0].start
        value = _evaluate(_tokens(text, begin, end, operands))
        if value is not None:
            return Calculation(operands=tuple(operands), result=result, correct=_comes_out(value, operands, result))
    return None


def _tokens(text: str, start: int, end: int, operands: Sequence[Number]) -> list[Token]:
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
    return [_OPERATORS.get(found.lower(), found) for found in _SIGN.findall(between)]


def _evaluate(tokens: Sequence[Token]) -> Decimal | None:
    """Evaluate the tokens with the shunting-yard algorithm. Return None if they are not a complete expression."""
    output: list[Decimal] = []
    waiting: list[str] = []

    def apply() -> None:
        right, left = output.pop(), output.pop()
        match waiting.pop():
            case "+":
                output.append(left + right)
            case "-":
                output.append(left - right)
            case "*":
                output.append(left * right)
            case "/":
                output.append(left / right)
            case _:
                raise IndexError

    expects_number = True
    try:
        for part in tokens:
            if isinstance(part, Decimal):
                if not expects_number:
                    return None
                output.append(part)
                expects_number = False
            elif part == "(":
                if not expects_number:
                    return None
                waiting.append(part)
            elif part == ")":
                if expects_number:
                    return None
                while waiting[-1] != "(":
                    apply()
                waiting.pop()
            else:
                if expects_number:
                    return None
                while waiting and waiting[-1] != "(" and _PRECEDENCE[waiting[-1]] >= _PRECEDENCE[part]:
                    apply()
                waiting.append(part)
                expects_number = True
        while waiting:
            # A bracket may close after the result: "0.82 (1,146 / 1,402 = 0.82)".
            if waiting[-1] == "(":
                waiting.pop()
            else:
                apply()
    except (IndexError, DivisionByZero, InvalidOperation):
        return None
    return output[0] if len(output) == 1 and not expects_number else None


def _comes_out(value: Decimal, operands: Sequence[Number], result: Number) -> bool:
    """Return whether the claimed result is the value, rounded to the decimals of the result."""
    if result.unit is not NumberUnit.PLAIN:
        value = value * 100
    sought = [value.scaleb(-result.exponent)]
    scales = {operand.exponent for operand in operands}
    if not result.exponent and len(scales) == 1:
        # "1,577 million + 10 million = 1,587": the result has the same scale, although it does not state it.
        sought.append(value.scaleb(-scales.pop()))
    claimed = -result.value if result.negative else result.value
    step = Decimal(1).scaleb(-result.decimals)
    return any(
        each.quantize(step, rounding=mode) == claimed for each in sought for mode in (ROUND_HALF_UP, ROUND_HALF_EVEN)
    )
