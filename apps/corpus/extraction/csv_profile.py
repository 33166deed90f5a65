"""Summarise a CSV file by its columns (csv_column.py), and show no value that could be somebody's.

A row is read and forgotten: what is kept of a column is bounded. The summary is the same on every machine.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any, Final

from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.csv_column import Column, as_number, digest, is_data, summarise
from apps.corpus.extraction.decoding import decode, looks_binary
from apps.corpus.extraction.delimited import find_delimiter
from apps.corpus.extraction.errors import ExtractionError, UnknownEncodingError

MAX_COLUMNS: Final = 200
_MAX_NAME_CHARS: Final = 120
_SAMPLE_BYTES: Final = 1024 * 1024
_SAMPLE_ROWS: Final = 40


class CsvUnusableError(ExtractionError):
    """Data: filename, reason (as a sentence)."""

    code = "corpus.csv_unusable"
    message = "{filename} can't be summarised: {reason}"


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
    if header and table.headeris_data():
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
            "size_bytes": as_number(len(content)),
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
        self.columns: list[Column] = []
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
            self.columns = [Column(f"column {position}") for position in range(1, len(row) + 1)]
            self._add(row)
            return
        if any(is_data(one_line(cell)) for cell in row):
            reason = "its first row looks like data. Say that it has no header, or add one."
            raise CsvUnusableError(filename=self._filename, reason=reason)
        taken: Counter[str] = Counter()
        for position, cell in enumerate(row, start=1):
            name = one_line(cell)[:_MAX_NAME_CHARS].strip() or f"column {position}"
            taken[name] += 1
            self.columns.append(Column(name if taken[name] == 1 else f"{name} ({taken[name]})"))

    def _add(self, row: Sequence[str]) -> None:
        self.rows += 1
        for column, cell in zip(self.columns, row, strict=True):
            column.add(cell, comma_is_decimal=self._comma_is_decimal)

    def headeris_data(self) -> bool:
        """Return whether some names of columns are values of theirs. Where all are, the header stands there again."""
        values = sum(digest(column.name) in column.distinct for column in self.columns)
        return 0 < values < len(self.columns)

    def summary(self) -> dict[str, Any]:
        about_people = any(column.may_be_personal for column in self.columns)
        return {
            "rows": as_number(self.rows),
            "rows_left_out": {"of_another_width": as_number(self.ragged), "not_readable": as_number(self.broken)},
            "formula_cells": as_number(sum(column.formulas for column in self.columns)),
            "may_be_about_people": about_people,
            "columns": {
                _once(column.name, self.columns, place): summarise(column, place + 1, about_people=about_people)
                for place, column in enumerate(self.columns)
            },
        }


def _once(name: str, columns: Sequence[Column], place: int) -> str:
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
