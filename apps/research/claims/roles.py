"""What part each number of a clause plays: a value, the value before, or the change between the two."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from apps.filings.text.bindings import is_year
from apps.filings.text.dates import read_dates
from apps.filings.text.numbers import Number, NumberUnit, read_numbers
from apps.research.claims.subjects import Measure
from apps.research.claims.words import ABOUT, AT_LEAST, AT_MOST, FROM, GROWTH, PRIOR, TO
from apps.retrieval.stages.grounding.moving_words import DOWN, FLAT, UP

NEAR_CHARS: Final = 60
"""How far before a number stands what says its part."""


class Role(StrEnum):
    VALUE = "value"
    BEFORE = "before"
    CHANGE = "change"


@dataclass(frozen=True, slots=True, kw_only=True)
class Moving:
    """A word that says which way a measure went: sentence[start:end]."""

    start: int
    end: int
    direction: int


_SHARED_UNIT: Final = re.compile(
    r"\s*(?:,|and|und|sowie|bzw\.?|,\s*(?:and|und))\s+(?:US\$|[$€£]|[A-Z]{3}\s)?\s*$", re.IGNORECASE
)
_COUNTED: Final = re.compile(
    r"\s*-?(?:months?|weeks?|days?|years?|quarters?|hours?|monate?n?|wochen?|tagen?|jahren?|quartalen?|stunden)\b",
    re.IGNORECASE,
)
_MORE: Final = re.compile(
    r"\s*(?:more|less|higher|lower|fewer|above|below|mehr|weniger|höher|niedriger|über|unter)\b", re.IGNORECASE
)
_CHANGE_NOUN: Final = re.compile(
    r"\b(?:increase|decrease|decline|drop|rise|fall|growth|gain|reduction|change|surge|jump|plus|minus|anstieg|zuwachs|rückgang|zunahme|abnahme"
    r"|steigerung|wachstum|erhöhung|verringerung)\s+(?:of|von|um|was|betrug)\s*(?:\w+\s+)?(?:US\$|[$€£]|[A-Z]{3}\s?)?$",
    re.IGNORECASE,
)
_AFTER_CHANGE: Final = re.compile(
    r"\s*(?:increase|decrease|decline|drop|rise|fall|growth|gain|reduction|jump|surge)\b", re.IGNORECASE
)
_BY_ALONE: Final = re.compile(r"\b(?:by|um)\s*(?:\w+\s+){0,2}(?:US\$|[$€£]|[A-Z]{3}\s?)?$", re.IGNORECASE)
_VON_AUF: Final = re.compile(r"\bvon\s*(?:\w+\s+)?(?:[€$£]|[A-Z]{3}\s?)?$", re.IGNORECASE)
_AUF: Final = re.compile(r"\bauf\b", re.IGNORECASE)
_PRIOR_BESIDE: Final = re.compile(r"\s*(?:in\s+)?(?:the\s+|im\s+)?", re.IGNORECASE)


def figures_of(sentence: str, language: str) -> tuple[Number, ...]:
    """Return the numbers that may be figures: no years, days, counts of months and small numbers in words."""
    days = [(date.start, date.end) for date in read_dates(sentence)]
    kept = [
        each
        for each in read_numbers(sentence, language)
        if not is_year(each)
        and any(map(str.isdigit, each.text))
        and not any(start < each.end and each.start < end for start, end in days)
        and not _COUNTED.match(sentence, each.end)
    ]
    return tuple(_with_shared_unit(sentence, kept))


def moving_words(sentence: str, start: int, end: int, measures: Sequence[Measure]) -> tuple[Moving, ...]:
    """Return the words of a clause that say a direction, left to right; none that is a part of a measure's name."""
    found = [
        Moving(start=match.start(), end=match.end(), direction=direction)
        for pattern, direction in ((UP, 1), (DOWN, -1), (FLAT, 0))
        for match in pattern.finditer(sentence, start, end)
        if not any(each.start < match.end() and match.start() < each.end for each in measures)
    ]
    found.extend(
        Moving(start=growth.start(), end=growth.end(), direction=1)
        for each in measures
        if start <= each.start < end and (growth := GROWTH.match(sentence, each.end))
    )
    unique = {each.start: each for each in found}
    return tuple(unique[at] for at in sorted(unique))


def role_of(sentence: str, start: int, number: Number, moving: Sequence[Moving], end: int) -> Role:
    """Args: start, end: of the number's clause."""
    before = sentence[max(start, number.start - NEAR_CHARS) : number.start].rstrip("( ") + (
        " " if sentence[number.start - 1 : number.start] == " " else ""
    )
    if _CHANGE_NOUN.search(before) or _AFTER_CHANGE.match(sentence, number.end):
        return Role.CHANGE
    if moving and (_BY_ALONE.search(before) or _MORE.match(sentence, number.end)):
        return Role.CHANGE
    if TO.search(before):
        return Role.VALUE
    if _VON_AUF.search(before):
        return Role.BEFORE if _AUF.search(sentence, number.end, end) and moving else _of_change(number, moving, before)
    if FROM.search(before):
        return Role.BEFORE
    return _of_change(number, moving, before)


def _of_change(number: Number, moving: Sequence[Moving], before: str) -> Role:
    relative = number.unit is not NumberUnit.PLAIN
    if not moving or not relative:
        return Role.VALUE
    # "fell to a margin of 12 %" is a value; "rose 12 %" and "wuchs mit 12 %" are changes.
    return Role.CHANGE


def is_of_year_before(sentence: str, number: Number) -> bool:
    """Return whether "a year earlier" stands right behind a number, or "previous year:" right before it."""
    behind = _PRIOR_BESIDE.match(sentence, number.end)
    at = behind.end() if behind else number.end
    if PRIOR.match(sentence, at):
        return True
    before = sentence[max(0, number.start - 30) : number.start].rstrip(" :(")
    return any(match.end() == len(before) for match in PRIOR.finditer(before))


def leeway_of(sentence: str, number: Number) -> int:
    """Return 2 for "about", 1 for "more than", -1 for "less than", else 0."""
    before = sentence[max(0, number.start - 40) : number.start]
    for pattern, leeway in ((ABOUT, 2), (AT_LEAST, 1), (AT_MOST, -1)):
        if pattern.search(before):
            return leeway
    return 0


def _with_shared_unit(sentence: str, numbers: Sequence[Number]) -> Iterator[Number]:
    """Return the numbers; of "4,655 and 4,210 million" the first takes scale and currency of the second."""
    shared: list[Number] = []
    for number in reversed(numbers):
        after = shared[-1] if shared else None
        bare = number.unit is NumberUnit.PLAIN and not number.exponent
        if after is not None and bare and _SHARED_UNIT.fullmatch(sentence, number.end, after.start):
            number = replace(
                number, unit=after.unit, exponent=after.exponent, currency=number.currency or after.currency
            )
        shared.append(number)
    return reversed(shared)
