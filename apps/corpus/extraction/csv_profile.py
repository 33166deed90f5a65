"""Summarise a CSV file: its columns, their types, counts and ranges, and no value that could be somebody's.

A row is read and forgotten: what is kept of a column is bounded. The summary is the same on every machine.

Which values are shown is decided here, and with care, because the summary is searched by more people than the file is
read by. Texts are never shown. Numbers and dates are shown as quantiles, of columns with enough values (MIN_VALUES) of
which enough differ (MIN_DISTINCT), and not of a column that may be about a person, by its name or its values, or that
numbers things. Where any column may be about a person, each row may be: then the extremes of the others are left out,
too, and the outer quantiles where they would be one of the few values at an end (MIN_AT_END).
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from itertools import chain, islice
from typing import Any, Final

from apps.corpus.extraction.about_people import (
    in_words,
    is_like_a_person,
    is_of_people,
    names_an_account,
    reaches_somebody,
)
from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.decoding import decode, looks_binary
from apps.corpus.extraction.delimited import find_delimiter
from apps.corpus.extraction.errors import ExtractionError, UnknownEncodingError
from apps.corpus.extraction.record_file import Number

MAX_COLUMNS: Final = 200
MIN_VALUES: Final = 20
MIN_DISTINCT: Final = 10
MIN_AT_END: Final = 5
_MAX_DISTINCT: Final = 2_000
_MAX_KEPT: Final = 10_000
_MAX_NAME_CHARS: Final = 120
_SAMPLE_BYTES: Final = 1024 * 1024
_SAMPLE_ROWS: Final = 40
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


class CsvUnusableError(ExtractionError):
    """Data: filename, reason (as a sentence)."""

    code = "corpus.csv_unusable"
    message = "{filename} can't be summarised: {reason}"


@dataclass(slots=True)
class _Column:
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
            self.distinct.add(_digest(said))
        self.personal += reaches_somebody(said)
        self.like_people += is_like_a_person(said)
        type, measure = _read(said, comma_is_decimal=comma_is_decimal)
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


def profile_csv(content: bytes, *, filename: str, header: bool = True) -> dict[str, Any]:
    """Return the summary of a CSV file as the body of a record.

    Args:   header: whether the first row has the names of the columns. Names are shown, so a file without them must not
            be taken for one with them: a row that looks like data is refused as a header.
    Raises: CsvUnusableError: no table; too many columns; UnknownEncodingError.
    Costs:  one pass; memory for 10,000 numbers and 2,000 digests a column, beside the file.
    """
    if not content.strip() or looks_binary(content):
        raise CsvUnusableError(filename=filename, reason="it is empty, or no text.")
    encoding = _encoding(content, filename)
    try:
        beginning = list(islice(_lines(content, encoding), 2 * _SAMPLE_ROWS))
        delimiter = find_delimiter(beginning)
        table = _Table(filename, header=header, comma_is_decimal=delimiter == ";")
        table.read(_rows(content, encoding, delimiter))
    except UnicodeError:
        raise UnknownEncodingError(filename=filename) from None
    if header and table.header_is_data():
        reason = (
            "its first row looks like data: it stands in the rows below, too. Say that it has no header, or add one."
        )
        raise CsvUnusableError(filename=filename, reason=reason)
    if not table.rows:
        raise CsvUnusableError(filename=filename, reason="it has no rows below the names of its columns.")
    return {
        "file": {
            "name": filename,
            "sha256": hashlib.sha256(content).hexdigest(),
            "size_bytes": _number(len(content)),
            "encoding": encoding,
            "delimiter": {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}[delimiter],
        },
        **table.summary(),
    }


class _Table:
    """The rows of a file on their way through."""

    def __init__(self, filename: str, *, header: bool, comma_is_decimal: bool) -> None:
        self._filename = filename
        self._header = header
        self._comma_is_decimal = comma_is_decimal
        self.columns: list[_Column] = []
        self.rows = self.ragged = self.broken = 0

    def read(self, rows: Iterator[list[str] | None]) -> None:
        lead = list(islice(rows, _SAMPLE_ROWS))
        widths = Counter(len(row) for row in lead if row and len(row) > 1) or Counter(len(row) for row in lead if row)
        if not widths:
            raise CsvUnusableError(filename=self._filename, reason="no row of it can be read.")
        width = max(widths, key=lambda each: (widths[each], each))
        if width > MAX_COLUMNS:
            raise CsvUnusableError(filename=self._filename, reason=f"it has more than {MAX_COLUMNS} columns.")
        for row in chain(lead, rows):
            if row is None:
                self.broken += 1
            elif len(row) != width:
                self.ragged += 1
            elif not self.columns:
                self._begin(row)
            elif any(cell.strip() for cell in row):
                self._add(row)

    def _begin(self, row: Sequence[str]) -> None:
        if not self._header:
            self.columns = [_Column(f"column {position}") for position in range(1, len(row) + 1)]
            self._add(row)
            return
        if any(_is_data(one_line(cell)) for cell in row):
            reason = "its first row looks like data. Say that it has no header, or add one."
            raise CsvUnusableError(filename=self._filename, reason=reason)
        taken: Counter[str] = Counter()
        for position, cell in enumerate(row, start=1):
            name = one_line(cell)[:_MAX_NAME_CHARS].strip() or f"column {position}"
            taken[name] += 1
            self.columns.append(_Column(name if taken[name] == 1 else f"{name} ({taken[name]})"))

    def _add(self, row: Sequence[str]) -> None:
        self.rows += 1
        for column, cell in zip(self.columns, row, strict=True):
            column.add(cell, comma_is_decimal=self._comma_is_decimal)

    def header_is_data(self) -> bool:
        """Return whether some names of columns are values of theirs. Where all are, the header stands there again."""
        values = sum(_digest(column.name) in column.distinct for column in self.columns)
        return 0 < values < len(self.columns)

    def summary(self) -> dict[str, Any]:
        about_people = any(column.may_be_personal for column in self.columns)
        return {
            "rows": _number(self.rows),
            "rows_left_out": {"of_another_width": _number(self.ragged), "not_readable": _number(self.broken)},
            "formula_cells": _number(sum(column.formulas for column in self.columns)),
            "may_be_about_people": about_people,
            "columns": {
                _once(column.name, self.columns, place): _summary(column, place + 1, about_people=about_people)
                for place, column in enumerate(self.columns)
            },
        }


def _summary(column: _Column, position: int, *, about_people: bool) -> dict[str, Any]:
    distinct = len(column.distinct)
    told: dict[str, Any] = {
        "position": _number(position),
        "type": column.type,
        "values": _number(column.count),
        "missing": _number(column.missing),
        "distinct": f"more than {_MAX_DISTINCT:,}" if distinct > _MAX_DISTINCT else _number(distinct),
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


def _withheld(column: _Column) -> str:
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


def _shown(column: _Column, value: float) -> str | Number:
    return date.fromordinal(int(value)).isoformat() if column.type == "date" else Number(f"{value:.10g}")


def _number(value: int) -> Number:
    return Number(str(value))


def _once(name: str, columns: Sequence[_Column], place: int) -> str:
    """Return a name that no column before has: "a (2)" may stand in the file beside two that are called "a"."""
    return f"{name} [{place + 1}]" if any(other.name == name for other in columns[:place]) else name


def _encoding(content: bytes, filename: str) -> str:
    sample = content[:_SAMPLE_BYTES]
    if len(content) > _SAMPLE_BYTES:
        # Not in the midst of a character. A line ends in every encoding that is read here with this byte.
        sample = sample[: sample.rfind(b"\n") + 1] or sample
    decoded = decode(sample)
    if decoded.wrong:
        raise UnknownEncodingError(filename=filename)
    return decoded.encoding


def _lines(content: bytes, encoding: str) -> Iterator[str]:
    with io.TextIOWrapper(io.BytesIO(content), encoding=encoding, newline="") as text:
        yield from text


def _rows(content: bytes, encoding: str, delimiter: str) -> Iterator[list[str] | None]:
    """Return each row, or None for one that can't be read."""
    reader = csv.reader(
        (line.replace("\0", "") for line in _lines(content, encoding)), delimiter=delimiter, skipinitialspace=True
    )
    while True:
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield None
            continue
        if row:
            yield row


def _digest(said: str) -> bytes:
    return hashlib.blake2b(said.encode(), digest_size=12).digest()


def _read(said: str, *, comma_is_decimal: bool) -> tuple[str, float | None]:
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


def _is_data(cell: str) -> bool:
    """Whether a cell of the first row is surely no name of a column. A year is one."""
    type, measure = _read(cell, comma_is_decimal=False)
    is_year = type == "number" and measure is not None and 1900 <= measure <= 2100
    return (type in ("number", "date") and not is_year) or names_an_account(cell)
