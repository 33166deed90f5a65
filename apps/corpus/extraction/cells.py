"""The cells of a table, whatever the format: text with a horizontal extent, and the columns that they make."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from apps.corpus.extraction.numerals import glue, is_amount, is_period, is_sign_after, is_sign_before


class Cell(NamedTuple):
    """A cell's text and extent. `core0..core1` is the extent of the number without a currency sign apart."""

    text: str
    x0: float
    x1: float
    core0: float
    core1: float

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


class Column(NamedTuple):
    x0: float
    x1: float


Row = Sequence[Cell]


def join_signs(cells: Row) -> list[Cell]:
    """Join currency signs, brackets and percent signs that stand in cells of their own to their numbers."""
    joined: list[Cell] = []
    for cell in cells:
        before = joined[-1] if joined else None
        if before is not None and is_sign_before(before.text) and (is_amount(cell.text) or cell.text[:1].isdigit()):
            joined[-1] = Cell(glue(f"{before.text} {cell.text}"), before.x0, cell.x1, cell.core0, cell.core1)
        elif before is not None and is_sign_after(cell.text) and before.text[-1:].isdigit() | before.text.endswith(")"):
            joined[-1] = Cell(glue(f"{before.text} {cell.text}"), before.x0, cell.x1, before.core0, before.core1)
        else:
            joined.append(cell)
    return joined


def is_data_row(cells: Row) -> bool:
    """Does the row hold an amount that is not a period?"""
    return any(is_amount(cell.text) and not is_period(cell.text) for cell in cells)


def find_columns(rows: Sequence[Row], *, amounts_only: bool) -> list[Column]:
    """Columns of the data rows, left to right: where the extents of their cells overlap.

    Args:    rows: data rows, label cells included.
             amounts_only: whether only amounts make a column (PDF), or every cell but a row's first one (grids).
    """
    spans: list[tuple[float, float]] = []
    for row in rows:
        labelled = bool(row) and not is_amount(row[0].text)
        for position, cell in enumerate(row):
            if is_amount(cell.text) and (position or not labelled):
                if position == 0 and is_period(cell.text) and len(row) > 1:
                    continue  # a year that labels its row
                spans.append((cell.core0, cell.core1))
            elif not amounts_only and position:
                spans.append((cell.core0, cell.core1))
    columns: list[Column] = []
    for x0, x1 in sorted(spans):
        if columns and x0 < columns[-1].x1:
            if x1 > columns[-1].x1:
                columns[-1] = Column(columns[-1].x0, x1)
        else:
            columns.append(Column(x0, x1))
    return columns
