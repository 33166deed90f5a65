"""Read periods that a follow-up counts from those of an earlier question: "the year before", "and in Q3?"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import Period
from apps.retrieval.stages.question.period_filters import place_of

_MONTHS: Final = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Januar|Februar|M\u00e4rz|Mai|Juni|Juli|Oktober|Dezember)"
)
LEAD: Final = re.compile(
    rf"(?:\b(?:(?:at|by|to|as\s+of|on|per|zum|am|bis)\s+)?(?:(?:the\s+)?(?:end|beginning|start|close|middle)\s+of\s+|(?:Ende|Anfang|Mitte)\s+|(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s+)?{_MONTHS}\s+(?:\d{{1,2}},\s+)?))$",
    re.IGNORECASE,
)
_NUMBERS: Final = {
    **dict.fromkeys(("", "a", "an", "one", "ein", "eine", "einem"), 1),
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "zwei": 2,
    "drei": 3,
    "vier": 4,
    "f\u00fcnf": 5,
}
_UNIT: Final = r"(?:fiscal\s+|financial\s+)?(?P<unit>year|quarter)"
_UNIT_DE: Final = r"(?P<unit>(?:Gesch\u00e4fts|Berichts)?jahr|Quartal)"
_N: Final = r"(?P<number>an?|one|two|three|four|five|[2-5])"
_N_DE: Final = r"(?P<number>eine?m?|zwei|drei|vier|f\u00fcnf|[2-5])"
_BACK: Final = r"(?P<back>before(?:\s+that)?|earlier|prior|previously)"
_ON: Final = r"(?P<on>after(?:\s+that|wards?)?|later|thereafter)"
_BACK_DE: Final = r"(?P<back>davor|zuvor|vorher|fr\u00fcher)"
_ON_DE: Final = r"(?P<on>danach|darauf|sp\u00e4ter)"
_LED: Final = r"(?:\b(?:in|im|for|f\u00fcr|of|during)\s+)?(?:\b(?:the|that|das|dem|der)\s+)?"
_STEPS: Final = tuple(
    re.compile(_LED + pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:same\s+(?:quarter|period)\s+(?:of|in)\s+the\s+)(?P<back>previous|prior|preceding)\s+(?P<unit>year)\b",
        rf"\b{_N}\s+(?:fiscal\s+)?(?P<unit>year|quarter)s?\s+(?:{_BACK}|{_ON})\b",
        rf"\b{_UNIT}\s+(?:{_BACK}|{_ON})\b",
        rf"\b(?P<back>previous|prior|preceding)\s+{_UNIT}\b",
        rf"\b(?P<on>following|next|subsequent)\s+{_UNIT}\b",
        rf"\b{_N_DE}\s+{_UNIT_DE}(?:e|en)?\s+(?:{_BACK_DE}|{_ON_DE})\b",
        rf"\b{_UNIT_DE}e?s?\s+(?:{_BACK_DE}|{_ON_DE})\b",
        rf"\b(?P<back>vorige|vorherige|vorangegangene)[nsm]?\s+{_UNIT_DE}e?s?\b",
        rf"\b(?P<on>folgende|n\u00e4chste|darauffolgende)[nsm]?\s+{_UNIT_DE}e?s?\b",
        r"\b(?P<back>Vor)(?P<unit>jahr|quartal)(?:e?s)?(?:quartal|zeitraum)?s?\b",
        r"\b(?:in\s+|im\s+)?(?P<same>same|that|selben|gleichen|diesem|jenem)\s+(?:fiscal\s+)?(?P<unit>year|quarter|(?:Gesch\u00e4fts)?jahr|Quartal)e?s?\b",
        r"\b(?:(?P<back>before\s+that|davor|zuvor)|(?P<on>after\s+that|danach))\b",
    )
)
_ORDINALS: Final = {"first": 1, "second": 2, "third": 3, "fourth": 4, "1st": 1, "2nd": 2, "3rd": 3, "4th": 4}
_GERMAN_ORDINALS: Final = {"erste": 1, "zweite": 2, "dritte": 3, "vierte": 4}
_WITHOUT_YEAR: Final = re.compile(
    r"(?:\b(?:in|im|for|f\u00fcr|at|of|on|am|zum)\s+)?(?:\b(?:the|das|dem)\s+)?"
    r"(?P<said>\b(?:Q[1-4]|H[12]|(?:first|second|third|fourth|1st|2nd|3rd|4th)\s+quarter"
    r"|(?:erste|zweite|dritte|vierte)[nsm]?\s+Quartals?|[1-4]\.\s?Quartal"
    r"|(?:(?:\d{1,2}(?:st|nd|rd|th|\.)?\s+)?(?:January|February|March|April|June|July|August|September|October|November|December|Januar|Februar|M\u00e4rz|Juni|Juli|Oktober|Dezember))))"
    r"(?!\w)(?!\s*,?\s*(?:of\s+|des\s+Jahres\s+)?(?:FY\s?)?['\u2019]?\d)",
    re.IGNORECASE,
)
_FOUR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_TWO: Final = re.compile(r"(?<=[/'\u2019Yy-])\d\d(?!\d)|(?<=FY )\d\d(?!\d)")
_QUARTER_DIGIT: Final = re.compile(r"(?<=[Qq])[1-4]|[1-4](?=Q|\.\s?Quartal)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A period that is counted from another. unit: year, quarter, or "" for the other's. steps: -1 is before it."""

    start: int
    end: int
    unit: str
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutYear:
    """A quarter or a day of a year that the follow-up leaves out."""

    start: int
    end: int
    said: str


