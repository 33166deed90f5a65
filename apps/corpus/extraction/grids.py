"""Write tables that come as a grid (HTML, DOCX): merged cells, currency signs in cells of their own, header rows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from apps.corpus.extraction.cells import Cell, Column, find_columns, is_data_row, join_signs
from apps.corpus.extraction.contracts import BlockKind
from apps.corpus.extraction.numerals import is_amount, is_period, is_unit, unit_in
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.table_headers import Header, name_columns
from apps.corpus.extraction.tables import context_of, header_drafts, render_row

_LAYOUT_CELL_CHARACTERS = 900  # a longer cell means that the table only places text
_BULLET = re.compile(r"^(?:[•◦▪●■·*o\u2013\u2014-]|\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)])$")


class GridCell(NamedTuple):
    """A cell that is not empty: its clean text, first grid column, width in columns, and whether it is a header.

    element: the HTML that it was read from, for those who look for what is marked in it.
    """

    text: str
    column: int
    width: int
    header: bool
    element: Any = None


_FIGURE = re.compile(r"^[$€£]?\s?\d")  # "$804 billion" heads no column


GridRow = Sequence[GridCell]
_NO_LABEL = Cell("", 0.0, 0.0, 0.0, 0.0)


def grid_drafts(rows: Sequence[GridRow], *, caption: str = "") -> list[BlockDraft]:
    """A table's rows with the names of their columns; a table that only places text becomes text.

    Args: rows: cells left to right; empty rows are dropped. caption: the text above it, which may name the unit.
    """
    rows = [row for row in rows if row]
    if not rows:
        return []
    if not _is_table(rows):
        return _as_text(rows)
    cells = [join_signs([_cell(cell) for cell in row]) for row in rows]
    first = _first_body_row(rows, cells)
    writer = _GridWriter(cells[first:], caption=caption)
    return [*writer.name(cells[:first]), *writer.rows()]


class _GridWriter:
    def __init__(self, body: Sequence[list[Cell]], *, caption: str) -> None:
        self._body = body
        self._columns = _grid_columns(body)
        self._header = Header((), "")
        self._unit = unit_in(caption)
        self._context = self._unit

    def name(self, header_rows: Sequence[list[Cell]]) -> list[BlockDraft]:
        """Take the names of the columns from header rows; returns them as printed."""
        if not header_rows:
            return []
        edge = self._columns[0].x0 if self._columns else 0.0
        # A cell that spans header rows stands in each of them, and is said once.
        once = [
            [cell for cell in row if at == 0 or cell not in header_rows[at - 1]] for at, row in enumerate(header_rows)
        ]
        over = [[cell for cell in row if cell.x1 > edge and not is_unit(cell.text)] for row in once]
        titles = [row for row in header_rows if len(row) == 1 and row[0].x0 == 0]
        units = [cell.text for row in header_rows for cell in row if unit_in(cell.text)]
        self._header = name_columns([row for row in over if row and row not in titles], self._columns)
        self._context = context_of(self._header.shared, *(unit_in(unit) for unit in units or [self._unit]))
        return header_drafts(once, context=self._context)

    def rows(self) -> list[BlockDraft]:
        drafts: list[BlockDraft] = []
        for row in self._body:
            if len(row) > 1 and not is_data_row(row) and all(is_period(cell.text) for cell in row[1:]):
                drafts.extend(self.name([row]))
            elif len(row) == 1 and not is_amount(row[0].text):
                drafts.append(BlockDraft(BlockKind.TABLE_GROUP, row[0].text, context=self._context))
            else:
                if self._columns and row[0].x0 >= self._columns[0].x0 > 0:
                    row = [_NO_LABEL, *row]  # whatever begins under the columns is a value
                text = render_row(row, self._columns, self._header)
                drafts.append(BlockDraft(BlockKind.TABLE_ROW, text, context=self._context))
        return drafts


def _cell(cell: GridCell) -> Cell:
    x0, x1 = float(cell.column), float(cell.column + cell.width)
    return Cell(cell.text, x0, x1, x0, x1)


def _is_table(rows: Sequence[GridRow]) -> bool:
    if any(len(cell.text) > _LAYOUT_CELL_CHARACTERS for row in rows for cell in row):
        return False
    wide = [row for row in rows if len(row) > 1]
    if not wide:
        return False
    return not all(_BULLET.match(row[0].text) and len(row) == 2 and not is_amount(row[1].text) for row in wide)


def _as_text(rows: Sequence[GridRow]) -> list[BlockDraft]:
    drafts: list[BlockDraft] = []
    for row in rows:
        if len(row) > 1 and _BULLET.match(row[0].text):
            drafts.append(BlockDraft(BlockKind.LIST_ITEM, " ".join(cell.text for cell in row)))
        else:
            drafts.extend(BlockDraft(BlockKind.PARAGRAPH, cell.text) for cell in row)
    return drafts


def _first_body_row(rows: Sequence[GridRow], cells: Sequence[list[Cell]]) -> int:
    """How many rows on top are header: up to the first numbers, but not the group titles right above them."""
    data = next((position for position, row in enumerate(cells) if is_data_row(row)), None)
    if data is None:
        marked = 0
        while marked < len(rows) and all(cell.header for cell in rows[marked]):
            marked += 1
        top = rows[0] if len(rows) > 1 and len(rows[0]) > 1 else ()
        heads = bool(top) and not any(_FIGURE.match(cell.text) and not is_period(cell.text) for cell in top)
        return min(marked or int(heads), len(rows) - 1)
    first = next((position for position, row in enumerate(cells) if _is_body(row, cells[0])), data)
    first = min(first, data)
    while (
        first and len(cells[first - 1]) == 1 and cells[first - 1][0].x0 == 0 and not is_unit(cells[first - 1][0].text)
    ):
        if all(len(row) == 1 for row in cells[: first - 1]):
            break  # a title over the whole table, with no header below it
        first -= 1
    return first


def _is_body(row: Sequence[Cell], top: Sequence[Cell]) -> bool:
    """A row of words only that is a record all the same: as many cells as the full header above it."""
    return row is not top and len(top) > 2 and len(row) == len(top) and not any(is_period(cell.text) for cell in row)


def _grid_columns(body: Sequence[list[Cell]]) -> list[Column]:
    """Narrow cells make the columns; a cell that lies over several of them makes none."""
    spans = sorted(
        {
            (cell.core1 - cell.core0, cell.core0, cell.core1)
            for row in body
            for position, cell in enumerate(row)
            if (position or is_amount(cell.text)) and len(row) > 1
        }
    )
    columns: list[Column] = []
    for _, x0, x1 in spans:
        over = [column for column in columns if x0 < column.x1 and column.x0 < x1]
        if not over:
            columns.append(Column(x0, x1))
    if not columns:
        return find_columns(body, amounts_only=True)
    return sorted(columns)
