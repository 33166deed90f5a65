"""Tell what a table cell holds: an amount, a year or words. Shared by every format that has tables."""

from __future__ import annotations

import re
from functools import lru_cache

_AMOUNT = re.compile(
    r"""^[(\[<>~]?\s?[-\u2013\u2212+]?\s?(?:[A-Z]{0,3}[$€£¥])?\s?[(\[]?\s?[-\u2013\u2212+]?\s?
        (?:\d{1,3}(?:[.,'\u2019]\d{3})*(?:[.,]\d+)?|\d+(?:[.,]\d+)?|[.,]\d+)
        \s?[)\]]?\s?(?:%|x|bps?|bn|mn|[MBK]|¢|€|£|pp|pts?)?\s?[)\]]?
        (?:\s?\((?:[a-z]{1,2}|\d{1,2})\)|\*+|†)*$""",
    re.VERBOSE,
)
_ABSENT = re.compile(
    r"^(?:[$€£]?\s?[-\u2010-\u2015\u2212](?:\s?%)?|\.{3}|nm|n/m|n\.m\.|n/a|na|none|nil|\*+)$", re.IGNORECASE
)
_YEAR = re.compile(
    r"^(?:fy\s?|fiscal(?:\s+year)?\s+|cy\s?)?(?:19|20)\d\d[ae]?(?:\s?\(\w{1,2}\)|\*+)?[:,]?$", re.IGNORECASE
)
_PERIOD = re.compile(
    r"^(?:[1-4]q|q[1-4]|h[12]|fy)\s?['\u2019]?\d{2,4}[ae]?$|^\d{1,2}[/.-]\d{1,2}[/.-]\d{2,4}$|^\d{4}-\d\d-\d\d$"
    r"|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s\d{1,2},?(?:\s\d{4})?$",
    re.IGNORECASE,
)
_SIGN_BEFORE = re.compile(r"^(?:[A-Z]{0,3}[$€£¥]|[(\[]|[$€£¥]\s?[(\[]|[-\u2013\u2212+])$")
_SIGN_AFTER = re.compile(r"^(?:%|[)\]]|[)\]]\s?%|%\s?[)\]]|bps|x)$")
_UNIT_WORDS = r"(?:millions|thousands|billions|dollars|euros|percent(?:ages?)?|us\$|usd|eur|shares)"
_UNIT = re.compile(
    rf"^\(?(?:[^()]{{0,30}}\bin\s)?[^()]{{0,20}}\b{_UNIT_WORDS}\b[^()]{{0,60}}\)$"
    rf"|^(?:[$€£]?\s?in|dollars\s+in|amounts\s+in)\s[^()]{{0,20}}\b{_UNIT_WORDS}\b[^()]{{0,60}}$|^\(unaudited\)$",
    re.IGNORECASE,
)
_UNIT_PHRASE = re.compile(
    rf"\([^()]{{0,30}}\b{_UNIT_WORDS}\b[^()]{{0,60}}\)"
    rf"|\b(?:in|of)\s(?:us\s)?(?:millions|thousands|billions)(?:\sof\s\w+)?",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 40  # characters
_REMEMBERED = 32_768  # words; a filing asks about the same ones over and over
_WIDTHLESS = re.compile(r"(?<=[$€£¥(\[])\s+(?=[\d.,($€£\u2013\u2014\u2212-])|(?<=[\d)\u2014])\s+(?=[)\]%])")


def is_amount(text: str) -> bool:
    """Is the cell one number as printed ("$1,577", "(12)%", "4.5x"), or a sign that there is none ("—", "NM")?"""
    return len(text) <= _LONGEST_NUMBER and _is_amount(text)


def is_period(text: str) -> bool:
    """Is the cell a year, a quarter or a date, as columns are headed by?"""
    return len(text) <= _LONGEST_NUMBER and _is_period(text)


@lru_cache(maxsize=_REMEMBERED)
def _is_amount(text: str) -> bool:
    return bool(_AMOUNT.match(text)) or bool(_ABSENT.match(text))


@lru_cache(maxsize=_REMEMBERED)
def _is_period(text: str) -> bool:
    return bool(_YEAR.match(text)) or bool(_PERIOD.match(text))


def is_sign_before(text: str) -> bool:
    """Does the text belong to the number right of it ("$", "(")?"""
    return len(text) < 7 and bool(_SIGN_BEFORE.match(text))


def is_sign_after(text: str) -> bool:
    """Does the text belong to the number left of it (")", "%")?"""
    return len(text) < 7 and bool(_SIGN_AFTER.match(text))


def glue(text: str) -> str:
    """Close the space between a number and its signs: "$ 5,363" -> "$5,363", "(12) %" -> "(12)%"."""
    return _WIDTHLESS.sub("", text)


def is_unit(text: str) -> bool:
    """Does a cell say only in what a table counts: "(In millions, except per share data)", "(unaudited)"?"""
    return len(text) < 160 and bool(_UNIT.match(text))


def unit_in(text: str) -> str:
    """The unit that a caption names ("(in thousands)"), or ""."""
    match = _UNIT_PHRASE.search(text[-400:])
    return match.group() if match else ""
