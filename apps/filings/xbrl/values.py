"""The value of a fact: its printed text, read as its format says, with scale and sign."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

_GREATEST_SCALE: Final = 18
_MOST_DIGITS: Final = 24
_GREATEST: Final = Decimal(10) ** 24
_BLANKS: Final = re.compile(r"[\s'\u2019]")
_DOT_DECIMAL: Final = re.compile(r"^[\d,]*(?:\.(\d+))?$")
_COMMA_DECIMAL: Final = re.compile(r"^[\d.]*(?:,(\d+))?$")
_PLAIN: Final = re.compile(r"^-?\d*(?:\.(\d+))?$")
# Names of the transformation registries without hyphens, since the versions differ in them.
_DOT_FORMATS: Final = frozenset({"numdotdecimal", "numcommadot", "numspacedot", "numdotdecimalin"})
_COMMA_FORMATS: Final = frozenset({"numcommadecimal", "numdotcomma", "numspacecomma", "numcomma"})
_ZERO_FORMATS: Final = frozenset({"fixedzero", "zerodash", "numdash"})
NUMBER_WORDS: Final = dict.fromkeys(("no", "none", "nil"), Decimal(0)) | {
    word: Decimal(number)
    for number, word in enumerate(
        ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PrintedValue:
    """A number as it is printed: without scale and sign. decimals: that are printed."""

    number: Decimal
    decimals: int


def read_printed(text: str, format_name: str) -> PrintedValue | None:
    """Return the number that a text shows, or None if it is none in that format.

    Args: format_name: a name of a transformation registry, with its prefix; empty for a plain number.
    """
    name = format_name.rpartition(":")[2].lower().replace("-", "").strip()
    if name in _ZERO_FORMATS:
        return PrintedValue(number=Decimal(0), decimals=0)
    if name == "numwordsen":
        number = NUMBER_WORDS.get(text.strip().lower())
        return None if number is None else PrintedValue(number=number, decimals=0)
    digits = _BLANKS.sub("", text)
    if not 0 < len(digits) <= 2 * _MOST_DIGITS:
        return None
    if name in _DOT_FORMATS:
        return _read(digits, _DOT_DECIMAL, grouping=",", point=".")
    if name in _COMMA_FORMATS:
        return _read(digits, _COMMA_DECIMAL, grouping=".", point=",")
    return None if name else _read(digits, _PLAIN, grouping="", point=".")


def apply_scale(printed: Decimal, *, scale: int, negative: bool) -> Decimal | None:
    """Return the value in whole units, or None if no report has one as great."""
    if abs(scale) > _GREATEST_SCALE:
        return None
    value = printed.scaleb(scale)
    if abs(value) >= _GREATEST:
        return None
    return plain_decimal(-value if negative and value else value)


def plain_decimal(value: Decimal) -> Decimal:
    """Return the number without an exponent: 1577000000, and not 1577E+6."""
    return value.quantize(Decimal(1)) if value == value.to_integral_value() else value


def read_scale(text: str | None) -> int | None:
    """Return the scale that a fact states, None for none. For what is no number, it is one that apply_scale refuses."""
    text = (text or "").strip()
    if not text:
        return None
    return int(text) if re.fullmatch(r"[-+]?[0-9]{1,3}", text) else _GREATEST_SCALE + 1


def _read(digits: str, pattern: re.Pattern[str], *, grouping: str, point: str) -> PrintedValue | None:
    match = pattern.match(digits)
    if match is None or not any(each.isdigit() for each in digits) or not digits.isascii():
        return None
    decimals = len(match[1] or "")
    plain = (digits.replace(grouping, "") if grouping else digits).replace(point, ".")
    if len(plain) > _MOST_DIGITS:
        return None
    return PrintedValue(number=Decimal(plain), decimals=decimals)
