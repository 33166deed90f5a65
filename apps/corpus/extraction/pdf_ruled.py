"""Write the ruled tables of a PDF page: the cells of its grid, as those of any other format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from apps.corpus.extraction.grids import GridCell, grid_drafts
from apps.corpus.extraction.numerals import is_amount, is_sign_after, is_sign_before
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.pdf_grids import Box, RuledTable
from apps.corpus.extraction.pdf_lines import Line, middle_of

_SAME_ROW: Final = 0.6  # of a line's height

Cells = list[tuple[Box, list[Line]]]


def ruled_drafts(table: RuledTable, *, join: Callable[[Sequence[Line]], str], caption: str) -> list[BlockDraft]:
    """A table's rows with the names of their columns.

    Args: join: writes the lines of a cell as running text. caption: the text above, which may name the unit.
    """
    rows: list[list[GridCell]] = []
    for row in range(len(table.grid.ys) - 1):
        # A cell that spans rows stands in each of them: its words are about all of them.
        cells = sorted((box, list(lines)) for box, lines in table.cells.items() if box.row <= row < box.last_row)
        rows.extend(
            [_cell(box, lines, join) for box, lines in sorted(part, key=lambda each: each[0].column)]
            for part in _rows_within(cells)
        )
    return grid_drafts([_spread(row, rows) for row in rows], caption=caption)


def _cell(box: Box, lines: Sequence[Line], join: Callable[[Sequence[Line]], str]) -> GridCell:
    bold = all(line.bold for line in lines)
    return GridCell(join(lines), box.column, box.last_column - box.column, bold)


def _rows_within(cells: Cells) -> list[Cells]:
    """The rows of a band without lines between them: told by numbers that stand one under the other in one cell."""
    stacked = [[line for line in lines if _is_number(line)] for _, lines in cells]
    if not any(len(numbers) > 1 for numbers in stacked):
        return [cells]
    places: list[float] = []
    for middle, height in sorted(((middle_of(line), line.height) for lines in stacked for line in lines), reverse=True):
        if not places or places[-1] - middle > _SAME_ROW * height:
            places.append(middle)
    found: dict[float, dict[Box, list[Line]]] = {}
    for box, lines in cells:
        for line in lines:
            at = min(places, key=lambda place: abs(place - middle_of(line)))
            if abs(at - middle_of(line)) > _SAME_ROW * line.height:
                at = middle_of(line)  # a title between the rows
            found.setdefault(at, {}).setdefault(box, []).append(line)
    return [list(found[at].items()) for at in sorted(found, reverse=True)]


def _is_number(line: Line) -> bool:
    texts = [word.text for word in line.words]
    return any(map(is_amount, texts)) and all(
        is_amount(text) or is_sign_before(text) or is_sign_after(text) for text in texts
    )


def _spread(row: Sequence[GridCell], rows: Sequence[Sequence[GridCell]]) -> list[GridCell]:
    """A row of numbers whose merged cells stand in each column that other such rows have there."""
    if not _has_numbers(row):
        return list(row)
    spans = sorted({(cell.column, cell.width) for other in rows if _has_numbers(other) for cell in other[1:]})
    spread: list[GridCell] = []
    for position, cell in enumerate(row):
        inner = _inner(cell, spans) if position else []
        spread.extend(
            cell._replace(column=column, width=width) for column, width in inner or [(cell.column, cell.width)]
        )
    return spread


def _inner(cell: GridCell, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The narrower columns that make up the width of a cell; none where they leave a part of it."""
    parts: list[tuple[int, int]] = []
    at, end = cell.column, cell.column + cell.width
    for column, width in spans:
        if column == at and column + width <= end and width < cell.width:
            parts.append((column, width))
            at = column + width
    return parts if at == end and len(parts) > 1 else []


def _has_numbers(row: Sequence[GridCell]) -> bool:
    return any(is_amount(cell.text) for cell in row[1:])
