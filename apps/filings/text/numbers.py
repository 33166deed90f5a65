"""Read numbers from text: 1,577 is 1577, and (1,577) is its negative.

A number carries what stands beside it: currency, scale, percent or percentage points.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation
from enum import StrEnum
from itertools import zip_longest
from typing import Final

_CODES: Final = "USD|EUR|GBP|CHF|SEK|NOK|DKK|JPY|CNY|CAD|AUD|HKD|SGD|INR|PLN|CZK|HUF"
_SYMBOLS: Final = {"$": "USD", "US$": "USD", "C$": "CAD", "A$": "AUD", "HK$": "HKD", "€": "EUR", "£": "GBP", "¥": "JPY"}
_NAMES: Final = {
    "dollar": "USD",
    "euro": "EUR",
    "pound": "GBP",
    "pfund": "GBP",
    "franken": "CHF",
    "franc": "CHF",
    "yen": "JPY",
    "krona": "SEK",
}
_SCALES: Final = {
    **dict.fromkeys(("thousand", "thousands", "k", "tausend", "tsd"), 3),
    **dict.fromkeys(("million", "millions", "m", "mn", "mio", "millionen"), 6),
    **dict.fromkeys(("billion", "billions", "b", "bn", "mrd", "milliarde", "milliarden"), 9),
    **dict.fromkeys(("trillion", "trillions", "tn", "billionen"), 12),
}
_SCALE_WORDS: Final = (
    r"thousands?|millions?|billions?|trillions?|mn|bn|tn|[mkb]|tausend|tsd|mio|mrd|millionen|milliarden?|billionen"
)
_DIGITS: Final = {
    "en": r"\d{1,3}(?:[,'\u2019\u202f]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?",
    "de": r"\d{1,3}(?:[.'\u2019\u202f]\d{3})+(?:,\d+)?|\d+(?:,\d+)?",
}
_WORDS: Final = {
    "en": ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"],
    "de": ["zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht", "neun", "zehn", "elf", "zwölf"],
}


class NumberUnit(StrEnum):
    PLAIN = "plain"
    PERCENT = "percent"
    POINTS = "percentage points"
    BASIS_POINTS = "basis points"


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number as written. `value` is without sign and scale; `exponent` is the power of ten that a word adds.

    `currency` is an ISO 4217 code or empty; `start` and `end` count within the text that was read.
    """

    text: str
    value: Decimal
    negative: bool
    unit: NumberUnit
    exponent: int
    currency: str
    start: int
    end: int

    @property
    def percent(self) -> bool:
        return self.unit is NumberUnit.PERCENT

    @property
    def decimals(self) -> int:
        exponent = self.value.as_tuple().exponent
        return max(0, -exponent) if isinstance(exponent, int) else 0

    @property
    def scaled(self) -> Decimal:
        return self.value.scaleb(self.exponent)


_RANGE: Final = re.compile(r"\s*(?:-|\u2013|\u2014|to|bis)\s*")
_BETWEEN: Final = re.compile(r"\b(?:between|zwischen)\s+(?:[A-Z]{3}\s?|[$\u20ac\u00a3]\s?)?$", re.IGNORECASE)
_AND: Final = re.compile(r"\s+(?:and|und)\s+(?:[A-Z]{3}\s?|[$\u20ac\u00a3]\s?)?", re.IGNORECASE)
_THOUSANDS_OF: Final = re.compile(r"T(?:EUR|USD|CHF|\u20ac)", re.IGNORECASE)
_MAY_BE_A_YEAR: Final = re.compile(r"(?:19|20)\d\d")


def read_numbers(text: str, language: str = "en") -> tuple[Number, ...]:
    """Return all numbers of a text, left to right, including small ones written as words.

    Digits inside words (Q4, FY2018, 10-K) are not numbers. In German, the point groups digits and the comma is the
    decimal separator.
    """
    tongue = language if language in _DIGITS else "en"
    found = [_number(match, tongue) for match in _PATTERNS[tongue].finditer(text) if _stands_alone(match, text)]
    found.extend(_word(match, tongue) for match in _WORD_PATTERNS[tongue].finditer(text))
    found.sort(key=lambda number: number.start)
    return tuple(_complete_from_range(number, after, text) for number, after in zip_longest(found, found[1:]))


def round_to(value: Decimal, decimals: int, rounding: str = ROUND_HALF_EVEN) -> Decimal | None:
    """Return the value with so many decimals; None where that would be more digits than decimal calculates with."""
    try:
        return value.quantize(Decimal(1).scaleb(-decimals), rounding=rounding)
    except InvalidOperation:
        return None


