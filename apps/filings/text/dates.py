"""Read calendar dates, so that "March 21, 2022" is one claim and not two numbers. English and German."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

_MONTHS: Final = (
    "january|januar|jan",
    "february|februar|feb",
    "march|märz|mar",
    "april|apr",
    "may|mai",
    "june|juni|jun",
    "july|juli|jul",
    "august|aug",
    "september|sept|sep",
    "october|oktober|oct|okt",
    "november|nov",
    "december|dezember|dec|dez",
)
MONTH_NAME: Final = rf"(?:{'|'.join(_MONTHS)})"
MONTH: Final = rf"(?P<month>{'|'.join(_MONTHS)})\.?"
_DAY: Final = r"(?P<day>0?[1-9]|[12]\d|3[01])"
_YEAR: Final = r"(?P<year>(?:19|20)\d{2})"
_PATTERNS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_YEAR}-(?P<month_number>0[1-9]|1[0-2])-{_DAY}\b",
        rf"\b{_DAY}\.\s?(?P<month_number>0?[1-9]|1[0-2])\.\s?{_YEAR}\b",
        rf"\b{_DAY}(?:st|nd|rd|th|\.)?\s+(?:of\s+)?{MONTH}(?:,?\s+{_YEAR})?(?!\w)",
        rf"\b{MONTH}\s+{_DAY}(?:st|nd|rd|th)?(?:,?\s+{_YEAR})?(?!\w)(?!,\d)",
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A day; `year` is None if the text omits it."""

    text: str
    month: int
    day: int
    year: int | None
    start: int
    end: int

    def is_same(self, other: Date) -> bool:
        """Return whether `other`, a date of a source, supports this date. If this date has a year, `other` needs it."""
        return (self.month, self.day) == (other.month, other.day) and self.year in (None, other.year)


def read_dates(text: str) -> tuple[Date, ...]:
    """Return all dates of a text that name a day, left to right."""
    found: list[Date] = []
    taken = bytearray(len(text))
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            taken[match.start() : match.end()] = b"\1" * len(match.group())
            groups = match.groupdict()
            number = groups.get("month_number")
            found.append(
                Date(
                    text=match.group(),
                    month=int(number) if number else month_number(groups["month"]),
                    day=int(groups["day"]),
                    year=int(groups["year"]) if groups["year"] else None,
                    start=match.start(),
                    end=match.end(),
                )
            )
    return tuple(sorted(found, key=lambda date: date.start))


def month_number(name: str) -> int:
    """Return the number of a month, from 1, by a name that MONTH matches."""
    wanted = name.lower()
    return next(number for number, names in enumerate(_MONTHS, start=1) if wanted in names.split("|"))
