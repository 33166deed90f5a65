"""Give each number of a table its row and its column names, whatever the format it came from.

A table is rows of cells with a horizontal extent: points in a PDF, grid columns in HTML and DOCX. Columns are found
where the cells of the data rows overlap; header cells name the columns that they stand over. A row is then written as
`Label | 2018: 1,577 | 2017: 1,373`, so that the line can be understood, found and quoted alone.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from apps.corpus.extraction.cells import Cell, Column, Row
from apps.corpus.extraction.contracts import BlockKind
from apps.corpus.extraction.numerals import is_amount, is_period
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.table_headers import Header, shortened

MAX_CONTEXT_CHARACTERS = 120
SEPARATOR = " | "


def render_row(cells: Row, columns: Sequence[Column], header: Header) -> str:
    """Write one row: the label first, then each value after its column's name."""
    label: list[str] = []
    values: dict[int, list[str]] = {}
    for position, cell in enumerate(cells):
        column = None if position == 0 and not is_amount(cell.text) else _column_of(cell, columns)
        if column is None or (position == 0 and is_period(cell.text) and len(cells) > 1):
            (label if not values else values[max(values)]).append(cell.text)
        else:
            values.setdefault(column, []).append(cell.text)
    parts = [" ".join(label)] if any(label) else []
    before: int | None = None
    for column in sorted(values):
        name = header.name(column, before)
        before = column
        value = " ".join(values[column])
        parts.append(f"{name}: {value}" if name else value)
    return SEPARATOR.join(parts)


def header_drafts(header_rows: Sequence[Row], *, context: str) -> list[BlockDraft]:
    """The header as lines of text, as printed."""
    lines = (SEPARATOR.join(cell.text for cell in row) for row in header_rows)
    return [BlockDraft(BlockKind.TABLE_HEADER, line, context=context) for line in lines if line]


def context_of(*parts: str) -> str:
    """One line of what a table's rows need to be understood, without repeats."""
    kept: list[str] = []
    for part in parts:
        if part and part not in kept and part.lower() != "(unaudited)":
            kept.append(part)
    return " · ".join(kept)[:MAX_CONTEXT_CHARACTERS].rstrip(" ·")


def _column_of(cell: Cell, columns: Sequence[Column]) -> int | None:
    """The column that a cell lies over most; columns are sorted and do not overlap."""
    best, best_overlap = None, 0.0
    for position in range(bisect_right(columns, cell.x0, key=_right_edge), len(columns)):
        column = columns[position]
        if column.x0 >= cell.x1:
            break
        overlap = min(cell.x1, column.x1) - max(cell.x0, column.x0)
        if overlap > best_overlap:
            best, best_overlap = position, overlap
    return best


def _right_edge(column: Column) -> float:
    return column.x1


def plain_row(names: Sequence[str], values: Sequence[str], *, label_first: bool) -> str:
    """Write a row of a table whose columns are known by their position.

    Args: label_first: the first column labels the row, and its name need not be said.
    """
    parts: list[str] = []
    for position, value in enumerate(values):
        if not value:
            continue
        name = shortened(names[position]) if position < len(names) else ""
        bare = not name or (label_first and position == 0 and not is_amount(value))
        parts.append(value if bare else f"{name}: {value}")
    return SEPARATOR.join(parts)