def read_counted(text: str) -> Counted | None:
    """Return the period that a follow-up counts; None if it counts none."""
    for pattern in _STEPS:
        if (match := pattern.search(text)) is None:
            continue
        groups = match.groupdict()
        unit = (groups.get("unit") or "").lower()
        unit = "quarter" if unit in ("quarter", "quartal") else "year" if unit else ""
        word = (groups.get("number") or "").lower()
        number = int(word) if word.isdigit() else _NUMBERS[word]
        steps = 0 if groups.get("same") else number if groups.get("on") else -number
        return Counted(start=match.start(), end=match.end(), unit=unit, steps=steps)
    return None


def read_without_year(text: str) -> WithoutYear | None:
    """Return the quarter, half-year or day that a follow-up names without its year; None if there is none."""
    match = _WITHOUT_YEAR.search(text)
    return WithoutYear(start=match.start(), end=match.end(), said=match["said"]) if match else None


def shift(period: Period, counted: Counted) -> Period | None:
    """Return the period that is meant; None for a quarter that is counted from a whole year."""
    unit = counted.unit or ("quarter" if period.fiscal_quarter else "year")
    if unit == "year":
        return Period(fiscal_year=period.fiscal_year + counted.steps, fiscal_quarter=period.fiscal_quarter)
    if not period.fiscal_quarter:
        return None
    year, quarter = divmod(place_of(period) + counted.steps, 4)
    return Period(fiscal_year=year, fiscal_quarter=quarter + 1)


def word_like(wording: str, old: Period, new: Period) -> str:
    """Return another period in the words of the first: "third quarter of 2024" becomes "second quarter of 2024"."""
    years = new.fiscal_year - old.fiscal_year
    several = len(read_period_mentions(wording).named) > 1
    found = _FOUR.sub(lambda match: str(int(match.group()) + years), wording)
    found = _TWO.sub(lambda match: f"{(int(match.group()) + years) % 100:02d}", found)
    found = _QUARTER_DIGIT.sub(str(new.fiscal_quarter), found) if new.fiscal_quarter else found
    for ordinals in (_ORDINALS, _GERMAN_ORDINALS):
        named = {number: word for word, number in reversed(ordinals.items())}
        for word, number in ordinals.items():
            if number == old.fiscal_quarter and new.fiscal_quarter != number:
                found = re.sub(
                    rf"\b{word}(?=[nsm]?\b)", named.get(new.fiscal_quarter, word), found, flags=re.IGNORECASE
                )
                break
    read = read_period_mentions(found).named
    if several:
        # A range, such as "FY2021-2023", of which each end is counted.
        return found
    if len(read) == 1 and read[0].period == new:
        return found
    return new.label if new.fiscal_quarter else str(new.fiscal_year)
