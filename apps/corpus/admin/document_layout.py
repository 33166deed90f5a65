"""A page's text in a typographic form: headings, paragraphs, lists and tables, each with the part that is marked. Pure.

Nothing of the document's own markup is left by then: the text is cut at its lines, and a template escapes the pieces. A
row of a table reads `label | heading: value | heading: value` in the text; here the headings stand above their columns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Final

_CELL_BREAK: Final = " | "
_HEADING_ENDS: Final = ": "
_ITEM: Final = re.compile(r"\s*(?:[•\-\u2013*·▪◦]|\(?(?:\d{1,3}|[a-z]|[ivx]{1,5})[.)])\s")
_LONGEST_HEADING: Final = 80
_BEGINS_HEADING: Final = re.compile(r"[^\W\d_]|\d+(?:\.\d+)*\.?\s+[^\W\d_]")
_ENDS_SENTENCE: Final = re.compile(r"[.,;:!?)\]]\s*$")

Span = tuple[int, int]


@dataclass(slots=True)
class Piece:
    """A part of the text. is_first: the first that is marked, to which an address leads."""

    text: str
    marked: bool = False
    is_first: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    pieces: list[Piece]
    is_heading: bool = False
    scope: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """kind: heading, paragraph, item or table. Rows of a table are as wide as each other; head are those above."""

    kind: str
    pieces: list[Piece] = field(default_factory=list)
    head: list[list[Cell]] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """Where the cells of a row are, and the heading that each repeats: None where it repeats none."""

    label: Span
    values: Sequence[Span]
    headings: Sequence[Span | None]


def lay_out(
    text: str, *, marked: Span | None = None, headings: Collection[str] = (), guesses: bool = True
) -> list[Block]:
    """Cut a page's text into blocks.

    Args: marked: characters of it. headings: lines that head others. guesses: whether a line that only looks like a
          heading is one, too.
    """
    page = _Layout(text, marked or (0, 0), guesses=guesses)
    blocks = list(page.blocks(headings))
    for piece in _pieces_of(blocks):
        if piece.marked:
            piece.is_first = True
            break
    return blocks


def _pieces_of(blocks: Sequence[Block]) -> Iterator[Piece]:
    for block in blocks:
        yield from block.pieces
        for row in [*block.rows, *block.head]:
            for cell in row:
                yield from cell.pieces


class _Layout:
    def __init__(self, text: str, marked: Span, *, guesses: bool) -> None:
        self._text, self._marked, self._guesses = text, marked, guesses

    def blocks(self, headings: Collection[str]) -> Iterator[Block]:
        for is_table, lines in groupby(_lines(self._text), key=lambda line: _CELL_BREAK in self._said(line)):
            if is_table:
                yield self._table([self._row(line) for line in lines])
                continue
            for line in lines:
                said = self._said(line)
                is_heading = said.strip() in headings or (self._guesses and self._heads(said, line[1] + 1))
                kind = "heading" if is_heading else "item" if _ITEM.match(said) else "paragraph"
                if said.strip():
                    yield Block(kind=kind, pieces=self._pieces(line))

    def _heads(self, said: str, after: int) -> bool:
        """Whether a line looks like the heading of what follows: short, no sentence, above a table or a paragraph."""
        if len(said) > _LONGEST_HEADING or not _BEGINS_HEADING.match(said) or _ENDS_SENTENCE.search(said):
            return False
        following = self._text[after : (self._text.find("\n", after) + 1 or len(self._text) + 1) - 1]
        return _CELL_BREAK in following or len(following) > _LONGEST_HEADING

    def _pieces(self, span: Span) -> list[Piece]:
        start, end = span
        first, last = max(start, self._marked[0]), min(end, self._marked[1])
        if first >= last:
            return [Piece(self._text[start:end])]
        cut = [(start, first, False), (first, last, True), (last, end, False)]
        return [Piece(self._text[one:other], marked) for one, other, marked in cut if one < other]

    def _row(self, line: Span) -> _Row:
        label, *cells = _cells(self._text, line)
        cuts = [self._text.find(_HEADING_ENDS, *cell) for cell in cells]
        pairs = list(zip(cells, cuts, strict=True))
        return _Row(
            label=label,
            values=[(cell[0] if cut < 0 else cut + len(_HEADING_ENDS), cell[1]) for cell, cut in pairs],
            headings=[None if cut < 0 else (cell[0], cut) for cell, cut in pairs],
        )

    def _table(self, rows: Sequence[_Row]) -> Block:
        widest = max(rows, key=lambda row: sum(each is not None for each in row.headings))
        columns = [self._said(each) for each in widest.headings if each is not None]
        above = 0
        while columns and above < len(rows) and not any(rows[above].headings):
            above += 1
        head = [self._head(row, len(columns)) for row in rows[:above]]
        said = [[self._said(value) for value in row.values] for row in rows[:above]]
        said += [[self._said(value) for value in (row.label, *row.values)] for row in rows[:above]]
        body = [self._cells(row, columns) for row in rows[above:]]
        if columns and columns not in said:
            head.append(self._headings(columns, rows[above:]))
        width = max(len(row) for row in [*head, *body])
        for row in head:
            row += [Cell(pieces=[], is_heading=True, scope="col")] * (width - len(row))
        for row in body:
            row += [Cell(pieces=[])] * (width - len(row))
        return Block(kind="table", head=head, rows=body)

    def _said(self, span: Span) -> str:
        return self._text[slice(*span)]

    def _head(self, row: _Row, columns: int) -> list[Cell]:
        """Return the cells of a row above others; one without a label begins at the second column."""
        cells = self._cells(row, [], is_heading=True)
        return [Cell(pieces=[], is_heading=True, scope="col"), *cells] if len(cells) == columns else cells

    def _cells(self, row: _Row, columns: Sequence[str], *, is_heading: bool = False) -> list[Cell]:
        """Return a row's cells, each under its heading where it repeats one that is further on."""
        cells = [Cell(pieces=self._pieces(row.label), is_heading=True, scope="col" if is_heading else "row")]
        for value, heading in zip(row.values, row.headings, strict=True):
            said = "" if heading is None else self._said(heading)
            if said in columns[len(cells) - 1 :]:
                empty = columns.index(said, len(cells) - 1) - (len(cells) - 1)
                cells += [Cell(pieces=[])] * empty
            elif heading is not None:
                value = (heading[0], value[1])
            cells.append(Cell(pieces=self._pieces(value), is_heading=is_heading, scope="col" if is_heading else ""))
        return cells

    def _headings(self, columns: Sequence[str], rows: Sequence[_Row]) -> list[Cell]:
        """Return the headings of columns; one is marked if it is in a marked row."""
        marked = {
            self._said(each)
            for row in rows
            for each in row.headings
            if each is not None and each[0] < self._marked[1] and each[1] > self._marked[0]
        }
        named = [Cell(pieces=[Piece(each, each in marked)], is_heading=True, scope="col") for each in columns]
        return [Cell(pieces=[], is_heading=True, scope="col"), *named]


def _lines(text: str) -> Iterator[Span]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
        start = end + 1


def _cells(text: str, line: Span) -> list[Span]:
    start, end = line
    cells: list[Span] = []
    while (found := text.find(_CELL_BREAK, start, end)) >= 0:
        cells.append((start, found))
        start = found + len(_CELL_BREAK)
    return [*cells, (start, end)]