def find_stated_scale(text: str) -> int | None:
    """Return the last scale that a heading or caption names; None if it names none.

    Examples: "in millions", "EUR million", "(Millions)".
    """
    found = [
        each
        for each in _CAPTION.finditer(text)
        if not _OF_A_FIGURE.search(text, max(0, each.start() - 3), each.start())
    ]
    if not found:
        return None
    return _scale_of(found[-1])


def stated_scales(text: str) -> frozenset[int]:
    """Return all scales that the lines of a text name, as find_stated_scale reads them."""
    return frozenset(_scale_of(each) for line in text.splitlines() for each in _CAPTION.finditer(line))


def _scale_of(caption: re.Match[str]) -> int:
    if caption["german"]:
        return _SCALES["k"]
    named = caption["scale"] or caption["of_code"] or caption["before"] or caption["alone"]
    return _SCALES[named.lower().rstrip(".")]


def currencies_in(text: str) -> frozenset[str]:
    """Return the ISO codes of all currencies that a text names by code, sign or name."""
    codes = set(re.findall(rf"\b(?:{_CODES})\b", text))
    codes.update(_SYMBOLS[sign] for sign in re.findall(r"US\$|HK\$|[CA]\$|[$€£¥]", text))
    codes.update(_NAMES[name] for name in re.findall(rf"\b({'|'.join(_NAMES)})s?\b", text.lower()))
    codes.update(_currency(each) for each in re.findall(r"\bT(?:EUR|USD|CHF)\b", text))
    return frozenset(codes)


def units_in(text: str) -> frozenset[NumberUnit]:
    """Return percent, percentage points or basis points, if a heading or label mentions them."""
    found = set()
    if re.search(r"%|\bper\s?cent\b|\bprozent\b", text, re.IGNORECASE):
        found.add(NumberUnit.PERCENT)
    if re.search(r"\bpercentage points?\b|\bpp\b(?!&)|\bprozentpunkte?\b", text, re.IGNORECASE):
        found.add(NumberUnit.POINTS)
    if re.search(r"\bbasis points?\b|\bbps?\b|\bbasispunkte?\b", text, re.IGNORECASE):
        found.add(NumberUnit.BASIS_POINTS)
    return frozenset(found)


_MONEY: Final = rf"(?:US\$|HK\$|[CA]\$|[$€£¥]|\b(?:US\s+)?(?:dollars|euros|pounds)|\b(?:{_CODES}))"
_CAPTION: Final = re.compile(
    rf"\bin\s+(?:(?:US\s?)?[$€£¥]\s?|(?:{_CODES})\s+|dollars\s+)?(?P<scale>thousands|millions|billions|Tausend|Tsd|Mio|Mrd)\b"
    rf"|{_MONEY}\s?(?P<of_code>thousands?|millions?|billions?|mn|bn|[mk]|Tsd|Mio|Mrd)\b(?![ \t]*\d)"
    rf"|\b(?P<before>thousands?|millions?|billions?|Tsd|Mio|Mrd)\b\.?\s?(?:of\s+)?{_MONEY}"
    r"|\b(?P<german>T(?:EUR|USD|CHF|€)|kEUR|k€)"
    r"|\(\s*(?:[$€£]\s?)?(?P<alone>thousands|millions|billions)\b",
    re.IGNORECASE,
)
# "389 million euros" gives the scale of its own figure alone.
_OF_A_FIGURE: Final = re.compile(r"\d\s?$")


_PATTERNS: Final = {
    language: re.compile(
        rf"""
        (?<![\w.,])                                  # not inside a word (Q4, 10-K) or another number
        (?P<open>\()?
        (?:(?P<sign>[-\u2212\u2013])(?=[$€£\d(UCAH]|EUR|GBP))?
        (?P<currency>US\$|HK\$|[CA]\$|[$€£¥]|T?(?:{_CODES})(?=\s?[\d(\-\u2212$]))?\s?
        (?P<sign_after>[-\u2212](?=\d))?
        (?P<open_after>\()?
        (?P<digits>{digits})
        (?P<close>\))?
        (?:\s?(?P<unit>percentage\ points?|prozentpunkten?|prozentpunkte?|pp\b|basis\ points?|basispunkten?|bps?\b
            |%-?punkte|%\ ?points?|%|percent\b|per\ cent\b|prozent\b))?
        (?P<late_close>\))?
        (?:\s?(?P<scale>{_SCALE_WORDS})\b\.?)?
        (?:\s?(?P<currency_after>(?:{_CODES}|T(?:EUR|USD|CHF|€))(?!\s?(?!(?:19|20)\d\d\b(?![.,]\d))\d)|US\$|[$€£](?!\s?(?!(?:19|20)\d\d\b(?![.,]\d))\d)|(?:U\.?S\.?[\s-])?dollars?|euros?
            |pounds?(?:\s+sterling)?|francs?|pfund|franken)(?!\w))?
        """,
        re.VERBOSE | re.IGNORECASE,
    )
    for language, digits in _DIGITS.items()
}
_WORD_PATTERNS: Final = {
    language: re.compile(rf"(?<![\w\-])(?:{'|'.join(words)})(?![\w\-])", re.IGNORECASE)
    for language, words in _WORDS.items()
}


