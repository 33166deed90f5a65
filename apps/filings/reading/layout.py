"""Walk through the pages of a document and find its tables, with what is printed above them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from apps.corpus.extraction import Block, BlockKind, Page
from apps.filings.reading.headings import read_period, words_beside_period

_TABLE: Final = frozenset({BlockKind.TABLE_HEADER, BlockKind.TABLE_GROUP, BlockKind.TABLE_ROW})
_LONGEST_TITLE: Final = 160
_MOST_TITLES: Final = 4
_HEAD_BLOCKS: Final = 4
_MOST_HEADERS: Final = 10
_LONGEST_GROUP: Final = 80
_OF_TABLE: Final = re.compile(r"\b(?:following|summary|below|tables?|folgende\w*)\b", re.IGNORECASE)
_TOTAL: Final = re.compile(r"(?:sub-?)?total\b|net cash\b|summe\b|gesamt", re.IGNORECASE)


@dataclass(slots=True, kw_only=True)
class TableLine:
    """A row's block with the group line above it, and a line among the rows that names the period of those under it."""

    block: Block
    group: str
    period_line: str


@dataclass(slots=True, kw_only=True)
class Table:
    """Rows under the same lines of headings.

    titles: short lines above it, the nearest first. head: the first lines of its page. headers: its lines of headings.
    between: what stands between it and the table before it on its page; None if it is the first.
    """

    page: int
    titles: tuple[str, ...]
    head: tuple[str, ...]
    between: tuple[Block, ...] | None = None
    headers: list[Block] = field(default_factory=list)
    lines: list[TableLine] = field(default_factory=list)

    @property
    def context(self) -> str:
        """What extraction says of all rows: the heading that all columns share, and the unit."""
        return next((each.block.context for each in self.lines if each.block.context), "")

    @property
    def own_titles(self) -> tuple[str, ...]:
        """Return the lines above the table that are not of another on its page, the nearest first."""
        if self.between is None or not any(_parts(each) for each in self.between):
            return (*self.titles, *self.head)
        return tuple(each.text for each in reversed(self.between))

    @property
    def above(self) -> str:
        """All that stands in the lines of headings, and in the context."""
        return "\n".join((self.context, *(each.text for each in self.headers)))


def _parts(block: Block) -> bool:
    """Return whether a block between two tables shows that the second is another: a heading, or a paragraph."""
    return block.kind is BlockKind.HEADING or len(block.text) > _LONGEST_TITLE


def find_tables(page: Page) -> Iterator[Table]:
    """Yield the tables of a page that have rows, in order."""
    head = tuple(
        each.text for each in page.blocks[:_HEAD_BLOCKS] if each.kind not in _TABLE and len(each.text) <= _LONGEST_TITLE
    )
    walk = _Walk(page.number, head)
    for block in page.blocks:
        if finished := walk.add(block):
            yield finished
    if walk.table is not None and walk.table.lines:
        yield walk.table


class _Walk:
    def __init__(self, page: int, head: tuple[str, ...]) -> None:
        self._page, self._head = page, head
        self._titles: list[str] = []
        self._group = self._period_line = ""
        self._between: list[Block] | None = None
        self.table: Table | None = None

    def add(self, block: Block) -> Table | None:
        """Take the next block. Returns: the table that it ends, if it ends one."""
        if block.kind not in _TABLE:
            return self._add_text(block)
        finished = None
        if block.kind is BlockKind.TABLE_HEADER:
            if self.table is None or self.table.lines:
                finished = self._start()
            headers = self._current().headers
            if len(headers) < _MOST_HEADERS:
                headers.append(block)
        elif block.kind is BlockKind.TABLE_GROUP or " | " not in block.text:
            self._add_group(block)
        else:
            if self.table is None:
                finished = self._start()
            self._current().lines.append(TableLine(block=block, group=self._group, period_line=self._period_line))
            if _TOTAL.match(block.text):
                self._group = ""
        return finished

    def _add_text(self, block: Block) -> Table | None:
        if self._between is not None:
            self._between.append(block)
        self._titles.insert(0, block.text[:_LONGEST_TITLE])
        del self._titles[_MOST_TITLES:]
        if block.kind is BlockKind.HEADING or (len(block.text) <= _LONGEST_TITLE and not block.text.endswith(".")):
            # A heading inside a statement is set like a title: "Shareholders' equity". Before a table it is one.
            is_group = self.table is not None and len(block.text) <= _LONGEST_GROUP and not _OF_TABLE.search(block.text)
            self._group = block.text if is_group else ""
            return None
        self._group = self._period_line = ""
        finished, self.table = self.table, None
        return finished if finished is not None and finished.lines else None

    def _add_group(self, block: Block) -> None:
        text = block.text
        if len(text) <= _LONGEST_TITLE and read_period(text).year is not None and not words_beside_period(text):
            self._period_line = text
            return
        self._group = text[:_LONGEST_TITLE]

    def _current(self) -> Table:
        if self.table is None:
            between = None if self._between is None else tuple(self._between)
            self.table = Table(page=self._page, titles=tuple(self._titles), head=self._head, between=between)
            self._between = []
        return self.table

    def _start(self) -> Table | None:
        finished, self.table = self.table, None
        self._current()
        self._period_line = ""
        return finished if finished is not None and finished.lines else None


def headings_by_position(headers: Sequence[Block], width: int) -> list[tuple[str, Block, int, int]] | None:
    """Return the heading of each of so many columns by its place in the lines of headings, with where that stands.

    For rows that don't say the names of their columns. Returns: None where the lines have another number of columns.
    """
    lowest: list[tuple[str, Block, int, int]] | None = None
    over: list[str] = [""] * width
    for block in headers:
        cells = split_heading(block)
        if len(cells) == width + 1:
            cells = cells[1:]
        if len(cells) == width:
            lowest = [(text, block, start, end) for text, start, end in cells]
        elif lowest is None and cells and 1 < len(cells) < width and width % len(cells) == 0:
            each = width // len(cells)
            over = [f"{over[at]} {cells[at // each][0]}".strip() for at in range(width)]
    if lowest is None:
        return None
    return [
        (f"{above} {text}".strip(), block, start, end)
        for above, (text, block, start, end) in zip(over, lowest, strict=True)
    ]


def split_heading(block: Block) -> list[tuple[str, int, int]]:
    """Return the cells of a line of headings, each with its place in the page."""
    cells: list[tuple[str, int, int]] = []
    start = block.char_start
    for piece in block.text.split("|"):
        text = piece.strip()
        if text:
            begins = start + len(piece) - len(piece.lstrip())
            cells.append((text, begins, begins + len(text)))
        start += len(piece) + 1
    return cells
