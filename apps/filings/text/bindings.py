"""Tell which year a number in a sentence belongs to: "1,577 in 2018 and 1,373 in 2017"."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from typing import Final

from apps.filings.text.numbers import Number, NumberUnit

_YEAR: Final = re.compile(
    r"(?<![\d.,])(?:FY|fiscal\s)?(?P<year>(?:19|20)\d{2})(?![\d%]|[.,]\d)|\bFY\s?'?(?P<short>\d{2})\b"
)
_BREAK: Final = re.compile(
    r"[,;:|]|\b(?:and|after|against|compared|versus|vs|from|than|while|but|to|und|nach|gegen\w*|von|auf)\b",
    re.IGNORECASE,
)
_CLAUSE: Final = re.compile(r";|\b(?:while|whereas|w\u00e4hrend)\b|,\s+(?:and|but)\s+in\b", re.IGNORECASE)
_OF_THE_NEXT: Final = re.compile(r"['\u2019]s|\s*[:=]")
_FURTHEST_CHARS: Final = 45

YearsBehind = Mapping[int, re.Match[str]]


def is_year(number: Number) -> bool:
    """Return whether a number may be a year: nothing but a plain number from 1900 to 2099."""
    plain = number.unit is NumberUnit.PLAIN and not number.exponent and not number.currency and not number.negative
    return plain and number.text.isdigit() and 1900 <= number.value < 2100


def years_of(text: str) -> frozenset[int]:
    """Return all years that a text names, including short forms such as FY18."""
    return frozenset(_value(match) for match in _YEAR.finditer(text))


def years_behind(sentence: str, numbers: Sequence[Number]) -> YearsBehind:
    """Return the years right after numbers that are no years themselves, by where the number ends."""
    figures = [each for each in numbers if not is_year(each)]
    starts = sorted(each.start for each in figures)
    found = ((each.end, _year_behind(sentence, starts, each)) for each in figures)
    return {end: year for end, year in found if year is not None}


def bound_years(
    sentence: str, numbers: Sequence[Number], number: Number, *, behind: YearsBehind | None = None
) -> frozenset[int]:
    """Return the years that a sentence may mean for one of its numbers; empty if it names none.

    The year after the number counts first, if nothing separates the two; then those before it, back to the previous
    number; then all years of the sentence that no other number takes.

    Args: behind: what years_behind returns for all numbers, for who asks about each of them.
    """
    figures = [each for each in numbers if not is_year(each)]
    taken_by = years_behind(sentence, numbers) if behind is None else behind
    own = _year_behind(sentence, sorted(each.start for each in figures), number)
    if own is not None:
        return frozenset({_value(own)})
    before = max((each for each in figures if each.end <= number.start), default=None, key=lambda each: each.end)
    start = 0
    if before is not None:
        taken = taken_by.get(before.end)
        # "940 in 2023, while deposits rose to": the year belongs to the number before.
        start = taken.end() if taken is not None and _BREAK.search(sentence, taken.end(), number.start) else before.end
    if left := years_of(sentence[start : number.start]):
        return left
    others = [taken_by[each.end] for each in figures if each is not number and each.end in taken_by]
    # "714.8 (2023: 826.1)": the year with the colon is of the number that follows it.
    others.extend(each for each in _YEAR.finditer(sentence) if _OF_THE_NEXT.match(sentence, each.end()))
    following = min((each.start for each in figures if each.start >= number.end), default=None)
    if following is not None and (cut := _CLAUSE.search(sentence, number.end, following)):
        # "cut it to 9.4 million; in 2023 it had paid 16.5 million": the year belongs to the next.
        others.extend(_YEAR.finditer(sentence, cut.end(), following))
    return years_of(sentence) - {_value(each) for each in others}


def _year_behind(sentence: str, starts: Sequence[int], number: Number) -> re.Match[str] | None:
    """Return the year right after a number, if nothing separates the two.

    Args: starts: where the sentence's figures begin, in order.
    """
    next_one = bisect_left(starts, number.end)
    after = starts[next_one] if next_one < len(starts) else len(sentence)
    end = min(after, number.end + _FURTHEST_CHARS)
    behind = _YEAR.search(sentence, number.end, end)
    if behind is None or _BREAK.search(sentence, number.end, behind.start()):
        return None
    return None if _OF_THE_NEXT.match(sentence, behind.end()) else behind


def _value(match: re.Match[str]) -> int:
    return int(match["year"]) if match["year"] else 2000 + int(match["short"])
