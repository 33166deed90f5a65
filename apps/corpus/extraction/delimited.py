"""CSV: the dialect is found, each row is written with its column names, and a broken row stops only itself."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from apps.corpus.extraction.cleaning import clean, one_line
from apps.corpus.extraction.contracts import BlockKind, ExtractionWarning, Limits, WarningCode
from apps.corpus.extraction.errors import TooComplexError
from apps.corpus.extraction.numerals import is_amount, is_period
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.tables import SEPARATOR, plain_row

_DELIMITERS = ",;\t|"
_SAMPLE_ROWS = 40
_MAX_FIELD_CHARACTERS = 100_000
_MAX_LINES_IN_A_FIELD = 100  # an unclosed quote must not swallow the rest of the file
_QUOTED = re.compile(r'"(?:[^"]|"")*"')


class DelimitedReading:
    """One CSV file being read: its rows as drafts, and the broken ones as warnings with their row numbers."""

    def __init__(self, text: str, *, filename: str, limits: Limits) -> None:
        self._lines = clean(text).split("\n")
        self._filename = filename
        self._limits = limits
        self._delimiter = find_delimiter(self._lines)
        self.warnings: list[ExtractionWarning] = []

    def drafts(self) -> Iterator[BlockDraft]:
        """A header draft, then one draft a row. Row numbers in warnings are lines of the file, from 1."""
        rows = self._rows()
        lead: list[tuple[int, list[str]]] = []
        for number, row in rows:
            lead.append((number, row))
            if len(lead) >= _SAMPLE_ROWS:
                break
        width = _usual_width([row for _, row in lead])
        names: list[str] | None = None
        cells = 0
        for number, row in _chain(lead, rows):
            cells += len(row)
            if cells > self._limits.max_table_cells:
                raise TooComplexError(filename=self._filename, what="table cells", limit=self._limits.max_table_cells)
            fitted = _fitted(row, width)
            if names is None and fitted is None and sum(bool(cell) for cell in row) == 1:
                yield BlockDraft(BlockKind.PARAGRAPH, next(cell for cell in row if cell))  # a title over the table
            elif fitted is None:
                self._warn(number, f"{len(row)} values where {width} are usual")
            elif names is None:
                names = _names(fitted)
                if names is not None:
                    yield BlockDraft(BlockKind.TABLE_HEADER, SEPARATOR.join(name for name in names if name))
                else:
                    names = [f"column {position}" for position in range(1, width + 1)]
                    yield from self._row(names, fitted)
            else:
                yield from self._row(names, fitted)

    def _row(self, names: Sequence[str], row: Sequence[str]) -> Iterator[BlockDraft]:
        text = plain_row(names, row, label_first=False)
        if text:
            yield BlockDraft(BlockKind.TABLE_ROW, text)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        position = 0
        while position < len(self._lines):
            number = position + 1
            record, used = self._record(position)
            position += used
            if record is None:
                self._warn(number, "a quotation mark is opened and not closed")
                continue
            if not record.strip():
                continue
            try:
                parsed = next(csv.reader([record], delimiter=self._delimiter, strict=True), [])
            except csv.Error as error:
                self._warn(number, str(error))
                continue
            if any(len(cell) > _MAX_FIELD_CHARACTERS for cell in parsed):
                self._warn(number, f"a value is longer than {_MAX_FIELD_CHARACTERS} characters")
                continue
            row = [one_line(cell) for cell in parsed]
            if any(row):
                yield number, row

    def _record(self, start: int) -> tuple[str | None, int]:
        """The record that begins at a line and how many lines it takes; None if its quotes never close."""
        line = self._lines[start]
        if not _is_open(line, self._delimiter):
            return line, 1
        record = [line]
        for position in range(start + 1, min(start + _MAX_LINES_IN_A_FIELD, len(self._lines))):
            record.append(self._lines[position])
            if self._lines[position].count('"') % 2:
                return " ".join(record), len(record)
        return None, 1

    def _warn(self, row: int, detail: str) -> None:
        if len(self.warnings) < self._limits.max_warnings:
            self.warnings.append(ExtractionWarning(code=WarningCode.ROW_BROKEN, detail=detail, row=row))
        elif len(self.warnings) == self._limits.max_warnings:
            detail = f"more than {self._limits.max_warnings} rows are broken; the others are not listed"
            self.warnings.append(ExtractionWarning(code=WarningCode.MORE_WARNINGS, detail=detail))


def find_delimiter(lines: Sequence[str]) -> str:
    """The delimiter that cuts most of the first rows into the same number of values, at least two."""
    sample = [_QUOTED.sub("", line) for line in lines if line.strip()][:_SAMPLE_ROWS]
    best, best_score = ",", (0.0, 0)
    for delimiter in _DELIMITERS:
        counts = Counter(line.count(delimiter) for line in sample)
        counts.pop(0, None)
        if counts:
            count, rows = counts.most_common(1)[0]
            score = (rows / len(sample), count)
            if score > best_score:
                best, best_score = delimiter, score
    return best


def _is_open(line: str, delimiter: str) -> bool:
    """Does a quoted value go on in the next line? A quotation mark inside an unquoted value opens nothing."""
    return line.count('"') % 2 == 1 and bool(re.search(rf'(?:^|{re.escape(delimiter)})\s*"', line))


def _usual_width(rows: Sequence[Sequence[str]]) -> int:
    widths = Counter(len(row) for row in rows if len(row) > 1) or Counter(len(row) for row in rows)
    return max(widths, key=lambda width: (widths[width], width)) if widths else 0


def _fitted(row: list[str], width: int) -> list[str] | None:
    """The row if it has the usual number of values, empty ones at its end apart."""
    while len(row) > width and not row[-1]:
        row = row[:-1]
    return row if len(row) == width else None


def _names(row: Sequence[str]) -> list[str] | None:
    """The first row as column names, or None if it is data: a header has no numbers but periods."""
    if any(is_amount(cell) and not is_period(cell) and any(map(str.isdigit, cell)) for cell in row):
        return None
    return [cell or f"column {position}" for position, cell in enumerate(row, start=1)]


def _chain(
    lead: Sequence[tuple[int, list[str]]], rest: Iterator[tuple[int, list[str]]]
) -> Iterator[tuple[int, list[str]]]:
    yield from lead
    yield from rest
