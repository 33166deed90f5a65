"""Of which years a sentence says that a figure is: by name, by "a year earlier", or in the order of "respectively"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from apps.filings.text.bindings import bound_years, is_year, years_of
from apps.filings.text.numbers import Number, NumberUnit

_RELATIVE: Final = re.compile(
    r"\b(?:(?:a|the|one)\s+year\s+(?:earlier|ago|before|prior)|(?:the\s+)?(?:prior|previous|preceding|last)(?:\s+fiscal)?"
    r"[\s-]+(?:year|period)|year[\s-]ago|year[\s-]earlier|the\s+year\s+before|(?:im\s+)?vorjahr\w*|ein\s+jahr\s+zuvor)\b",
    re.IGNORECASE,
)
_IN_IT: Final = re.compile(rf"\W*(?:in|for|im|f\u00fcr)\s+{_RELATIVE.pattern}", re.IGNORECASE)
_LOOSELY: Final = re.compile(
    r"\b(?:prior|previous|earlier|compared|preceding|before|after|against|versus|vs|from|vorjahr|zuvor|nach|gegen\u00fcber|ver\u00e4ndert|changed?|vergleich\w*)\b",
    re.IGNORECASE,
)
_SPANS: Final = {
    "quarter": re.compile(
        r"\bQ[1-4]\b|\b[1-4]Q|\bquarters?\b|\b(?:three|3)\s+months\b|\b1[2-7]\s+weeks\b|\bquartals?\b", re.IGNORECASE
    ),
    "half": re.compile(
        r"\bH[12]\b|\b6M\b|\bhalf[\s-]year|\b(?:six|6)\s+months\b|\b2[4-8]\s+weeks\b|\bhalbjahr", re.IGNORECASE
    ),
    "nine months": re.compile(
        r"\b9M\b|\b(?:nine|9|neun)\s+(?:months|monate)\b|\b(?:3[6-9]|40)\s+weeks\b", re.IGNORECASE
    ),
    "year": re.compile(
        r"\bFY\s?\d|\bfiscal\s+(?:year\s+)?\d|\byears?\s+ended\b|\b(?:twelve|12)\s+months\b|\b5[23]\s+weeks\b|\bfull[\s-]year",
        re.IGNORECASE,
    ),
}
# "The first nine months", "the last three years": how long, and no figure.
_LENGTH: Final = re.compile(
    r"\b(?:first|last|past|previous|these|those|all|over|the|of|for|der|den|die|ersten|letzten)\s+(?:\w+\s+)?$",
    re.IGNORECASE,
)
_OF_TIME: Final = re.compile(
    r"\s*-?\s*(?:fiscal\s+)?(?:years?|months?|quarters?|weeks?|periods?|jahren?|monaten?)\b", re.IGNORECASE
)
_TIME: Final = re.compile(
    r"[\s-]*(?:[^\W\d]+\s+)?(?:years?|months?|quarters?|weeks?|days?|hours?|minutes?|jahren?|monaten?|wochen?|tagen?|stunden?|minuten?)\b",
    re.IGNORECASE,
)
_FROM: Final = re.compile(
    r"\b(?:from|compared\s+(?:with|to)|against|versus|vs\.?|gegen\u00fcber)\s+(?:the\s+)?(?:about\s+|around\s+|only\s+)?$|\bvon\s+(?:rund\s+)?$",
    re.IGNORECASE,
)
_TO: Final = re.compile(r"\s*(?:to|auf|->|\u2192)\s+(?:[A-Z]{3}\s?|[$\u20ac\u00a3]\s?)?\(?\d", re.IGNORECASE)
_AUF: Final = re.compile(r"[^,;.]{0,40}\bauf\b", re.IGNORECASE)
# A year with which is compared is not that of the figure.
_COMPARED_WITH: Final = re.compile(
    r"\b(?:compared\s+(?:with|to)|versus|vs\.?|against|relative\s+to|than\s+in|than|gegen\u00fcber|verglichen\s+mit|als)\s+"
    r"(?:fiscal\s+(?:year\s+)?|the\s+year\s+|FY\s?|dem\s+jahr\s+)?(?:19|20)\d\d\b",
    re.IGNORECASE,
)
RESPECTIVELY: Final = re.compile(r"\b(?:respectively|beziehungsweise|jeweils)\b", re.IGNORECASE)
_BREAK: Final = re.compile(
    r"[,;(]|\b(?:and|while|whereas|but|compared|versus|vs|against|from|down|up|und|gegen\w*|nach)\b", re.IGNORECASE
)


def claimed_years(
    sentence: str, numbers: Sequence[Number], number: Number, reference: frozenset[int]
) -> frozenset[int]:
    """Return the years that a sentence may mean for one of its numbers; empty if it says nothing of it.

    Args: reference: the years that are meant where a sentence names none, for "a year earlier".
    """
    figures = [each for each in numbers if not is_year(each)]
    if RESPECTIVELY.search(sentence) and (in_order := _in_order(sentence, numbers, figures, number)):
        return in_order
    sentence = _COMPARED_WITH.sub(lambda match: " " * len(match.group()), sentence)
    if _is_relative(sentence, figures, number):
        # "310 in 2024, down from 282 a year earlier": the year before the one that is named.
        named = years_of(sentence) or reference
        return frozenset({max(named) - 1}) if named else frozenset()
    if is_from(sentence, number) and not _has_own_year(sentence, numbers, number):
        # "From 98.5 to 121.6 in 2023": of a time before.
        return frozenset()
    return bound_years(sentence, numbers, number)


def is_from(sentence: str, number: Number) -> bool:
    """Return whether a number is that from which something changed: "from 8.5 to 8.9", "rose: 8.5 to 8.9"."""
    before = _FROM.search(sentence[: number.start])
    if before is not None and before.group().lower().startswith("von"):
        # "Gewinn von 20,1" is no beginning; "von 98,5 auf 121,6" is.
        return _AUF.match(sentence, number.end) is not None
    return before is not None or _TO.match(sentence, number.end) is not None


def _has_own_year(sentence: str, numbers: Sequence[Number], number: Number) -> bool:
    following = min(
        (each.start for each in numbers if each.start >= number.end and not is_year(each)), default=len(sentence)
    )
    behind = sentence[number.end : following]
    cut = _BREAK.search(behind)
    return bool(years_of(behind[: cut.start()] if cut else behind))


def span_of(text: str) -> frozenset[str]:
    """Return how long the times are that a text names: quarters, halves, nine months, years."""
    return frozenset(name for name, pattern in _SPANS.items() if pattern.search(text))


def is_length_of_time(sentence: str, number: Number) -> bool:
    """Return whether a number says how long a period is: "the first nine months"."""
    return _OF_TIME.match(sentence, number.end) is not None and _LENGTH.search(sentence[: number.start]) is not None


def is_duration(sentence: str, number: Number) -> bool:
    """Return whether a number counts days, months or years: "within 30 days"."""
    return number.unit is NumberUnit.PLAIN and not number.currency and _TIME.match(sentence, number.end) is not None


def is_compared(sentence: str) -> bool:
    """Return whether a sentence speaks of another period without naming it."""
    return _RELATIVE.search(sentence) is not None or _LOOSELY.search(sentence) is not None


def _in_order(sentence: str, numbers: Sequence[Number], figures: Sequence[Number], number: Number) -> frozenset[int]:
    years = [int(each.value) for each in numbers if is_year(each)]
    if len(years) == len(figures) > 1 and number in figures:
        return frozenset({years[figures.index(number)]})
    return frozenset()


def _is_relative(sentence: str, figures: Sequence[Number], number: Number) -> bool:
    """Return whether "a year earlier" belongs to this number: right after it, or in the words right before it."""
    after = min((each.start for each in figures if each.start >= number.end), default=len(sentence))
    behind = sentence[number.end : after]
    cut = _BREAK.search(behind)
    if _RELATIVE.search(behind[: cut.start()] if cut else behind):
        return True
    before = max((each.end for each in figures if each.end <= number.start), default=0)
    left = sentence[before : number.start]
    if years_of(left):
        return False
    if not before:
        return _IN_IT.match(left) is not None
    # What stands before the break belongs to the figure before.
    cut = _BREAK.search(left)
    return cut is not None and _RELATIVE.search(left[cut.start() :]) is not None
