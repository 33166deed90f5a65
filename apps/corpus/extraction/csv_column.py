"""One column of a CSV file: what is kept of its values, of which the summary shows what could be nobody's.

Which values are shown is decided here, and with care, because the summary is searched by more people than the file is
read by. Texts are never shown. Numbers and dates are shown as quantiles, of columns with enough values (MIN_VALUES) of
which enough differ (MIN_DISTINCT), and not of a column that may be about a person, by its name or its values, or that
numbers things. Where any column may be about a person, each row may be: then the extremes of the others are left out,
too, and the outer quantiles where they would be one of the few values at an end (MIN_AT_END).
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from apps.corpus.extraction.about_people import (
    in_words,
    is_like_a_person,
    is_of_people,
    names_an_account,
    reaches_somebody,
)
from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.record_file import Number

MIN_VALUES: Final = 20
MIN_DISTINCT: Final = 10
MIN_AT_END: Final = 5
_MAX_DISTINCT: Final = 2_000
_MAX_KEPT: Final = 10_000
_FITS: Final = 0.98  # of a column's values have its type
_PERSONAL_SHARE: Final = 0.05  # of a column's values, and it may be about people
_NAMED_SHARE: Final = 0.3  # of a column's values that are like names of people: it may be about them
_QUANTILES: Final = (0.05, 0.25, 0.5, 0.75, 0.95)
_MISSING: Final = frozenset({"", "-", "\u2013", "\u2014", "na", "n/a", "n.a.", "nan", "null", "none", "nil", "#n/a"})
_FLAGS: Final = frozenset({"true", "false", "yes", "no", "ja", "nein", "wahr", "falsch"})
_PLAIN_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d{1,3})?%?\Z")
_THOUSANDS: Final = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?%?\Z")
_GERMAN_NUMBER: Final = re.compile(r"[-+]?(?:\d{1,3}(?:\.\d{3})+|\d+)(?:,\d+)?%?\Z")
_ISO_DATE: Final = re.compile(r"(\d{4})[-/](\d{2})[-/](\d{2})(?:[T ]\d{2}:\d{2}.{0,24})?\Z")
_GERMAN_DATE: Final = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})\Z")
_FORMULA: Final = re.compile(r"[=@]|[-+](?![\d.])")
_IDENTIFIER_NAME: Final = re.compile(r"(?:^|[\W_])(?:id|ids|key|uuid|guid|number|no|nr|nummer|code)$", re.IGNORECASE)


@dataclass(slots=True)
class Column:
    """What is kept of a column: counts, digests of distinct values, and a sample of its numbers."""

    name: str
    count: int = 0
    missing: int = 0
    types: Counter[str] = field(default_factory=Counter)
    distinct: set[bytes] = field(default_factory=set)
    personal: int = 0
    like_people: int = 0
    formulas: int = 0
    whole: bool = True
    kept: array[float] = field(default_factory=lambda: array("d"))
    step: int = 1
    measured: int = 0
    least: float = 0
    most: float = 0

    def add(self, cell: str, *, comma_is_decimal: bool) -> None:
        said = one_line(cell)
        if said.casefold() in _MISSING:
            self.missing += 1
            return
        self.count += 1
        if len(self.distinct) <= _MAX_DISTINCT:
            self.distinct.add(digest(said))
        self.personal += reaches_somebody(said)
        self.like_people += is_like_a_person(said)
        type, measure = read_value(said, comma_is_decimal=comma_is_decimal)
        self.types[type] += 1
        self.formulas += type == "text" and bool(_FORMULA.match(said))
        if measure is not None:
            self._measure(measure)

    def _measure(self, value: float) -> None:
        self.least = min(self.least, value) if self.measured else value
        self.most = max(self.most, value) if self.measured else value
        self.whole = self.whole and value.is_integer()
        if self.measured % self.step == 0:
            self.kept.append(value)
            if len(self.kept) > _MAX_KEPT:
                # Every second one of those that were kept, and from here on half as many: no chance decides.
                self.kept, self.step = self.kept[::2], self.step * 2
        self.measured += 1

    @property
    def type(self) -> str:
        if not self.count:
            return "empty"
        type, count = self.types.most_common(1)[0]
        return type if count >= _FITS * self.count else "mixed"

    @property
    def may_be_personal(self) -> bool:
        return (
            is_of_people(self.name)
            or self.personal > _PERSONAL_SHARE * self.count
            or self.like_people > _NAMED_SHARE * self.count
        )

    @property
    def numbers_things(self) -> bool:
        named = _IDENTIFIER_NAME.search(in_words(self.name))
        is_unique = self.whole and self.most >= 100_000 and len(self.distinct) > 0.9 * min(self.count, _MAX_DISTINCT)
        return bool(named) or (self.type == "number" and is_unique)


def summarise(column: Column, position: int, *, about_people: bool) -> dict[str, Any]:
    """Return what is shown of a column. Args: position: from 1. about_people: whether any column of the file may be."""
    distinct = len(column.distinct)
    told: dict[str, Any] = {
        "position": as_number(position),
        "type": column.type,
        "values": as_number(column.count),
        "missing": as_number(column.missing),
        "distinct": f"more than {_MAX_DISTINCT:,}" if distinct > _MAX_DISTINCT else as_number(distinct),
    }
    if column.type not in ("number", "date"):
        return told
    if withheld := _withheld(column):
        return {**told, "range": f"not shown: {withheld}"}
    ordered = sorted(column.kept)
    shown = {
        f"p{round(share * 100):02d}": _shown(column, _quantile(ordered, share))
        for share in _QUANTILES
        if not about_people or min(share, 1 - share) * column.count > MIN_AT_END - 0.5
    }
    if not about_people:
        shown |= {"min": _shown(column, column.least), "max": _shown(column, column.most)}
    if column.step > 1:
        shown["quantiles"] = f"estimated from {len(ordered):,} values"
    return {**told, **shown}


def _withheld(column: Column) -> str:
    if column.may_be_personal:
        return "the column may be about people"
    if column.numbers_things:
        return "the column numbers things"
    if column.count < MIN_VALUES:
        return f"fewer than {MIN_VALUES} values"
    return f"fewer than {MIN_DISTINCT} distinct values" if len(column.distinct) < MIN_DISTINCT else ""


def _quantile(ordered: Sequence[float], share: float) -> float:
    """Return the smallest value that is not exceeded by this share of the values: it is one of them."""
    return ordered[max(0, -(-int(share * 100) * len(ordered) // 100) - 1)]


def _shown(column: Column, value: float) -> str | Number:
    return date.fromordinal(int(value)).isoformat() if column.type == "date" else Number(f"{value:.10g}")


def as_number(value: int) -> Number:
    """Return a count as a record keeps its numbers: as they are written."""
    return Number(str(value))


def digest(said: str) -> bytes:
    """Return what stands for a value where only whether it was there before counts."""
    return hashlib.blake2b(said.encode(), digest_size=12).digest()


def read_value(said: str, *, comma_is_decimal: bool) -> tuple[str, float | None]:
    """Return the type of a value, and what it measures: a number, or the ordinal of a day."""
    day = _day(said)
    if day is not None:
        return "date", float(day.toordinal())
    if said.casefold() in _FLAGS:
        return "flag", None
    digits = said.replace(" ", "").replace("'", "").replace("\u2019", "").replace("\u2212", "-")
    if comma_is_decimal and _GERMAN_NUMBER.match(digits):
        digits = digits.replace(".", "").replace(",", ".")
    elif _THOUSANDS.match(digits):
        digits = digits.replace(",", "")
    if not _PLAIN_NUMBER.match(digits):
        return "text", None
    value = float(digits.rstrip("%"))
    return ("number", value) if abs(value) < 1e300 else ("text", None)


def _day(said: str) -> date | None:
    if match := _ISO_DATE.match(said):
        parts = int(match[1]), int(match[2]), int(match[3])
    elif match := _GERMAN_DATE.match(said):
        parts = int(match[3]), int(match[2]), int(match[1])
    else:
        return None
    try:
        return date(*parts)
    except ValueError:
        return None


def is_data(cell: str) -> bool:
    """Return whether a cell of the first row is surely no name of a column. A year is one."""
    type, measure = read_value(cell, comma_is_decimal=False)
    is_year = type == "number" and measure is not None and 1900 <= measure <= 2100
    return (type in ("number", "date") and not is_year) or names_an_account(cell)
