"""Days, amounts of money and percentages in running text, by the one reader of numbers and of dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from apps.filings.graph.contracts import EntityType
from apps.filings.text.dates import read_dates
from apps.filings.text.numbers import read_numbers

_MAY_BE_A_DATE: Final = re.compile(r"(?:19|20)\d\d")
_MAY_BE_A_VALUE: Final = re.compile(
    r"[$\u20ac\u00a3\u00a5%]|\b(?:USD|EUR|GBP|CHF|JPY|SEK|NOK|DKK|percent|per\scent|[Pp]rozent|[Ee]uros?|dollars?)\b"
)
_MOST_DIGITS: Final = 24


def values_in(text: str, language: str) -> Iterator[tuple[int, int, EntityType, str]]:
    """Yield start, end, type and the end of the key of each value. A day counts with its year alone."""
    if _MAY_BE_A_DATE.search(text):
        for day in read_dates(text):
            if day.year is not None:
                yield day.start, day.end, EntityType.DATE, f"{day.year}-{day.month:02}-{day.day:02}"
    if _MAY_BE_A_VALUE.search(text):
        for number in read_numbers(text, language):
            if len(number.text) > _MOST_DIGITS * 2:
                continue
            printed = number.text.rstrip(".")
            start = text.find(printed, number.start)
            end = start + len(printed)
            value = _written(-number.scaled if number.negative else number.scaled)
            if start < 0 or len(value) > _MOST_DIGITS:
                continue
            if number.percent:
                yield start, end, EntityType.PERCENT, value
            elif number.currency:
                yield start, end, EntityType.MONEY, f"{number.currency.lower()}-{value}"


def _written(value: Decimal) -> str:
    return f"{value.normalize():f}"
