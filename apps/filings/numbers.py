"""Write the values of facts."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

SCALES: Final = ((9, "billion"), (6, "million"), (3, "thousand"))


def plain_number(value: Decimal) -> str:
    """Return a number without an exponent and without zeros at its end: "1577000000", "12.5"."""
    text = f"{value:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def scale_of(values: Iterable[Decimal]) -> int:
    """Return the exponent in which amounts are read best together: 6 if the largest has more than seven digits."""
    largest = max((abs(value) for value in values), default=Decimal(0))
    return next((exponent for exponent, _ in SCALES[1:] if largest >= Decimal(10).scaleb(exponent)), 0)


def scaled_number(value: Decimal, exponent: int, *, decimals: int) -> str:
    """Return a number in a scale, with its thousands parted and its negative in brackets, as statements print it."""
    size = abs(value).scaleb(-exponent).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    text = f"{size:,}"
    return f"({text})" if value < 0 and size else text
