"""Tell what each cell of a row is of: the whole heading of its column, and the period that this names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from apps.filings.contracts import TextSpan
from apps.filings.reading.headings import (
    ColumnKind,
    ColumnPeriod,
    complete_period,
    is_restated,
    kind_of,
    read_period,
    words_beside_period,
)
from apps.filings.reading.layout import Table, headings_by_position, split_heading
from apps.filings.reading.rows import TableRow
from apps.filings.text.dates import read_dates

_YEAR_ALONE: Final = re.compile(r"(?:FY\s?|fiscal\s+)?(?:19|20)\d\d\W*", re.IGNORECASE)
_LAST_YEAR: Final = re.compile(r"(?:FY\s?|fiscal\s+)?(?:19|20)\d\d\W*$", re.IGNORECASE)
_LAST_DATE: Final = re.compile(
    r"(?:[^\W\d_]{3,9}\.?\s+\d{1,2},?\s+|\d{1,2}\.\s?\d{1,2}\.\s?|\d{1,2}\.?\s+[^\W\d_]{3,9}\.?\s+)(?:19|20)\d\d\W*$"
)
_SAYS_WHEN: Final = re.compile(r"\b(?:ended|ending|as\s+of|as\s+at|stand|zum|vom)\b", re.IGNORECASE)
_SHORT_TITLE: Final = 60
_UNTIL_YEAR: Final = re.compile(r"^.*(?:19|20)\d\d\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """The column of a cell.

    heading: as the page has it, with what it shares with the column before. said_own: whether it names its year itself.
    words: those of the heading that name no period. span: of the heading in the page, None if only the row says it.
    """

    heading: str
    kind: ColumnKind
    period: ColumnPeriod
    said_own: bool
    words: str
    restated: bool
    span: TextSpan | None


class ColumnReader:
    """Reads the columns of one table. Rows mostly say the same names, so that each set of them is read once."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._shared = _shared_period(table)
        of_all = (each.text for each in table.headers if "|" not in each.text)
        self._restated = is_restated("\n".join((*table.titles[:2], *of_all)))
        self._days = _days_by_year(table.own_titles)
        self._read: dict[tuple[object, ...], tuple[Column, ...]] = {}

    def read(self, row: TableRow, period_line: str) -> tuple[Column, ...]:
        """Return the column of each cell of a row."""
        key = (period_line, *(cell.name for cell in row.cells))
        if key not in self._read:
            self._read[key] = tuple(self._columns(row, period_line))
        return self._read[key]

    def _columns(self, row: TableRow, period_line: str) -> list[Column]:
        names = [cell.name for cell in row.cells]
        spans: list[TextSpan | None] = [None] * len(names)
        placed = headings_by_position(self._table.headers, len(names))
        if placed is not None:
            spans = [TextSpan(start=start, end=end) for _, _, start, end in placed]
        if not any(names) and placed is not None:
            full = [text for text, *_ in placed]
        else:
            full = names if self._are_whole(names) else complete_names(names)
            if placed is None:
                spans = [self._span_of(name) for name in names]
        above = read_period(period_line) if period_line else ColumnPeriod()
        columns: list[Column] = []
        for heading, span in zip(full, spans, strict=True):
            own = read_period(heading) if heading else ColumnPeriod()
            if own.year in self._days and not own.month and not own.quarter:
                own = replace(own, month=self._days[own.year][0], day=self._days[own.year][1])
            period = complete_period(complete_period(own, above), self._shared)
            columns.append(
                Column(
                    heading=heading,
                    kind=kind_of(heading),
                    period=period,
                    said_own=own.year is not None,
                    words=words_beside_period(heading),
                    restated=self._restated or is_restated(heading),
                    span=span,
                )
            )
        return columns

    def _are_whole(self, names: Sequence[str]) -> bool:
        """Return whether one line of headings has all the names as they are, so that none shares another's."""
        return any({text for text, _, _ in split_heading(each)}.issuperset(names) for each in self._table.headers)

    def _span_of(self, name: str) -> TextSpan | None:
        """Return where the last part of a column's name stands in the lines of headings, if it stands there once."""
        for block in reversed(self._table.headers):
            places = [(start, end) for text, start, end in split_heading(block) if text and name.endswith(text)]
            if len(places) == 1:
                return TextSpan(start=places[0][0], end=places[0][1])
        return None


def complete_names(names: list[str]) -> list[str]:
    """Return the names of columns with what each shares with the one before, which a row says only once.

    "Three Months Ended June 30, 2024" and then "2023": the second is of three months, too.
    """
    full: list[str] = []
    before = ""
    for name in names:
        whole = name
        if before and name:
            if _YEAR_ALONE.fullmatch(name):
                whole = f"{_LAST_YEAR.sub('', before)}{name}" if _LAST_YEAR.search(before) else name
            elif _LAST_DATE.fullmatch(name):
                whole = f"{_LAST_DATE.sub('', before)}{name}" if _LAST_DATE.search(before) else name
            elif read_period(name) == ColumnPeriod() and (until := _UNTIL_YEAR.match(before)):
                rest = before[until.end() :].strip(" ,:")
                whole = f"{until.group()} {name}" if rest else name
        full.append(whole)
        before = whole or before
    return full


def _shared_period(table: Table) -> ColumnPeriod:
    """Return the period that all columns share: said in the headings, else in the nearest title that names one."""
    shared = read_period(table.context) if table.context else ColumnPeriod()
    for block in table.headers:
        cells = split_heading(block)
        # The corner, "Years ended December 31,", and a line of one cell.
        corner = cells[0][0] if cells else ""
        if len(cells) == 1 or read_period(corner).year is None:
            shared = complete_period(shared, read_period(corner))
    if shared.year is not None and shared.month and shared.months:
        return shared
    for title in table.own_titles:
        said = read_period(title) if _is_of_period(title) else ColumnPeriod()
        if said.months or said.month:
            # A title says how long and until when; which year, only where nothing nearer names one.
            nearer = shared.month > 0 or shared.year is not None
            several = len(read_dates(title)) > 1
            return complete_period(shared, replace(said, month=0, day=0) if nearer or several else said)
    return shared


def _days_by_year(titles: Sequence[str]) -> Mapping[int | None, tuple[int, int]]:
    """Return on which day each year ended, where a title lists several: years of weeks end on different days."""
    for title in titles:
        dates = [each for each in read_dates(title) if each.year is not None]
        years = {each.year for each in dates}
        if len(dates) > 1 and len(years) == len(dates):
            return {each.year: (each.month, each.day) for each in dates}
    return {}


def _is_of_period(title: str) -> bool:
    """Return whether a line above a table may say the period of its columns: no sentence that has a date in it."""
    return len(title) <= _SHORT_TITLE or _SAYS_WHEN.search(title) is not None
