"""Read the amount that a cell of a table prints: "$(1,577)", "-12,5", "8.4 %", "—"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from apps.filings.text.numbers import currencies_in

_MINUS: Final = r"\-" "\u2010\u2011\u2212\u2013\u2014"
_LONGEST_CHARS: Final = 40
_AMOUNT: Final = re.compile(
    rf"""(?P<before>[(\[{_MINUS}+A-Z$\u20ac\u00a3\u00a5\s]{{0,10}})
        (?P<digits>\d[\d.,'\u2019\u202f]*|[.,]\d+)
        (?P<after>[\s)\]%{_MINUS}x\u20ac$\u00a3]{{0,6}}|\s?(?:EUR|USD|CHF|GBP|pp|bps?|cents?|\u00a2))
        (?:\s?\((?:[a-z]{{1,2}}|\d{{1,2}})\)|\*+|\u2020)*""",
    re.VERBOSE,
)
_SIGN: Final = re.compile(f"[{_MINUS}]")
_DASH: Final = re.compile(rf"[$\u20ac\u00a3(\s]*[{_MINUS}][\s)%]*")
_ENGLISH: Final = re.compile(r"(?:\d{1,3}(?:[,'\u2019\u202f]\d{3})+|\d+)?(?:\.\d+)?")
_GERMAN: Final = re.compile(r"(?:\d{1,3}(?:[.'\u2019\u202f]\d{3})+|\d+)?(?:,\d+)?")
_PARTS: Final = re.compile(r"['\u2019\u202f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amount:
    """A printed amount. value: with its sign, as printed. is_dash: a sign that there is none, which counts as zero."""

    value: Decimal
    decimals: int
    currency: str
    is_percent: bool
    is_multiple: bool
    is_dash: bool


def read_amount(text: str, *, decimal_comma: bool) -> Amount | None:
    """Return the amount of a cell that holds nothing but one; None for words, dates and what is ambiguous.

    Args: decimal_comma: whether the table parts decimals with a comma, as German does.
    """
    if len(text) > _LONGEST_CHARS:
        return None
    if _DASH.fullmatch(text):
        return Amount(
            value=Decimal(0),
            decimals=0,
            currency=_currency(text),
            is_percent="%" in text,
            is_multiple=False,
            is_dash=True,
        )
    match = _AMOUNT.fullmatch(text)
    if match is None:
        return None
    value = _value(match["digits"].rstrip(".,"), decimal_comma=decimal_comma)
    if value is None:
        return None
    before, after = match["before"], match["after"]
    bracketed = any(sign in before for sign in "([") and any(sign in text[match.end("digits") :] for sign in ")]")
    negative = bracketed or _SIGN.search(before) is not None or _SIGN.search(after) is not None
    exponent = value.as_tuple().exponent
    return Amount(
        value=-value if negative else value,
        decimals=max(0, -exponent) if isinstance(exponent, int) else 0,
        currency=_currency(before + after),
        is_percent="%" in after or "bp" in after or "pp" in after,
        is_multiple="x" in after,
        is_dash=False,
    )


def uses_decimal_comma(cells: list[str]) -> bool | None:
    """Return whether the amounts of cells show that decimals have a comma; None if they show nothing either way."""
    for text in cells:
        if re.search(r"\d\.\d{3},\d|\d\.\d{3}\.\d{3}|\d,\d{1,2}(?!\d)", text):
            return True
        if re.search(r"\d,\d{3}\.\d|\d,\d{3},\d{3}|\d\.\d{1,2}(?!\d)", text):
            return False
    return None


def _value(digits: str, *, decimal_comma: bool) -> Decimal | None:
    pattern, parts, divides = (_GERMAN, ".", ",") if decimal_comma else (_ENGLISH, ",", ".")
    plain = _PARTS.sub("", digits)
    if not pattern.fullmatch(digits) or not plain or not any(each.isascii() and each.isdigit() for each in plain):
        return None
    if not plain.isascii():
        return None
    return Decimal(plain.replace(parts, "").replace(divides, "."))


def _currency(text: str) -> str:
    if not text.strip("()[] %x" + _MINUS):
        return ""
    named = currencies_in(text)
    return next(iter(named)) if len(named) == 1 else "USD" if "US$" in text else ""
