"""Name the columns of a table from the header cells that stand over them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from apps.corpus.extraction.cells import Cell, Column, Row
from apps.corpus.extraction.numerals import is_period

MAX_NAME_CHARACTERS = 60
_SPANS = re.compile(
    r"\b(?:(?:19|20)\d\d|ended|ending|as\s+of|fiscal|years?|months|weeks|quarters?|january|february|march|april|may|june"
    r"|july|august|september|october|november|december)\b",
    re.IGNORECASE,
)


class HeaderPart(NamedTuple):
    """One header cell over a column; cells that span columns have the same `cell` number over each of them."""

    cell: int
    text: str


class Header(NamedTuple):
    """What stands over each column, from the top down, and what stands over all of them alike."""

    parts: tuple[tuple[HeaderPart, ...], ...]
    shared: str

    def name(self, column: int, after: int | None) -> str:
        """A column's name; what it shares with the column written just before is not said twice."""
        if column >= len(self.parts):
            return ""
        parts = self.parts[column]
        if after is not None and after < len(self.parts):
            common = 0
            for mine, other in zip(parts[:-1], self.parts[after], strict=False):
                if mine.cell != other.cell:
                    break
                common += 1
            parts = parts[common:]
        return shortened(" ".join(part.text for part in parts))


def name_columns(header_rows: Sequence[Row], columns: Sequence[Column]) -> Header:
    """Read the header cells over each column, from the top down.

    A cell that stands over every column is shared and left out of the names.
    """
    boxes = _boxes(header_rows, columns)
    numbered: list[list[HeaderPart]] = [[] for _ in columns]
    shared: list[str] = []
    number = 0
    for row in header_rows:
        for cell, group in _over_columns(row, boxes, header_rows):
            number += 1
            if len(group) == len(columns) > 1:
                shared.append(cell.text)
                continue
            for position in group:
                numbered[position].append(HeaderPart(number, cell.text))
    return Header(tuple(tuple(parts) for parts in numbered), " ".join(shared))


def _boxes(header_rows: Sequence[Row], columns: Sequence[Column]) -> list[Column]:
    """Columns as wide as their numbers and their lowest full header line, since a header is often the wider one."""
    for row in reversed(header_rows):
        if len(row) == len(columns):
            return [
                Column(min(cell.x0, column.x0), max(cell.x1, column.x1))
                for cell, column in zip(row, columns, strict=True)
            ]
    return list(columns)


def _over_columns(row: Row, columns: Sequence[Column], header_rows: Sequence[Row]) -> list[tuple[Cell, list[int]]]:
    """Each cell of one header line with the columns that it stands over; no column is given to two cells."""
    if not columns:
        return []
    if len(row) == len(columns):
        return [(cell, [position]) for position, cell in enumerate(row)]
    if len(row) == 1 and row is not header_rows[-1] and _SPANS.search(row[0].text):
        if abs(_centre(columns, 0, len(columns) - 1) - row[0].middle) < 0.5 * _reach(columns):
            return [(row[0], list(range(len(columns))))]
        periods = _period_columns(columns, header_rows)
        if any(columns[at].x0 - _reach(columns) <= row[0].middle <= columns[at].x1 + _reach(columns) for at in periods):
            return [(row[0], periods)]
    size = _repeat(columns, header_rows)
    if size and len(row) * size == len(columns):
        return [(cell, list(range(at * size, (at + 1) * size))) for at, cell in enumerate(row)]
    groups: list[list[int]] = [[] for _ in row]
    taken: set[int] = set()
    for number, cell in enumerate(row):
        for position, column in enumerate(columns):
            overlap = min(cell.x1, column.x1) - max(cell.x0, column.x0)
            if position not in taken and overlap > 0.5 * min(cell.x1 - cell.x0, column.x1 - column.x0):
                groups[number].append(position)
                taken.add(position)
    for cell, group in zip(row, groups, strict=True):
        if not group:
            nearest = min(range(len(columns)), key=lambda at: abs(_middle(columns[at]) - cell.middle))
            if nearest in taken or abs(_middle(columns[nearest]) - cell.middle) > 2 * _reach(columns):
                continue
            group.append(nearest)
            taken.add(nearest)
        _grow_group(cell, group, taken, columns)
    return [(cell, group) for cell, group in zip(row, groups, strict=True) if group]


def _period_columns(columns: Sequence[Column], header_rows: Sequence[Row]) -> list[int]:
    """The columns that the lowest header line heads with a year or a date."""
    if len(header_rows[-1]) != len(columns):
        return []
    return [position for position, cell in enumerate(header_rows[-1]) if is_period(cell.text)]


def _repeat(columns: Sequence[Column], header_rows: Sequence[Row]) -> int:
    """After how many columns the lowest header line says the same again ("2021 2020 2021 2020": 2), or 0."""
    names = [cell.text for cell in header_rows[-1]]
    if len(names) != len(columns):
        return 0
    for size in range(2, len(names) // 2 + 1):
        if len(names) % size == 0 and names == names[:size] * (len(names) // size) and len(set(names[:size])) == size:
            return size
    return 0


def _grow_group(cell: Cell, group: list[int], taken: set[int], columns: Sequence[Column]) -> None:
    """Take in free neighbours for as long as the cell stands better centred over the wider group.

    To one side only where that centres it clearly better: a number's right edge is seldom its header's. To both sides
    at once only for a cell that is wide or names a period: otherwise it heads the middle column alone.
    """
    reach = _reach(columns)
    spanning = cell.x1 - cell.x0 > 2 * reach or bool(_SPANS.search(cell.text))
    gain = (0.1 if spanning else 0.4) * reach
    while True:
        left, right = group[0] - 1, group[-1] + 1
        off = abs(_centre(columns, group[0], group[-1]) - cell.middle)
        left_free = left >= 0 and left not in taken
        right_free = right < len(columns) and right not in taken
        if left_free and abs(_centre(columns, left, group[-1]) - cell.middle) < off - gain:
            added = [left]
        elif right_free and abs(_centre(columns, group[0], right) - cell.middle) < off - gain:
            added = [right]
        elif left_free and right_free and spanning and abs(_centre(columns, left, right) - cell.middle) < 0.6 * reach:
            added = [left, right]
        else:
            return
        taken.update(added)
        group.extend(added)
        group.sort()


def _centre(columns: Sequence[Column], first: int, last: int) -> float:
    return (columns[first].x0 + columns[last].x1) / 2


def _reach(columns: Sequence[Column]) -> float:
    """How far left or right of a column its header may stand: half a column's pitch."""
    if len(columns) < 2:
        return max(columns[0].x1 - columns[0].x0, 30.0) if columns else 0.0
    return (_middle(columns[-1]) - _middle(columns[0])) / (len(columns) - 1) / 2


def _middle(column: Column) -> float:
    return (column.x0 + column.x1) / 2


def shortened(name: str) -> str:
    """A column name no longer than 60 characters, cut at a word."""
    if len(name) <= MAX_NAME_CHARACTERS:
        return name
    return name[:MAX_NAME_CHARACTERS].rsplit(" ", 1)[0]
