"""Find the tables among a PDF page's lines: where their rows begin and end, and which lines head them.

Tables whose cells are ruled are read before (pdf_grids.py); filings rarely draw more than a rule under a total.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.corpus.extraction.cells import Cell, Column, find_columns
from apps.corpus.extraction.numerals import is_amount, is_period, is_unit
from apps.corpus.extraction.pdf_cells import BULLETS, TableLine
from apps.corpus.extraction.pdf_lines import Line, middle_of

_LONE_VALUE_GAP = 3.0  # between a label and the only number of a table of one row
_MAX_WORDS_BETWEEN_ROWS = 4  # lines without numbers in a row inside a table
_MAX_ROW_DISTANCE = 6.0  # line heights
_MAX_GROUP_TITLES = 6
_MAX_HEADER_LINES = 40  # a header cell of four stacked words is four lines
_MAX_HEADER_DISTANCE = 12.0  # line heights from the first row
_MAX_HEADER_CELL_WORDS = 8


@dataclass(slots=True)
class Table:
    """A region of a page: lines[start:first_row] are its header, lines[first_row:end] its rows."""

    start: int
    first_row: int
    end: int


def find_tables(lines: Sequence[TableLine]) -> list[Table]:
    """Regions of rows with numbers, each with the header lines above it. Regions do not overlap."""
    tables: list[Table] = []
    position = 0
    while position < len(lines):
        if not lines[position].data:
            position += 1
            continue
        end = _last_row(lines, position) + 1
        if _is_table(lines[position:end]):
            floor = tables[-1].end if tables else 0
            start, first_row = _header_span(lines, position, end, floor)
            tables.append(Table(start, first_row, end))
        position = end
    return tables


class Frame:
    """Where a table's labels and columns stand."""

    def __init__(self, rows: Sequence[TableLine], columns: Sequence[Column]) -> None:
        first = columns[0]
        pitch = (columns[-1].x1 - first.x1) / (len(columns) - 1) if len(columns) > 1 else first.x1 - first.x0
        self._height = rows[0].line.height
        self._left = min(row.line.x0 for row in rows)
        self._values = first.x0
        self.edge = first.x0 - max(2 * self._height, 0.6 * pitch)
        self._right = columns[-1].x1 + 5 * self._height

    def is_group_title(self, row: TableLine) -> bool:
        """A line of words among the labels, over the first row."""
        line = row.line
        return (
            len(row.cells) == 1
            and not row.data
            and self._left - 3 * self._height <= line.x0
            and line.x1 <= self._values + self._height
        )

    def is_over(self, row: TableLine) -> bool:
        """A line of which something stands over the columns, and nothing runs from the labels into them."""
        if row.data or row.line.x1 > self._right or row.line.words[0].text in BULLETS:
            return False
        if any(cell.text.count(" ") >= _MAX_HEADER_CELL_WORDS and not is_unit(cell.text) for cell in row.cells):
            return False
        if row.heading and any(is_period(cell.text) and cell.x0 >= self.edge for cell in row.cells):
            return True
        return any(cell.x0 >= self.edge for cell in row.cells) and all(
            cell.x0 >= self.edge or cell.x1 <= self._values for cell in row.cells
        )

    def is_beside(self, row: TableLine) -> bool:
        return row.line.x1 <= self._values and row.line.x0 >= self._left - 2 * self._height


def header_rows(lines: Sequence[TableLine]) -> list[list[Cell]]:
    """Header lines put on common baselines: header cells are often streamed one cell after the other."""
    bands: list[tuple[float, float, list[Cell]]] = []
    for row in sorted(lines, key=lambda row: -middle_of(row.line)):
        middle = middle_of(row.line)
        if bands and bands[-1][0] - middle < 0.45 * bands[-1][1]:
            bands[-1][2].extend(row.cells)
        else:
            bands.append((middle, row.line.height, list(row.cells)))
    return [sorted(cells, key=lambda cell: cell.x0) for _, _, cells in bands]


def _last_row(lines: Sequence[TableLine], start: int) -> int:
    """The last row with numbers that belongs to the table that begins at `start`."""
    last = position = start
    left = lines[start].line.x0
    edge = _value_edge(lines[start])
    while (position := position + 1) < len(lines):
        row, before = lines[position], lines[position - 1].line
        drop = middle_of(before) - middle_of(row.line)
        if drop < -0.5 * before.height or drop > _MAX_ROW_DISTANCE * max(before.height, row.line.height):
            break
        if row.data:
            last = position
            edge = min(edge, _value_edge(row))
            left = min(left, row.line.x0)
        elif position - last > _MAX_WORDS_BETWEEN_ROWS or not _stands_among_labels(row, left, edge):
            break
    return last


def _value_edge(row: TableLine) -> float:
    """Where the first number after the label begins."""
    amounts = [cell.x0 for cell in row.cells[1:] if is_amount(cell.text)]
    return amounts[0] if amounts else row.cells[0].x0


def _stands_among_labels(row: TableLine, left: float, edge: float) -> bool:
    if row.heading:
        return True
    return row.line.x1 <= edge + row.line.height and row.line.x0 >= left - 3 * row.line.height


def _is_table(rows: Sequence[TableLine]) -> bool:
    data = [row for row in rows if row.data]
    amounts = sum(1 for row in data for cell in row.cells if is_amount(cell.text))
    if len(data) > 1:
        return amounts >= len(data)
    cells = data[0].cells
    if len(cells) < 2:
        return False
    return amounts > 1 or cells[-1].x0 - cells[-2].x1 > _LONE_VALUE_GAP * data[0].line.height


def _header_span(lines: Sequence[TableLine], first_row: int, end: int, floor: int) -> tuple[int, int]:
    """Walk up from the first row: over the group titles between, then over the lines that stand over the columns.

    Returns: where the header begins and where the rows (their group titles included) begin.
    """
    rows = [row for row in lines[first_row:end] if row.data]
    columns = find_columns([row.cells for row in rows], amounts_only=True)
    if not columns:
        return first_row, first_row
    frame = Frame(rows, columns)
    top = lines[first_row].line
    begin = first_row
    while begin > floor and first_row - begin < _MAX_GROUP_TITLES and frame.is_group_title(lines[begin - 1]):
        begin -= 1
    # A unit or a line beside the header may look like a group title: look for the header from the lowest place up.
    for rows_from in range(first_row, begin - 1, -1):
        start = _walk_up(lines, rows_from, max(floor, rows_from - _MAX_HEADER_LINES), frame, top)
        if start < rows_from:
            return start, rows_from
    return first_row, first_row


def _walk_up(lines: Sequence[TableLine], rows_from: int, floor: int, frame: Frame, top: Line) -> int:
    start = rows_from
    band: tuple[float, float] | None = None
    for position in range(rows_from - 1, floor - 1, -1):
        row = lines[position]
        above = middle_of(row.line) - middle_of(top)
        if above <= 0 or above > _MAX_HEADER_DISTANCE * max(top.height, row.line.height):
            break
        if frame.is_over(row):
            low, high = row.line.bottom, row.line.bottom + row.line.height
            band = (low, high) if band is None else (min(low, band[0]), max(high, band[1]))
        elif not (
            frame.is_beside(row)
            and ((band is not None and band[0] < middle_of(row.line) < band[1]) or is_unit(row.line.text))
        ):
            break
        start = position
    return start if band is not None else rows_from
