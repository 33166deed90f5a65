"""Take the row of a table apart: its label, and its cells with the name of their column and their place on the page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction import Block
from apps.filings.reading.amounts import Amount, read_amount

_SEPARATOR: Final = " | "
_LONGEST_NAME: Final = 300
_HAS_AMOUNT: Final = re.compile(r"\d|[-\u2010-\u2015\u2212]")


@dataclass(frozen=True, slots=True, kw_only=True)
class RowCell:
    """A cell of a row.

    name: of its column, as the row says it; empty if it says none. amount: None for words.
    start, end: of what is printed, in the page.
    """

    name: str
    name_start: int
    printed: str
    start: int
    end: int
    amount: Amount | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableRow:
    """A row of a table. A row without a label has the label ""."""

    label: str
    start: int
    end: int
    cells: tuple[RowCell, ...]


def read_row(block: Block, *, decimal_comma: bool) -> TableRow:
    """Take a block of the kind TABLE_ROW apart."""
    parts = _split(block.text)
    cells = [_cell(text, block.char_start + start, decimal_comma=decimal_comma) for text, start in parts]
    label = ""
    if cells and not _is_figure(cells[0], alone=len(cells) == 1):
        label = parts[0][0]
        del cells[0]
    return TableRow(label=label, start=block.char_start, end=block.char_end, cells=tuple(cells))


def printed_amounts(block: Block) -> list[str]:
    """Return what the cells of a row print, without the names of their columns."""
    return [text.rpartition(": ")[2] for text, _ in _split(block.text)[1:]]


def _split(text: str) -> list[tuple[str, int]]:
    parts: list[tuple[str, int]] = []
    start = 0
    for piece in text.split(_SEPARATOR):
        if stripped := piece.strip():
            parts.append((stripped, start + len(piece) - len(piece.lstrip())))
        start += len(piece) + len(_SEPARATOR)
    return parts


def _cell(text: str, start: int, *, decimal_comma: bool) -> RowCell:
    name, _, printed = text.rpartition(": ")
    if len(name) > _LONGEST_NAME:
        name, printed = "", text
    amount = read_amount(printed, decimal_comma=decimal_comma) if _HAS_AMOUNT.search(printed) else None
    begins = start + len(text) - len(printed)
    return RowCell(
        name=name.strip(), name_start=start, printed=printed, start=begins, end=begins + len(printed), amount=amount
    )


def _is_figure(cell: RowCell, *, alone: bool) -> bool:
    """Return whether the first part of a row is a figure of a row that has no label."""
    if cell.amount is None:
        return False
    if not cell.name:
        # A year alone is what a row of a year by year table is called.
        return alone or re.fullmatch(r"(?:19|20)\d\d", cell.printed) is None
    return re.search(r"(?:19|20)\d\d|\bQ[1-4]\b|\b[1-4]Q\b|\bFY\b", cell.name) is not None
