"""Work out an expression of numbers and signs: + - * / and powers, with brackets. Nothing is executed."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal, DivisionByZero, InvalidOperation, Overflow, localcontext
from typing import Final

Token = Decimal | str

PRECEDENCE: Final = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 3}
_LARGEST_EXPONENT: Final = 100
_MOST_TOKENS: Final = 200
_PRECISE: Final = Context(prec=40, Emax=10_000, Emin=-10_000)


def evaluate(tokens: Sequence[Token]) -> Decimal | None:
    """Evaluate the tokens with the shunting-yard algorithm. Return None if they are not a complete expression."""
    if len(tokens) > _MOST_TOKENS:
        return None
    with localcontext(_PRECISE):
        try:
            return _evaluate(tokens)
        except (IndexError, DivisionByZero, InvalidOperation, Overflow):
            return None


def _evaluate(tokens: Sequence[Token]) -> Decimal | None:
    output: list[Decimal] = []
    waiting: list[str] = []

    def apply() -> None:
        right, left = output.pop(), output.pop()
        output.append(_apply(waiting.pop(), left, right))

    expects_number = True
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
            while waiting and waiting[-1] != "(" and _binds_first(waiting[-1], part):
                apply()
            waiting.append(part)
            expects_number = True
    while waiting:
        # A bracket may close after the result: "0.82 (1,146 / 1,402 = 0.82)".
        if waiting[-1] == "(":
            waiting.pop()
        else:
            apply()
    return output[0] if len(output) == 1 and not expects_number else None


def _binds_first(before: str, sign: str) -> bool:
    """Return whether the sign before binds first. Powers are read from the right: 2 ^ 3 ^ 2 is 2 ^ 9."""
    return PRECEDENCE[before] > PRECEDENCE[sign] or (PRECEDENCE[before] == PRECEDENCE[sign] and sign != "^")


def _apply(sign: str, left: Decimal, right: Decimal) -> Decimal:
    match sign:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case "^":
            if abs(right) > _LARGEST_EXPONENT:
                raise InvalidOperation
            return left**right
        case _:
            raise IndexError