def _complete_from_range(number: Number, after: Number | None, text: str) -> Number:
    """Return the number with the unit, scale and currency of the second, if the two form a range: 10 to 15 per cent.

    A year begins no range of amounts: "from 2015 to $1.49 billion".
    """
    bare = number.unit is NumberUnit.PLAIN and not number.exponent
    if after is None or not bare:
        return number
    middle = text[number.end : after.start]
    if not _RANGE.fullmatch(middle) and not (_AND.fullmatch(middle) and _BETWEEN.search(text[: number.start])):
        return number
    if _MAY_BE_A_YEAR.fullmatch(number.text) and not number.currency:
        return number
    return replace(number, unit=after.unit, exponent=after.exponent, currency=number.currency or after.currency)


def _word(match: re.Match[str], language: str) -> Number:
    value = Decimal(_WORDS[language].index(match.group().lower()) + 2)
    return _make_number(match, value=value)


def _number(match: re.Match[str], language: str) -> Number:
    groups, divides = (",'\u2019\u202f", ".") if language == "en" else (".'\u2019\u202f", ",")
    digits = re.sub(f"[{groups}]", "", match["digits"]).replace(divides, ".")
    opened, closed = match["open"] or match["open_after"], match["close"] or match["late_close"]
    if _MAY_BE_A_YEAR.fullmatch(match["digits"]) and match.group() == f"({match['digits']})":
        # "Net debt (2023)" is a year; an amount has its thousands parted.
        start = match.start("digits")
        year = _make_number(match, value=Decimal(digits))
        return replace(year, text=digits, start=start, end=match.end("digits"))
    return _make_number(
        match,
        value=Decimal(digits),
        negative=bool(match["sign"] or match["sign_after"] or (opened and closed)),
        unit=_unit((match["unit"] or "").lower()),
        exponent=_exponent(match["scale"] or "", match["currency"] or match["currency_after"] or ""),
        currency=_currency(match["currency"] or match["currency_after"] or ""),
    )


def _make_number(
    match: re.Match[str],
    *,
    value: Decimal,
    negative: bool = False,
    unit: NumberUnit = NumberUnit.PLAIN,
    exponent: int = 0,
    currency: str = "",
) -> Number:
    return Number(
        text=_trim(match.group().strip()),
        value=value,
        negative=negative,
        unit=unit,
        exponent=exponent,
        currency=currency,
        start=match.start(),
        end=match.end(),
    )


def _trim(text: str) -> str:
    """Return the text without a bracket that is not part of the number."""
    if ("(" in text) == (")" in text):
        return text
    return text.strip("() ")


def _unit(word: str) -> NumberUnit:
    if not word:
        return NumberUnit.PLAIN
    if word.startswith(("b",)):
        return NumberUnit.BASIS_POINTS
    return NumberUnit.POINTS if "point" in word or "punkt" in word or word == "pp" else NumberUnit.PERCENT


def _exponent(scale: str, currency: str) -> int:
    if not scale:
        return _SCALES["k"] if _THOUSANDS_OF.fullmatch(currency) else 0
    return _SCALES[scale.lower().rstrip(".")]


def _currency(written: str) -> str:
    if not written:
        return ""
    if _THOUSANDS_OF.fullmatch(written):
        written = written[1:]
    words = re.split(r"[\s-]+", written.lower())
    if len(words) > 1:
        written = next((each for each in words if each.rstrip("s") in _NAMES), written)
    return _SYMBOLS.get(written.upper()) or _NAMES.get(written.lower().rstrip("s")) or written.upper()


def _stands_alone(match: re.Match[str], text: str) -> bool:
    """Return whether the digits are a number, and not the beginning of a name such as 10-K, 3M or 8th."""
    after = text[match.end("digits") : match.end("digits") + 2]
    if match["unit"] or (match["scale"] and (len(match["scale"]) > 1 or match["currency"])):
        return True
    if match["scale"]:
        return False
    return not (after[:1].isalpha() or (after[:1] == "-" and after[1:2].isalpha()))
