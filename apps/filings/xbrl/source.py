"""The text of an HTML file in the order of its extraction, with the facts that are marked in it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.contracts import BlockKind
from apps.corpus.extraction.grids import GridCell, grid_drafts
from apps.corpus.extraction.html import BLOCKS, grid_rows, walk_visible
from apps.corpus.extraction.pages import BlockDraft, pieces
from apps.filings.xbrl.kept_text import keep_values, squeeze
from apps.filings.xbrl.marks import Mark, marks_in_row, marks_of_cells, squeeze_marks

_BREAKS: Final = re.compile(r"\n\s*\n")
_TABLE_KINDS: Final = frozenset({BlockKind.TABLE_ROW, BlockKind.TABLE_GROUP, BlockKind.TABLE_HEADER})


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """What should be a block of the extraction: a row of a table, or a paragraph.

    marks:  count in the values that keep_values keeps if kind is that of a table, else in the whole text.
    table:  the number of its table; -1 outside of tables.
    cells:  of a table's row or header.
    """

    text: str
    kind: BlockKind
    marks: tuple[Mark, ...] = ()
    table: int = -1
    cells: tuple[GridCell, ...] = ()


def read_units(root: Any, fact_tags: frozenset[str]) -> Iterator[Unit]:
    """Yield the units in the order in which apps/corpus/extraction/html.py makes drafts of them."""
    flow = _MarkedFlow(fact_tags)
    tables = 0
    for event, element in walk_visible(root):
        tag = element.tag
        if event == "table":
            yield from flow.flush()
            yield from _table_units(element, fact_tags, tables)
            tables += 1
            flow.add(element.tail)
        elif event == "start":
            if tag in BLOCKS:
                yield from flow.flush()
            flow.open(element)
            flow.add(element.text)
        else:
            if tag in BLOCKS:
                yield from flow.flush()
            flow.close(element)
            flow.add("\n" if tag == "br" else None)
            flow.add(element.tail)
    yield from flow.flush()


def cut_units(units: Iterable[Unit], longest: int) -> Iterator[Unit]:
    """Yield the units, those that are longer than a page cut as extraction cuts them. Args: longest: in characters."""
    for unit in units:
        if unit.table >= 0 or len(unit.text) <= longest:
            yield unit
            continue
        start = at = 0
        for piece in pieces(BlockDraft(unit.kind, unit.text), longest):
            end = start + len(squeeze(piece.text))
            until = bisect_left(unit.marks, end, lo=at, key=_begin)
            inside = (mark for mark in unit.marks[at:until] if mark.end <= end)
            marks = tuple(replace(mark, start=mark.start - start, end=mark.end - start) for mark in inside)
            at = until
            yield Unit(text=piece.text, kind=unit.kind, marks=marks)
            start = end


def _begin(mark: Mark) -> int:
    return mark.start


class _MarkedFlow:
    """Running text until its block ends, with where facts begin and end in it."""

    def __init__(self, fact_tags: frozenset[str]) -> None:
        self._fact_tags = fact_tags
        self._parts: list[str] = []
        self._length = 0
        self._open: list[tuple[Any, int]] = []
        self._marks: list[tuple[Any, int, int]] = []

    def open(self, element: Any) -> None:
        if element.tag in self._fact_tags:
            self._open.append((element, self._length))

    def close(self, element: Any) -> None:
        if element.tag in self._fact_tags and self._open and self._open[-1][0] is element:
            self._marks.append((element, self._open.pop()[1], self._length))

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(text)
            self._length += len(text)

    def flush(self) -> Iterator[Unit]:
        """Yield the blocks gathered so far. A fact that runs on into another block has no place."""
        raw, marks = "".join(self._parts), sorted(self._marks, key=lambda mark: mark[1])
        self._parts, self._length, self._open, self._marks = [], 0, [], []
        at, start = 0, 0
        for end, following in [*((each.start(), each.end()) for each in _BREAKS.finditer(raw)), (len(raw), len(raw))]:
            inside: list[tuple[Any, int, int]] = []
            while at < len(marks) and marks[at][1] < max(end, following):
                if marks[at][2] <= end:
                    inside.append((marks[at][0], marks[at][1] - start, marks[at][2] - start))
                at += 1
            text = one_line(raw[start:end])
            if text:
                yield Unit(text=text, kind=BlockKind.PARAGRAPH, marks=squeeze_marks(raw[start:end], inside))
            start = following


def _table_units(table: Any, fact_tags: frozenset[str], number: int) -> Iterator[Unit]:
    rows = [cells for cells in grid_rows(table) if cells]
    drafts = grid_drafts(rows)
    marked = marks_of_cells(rows, fact_tags)
    if not any(draft.kind in _TABLE_KINDS for draft in drafts):
        yield from _text_units(rows, marked, {draft.text for draft in drafts})
        return
    at = 0
    for draft in drafts:
        kept = keep_values(draft.text).squeezed
        found = next((row for row in range(at, min(at + 8, len(rows))) if _row_key(rows[row]) == kept), None)
        if found is None:
            yield Unit(text=draft.text, kind=draft.kind, table=number)
            at += draft.kind is not BlockKind.TABLE_HEADER
            continue
        at = found + 1
        yield Unit(
            text=draft.text,
            kind=draft.kind,
            marks=marks_in_row(rows[found], marked[found]),
            table=number,
            cells=tuple(rows[found]),
        )


def _text_units(
    rows: Sequence[Sequence[GridCell]], marked: Sequence[Sequence[tuple[Mark, ...]]], texts: set[str]
) -> Iterator[Unit]:
    """Yield the units of a table that only places text: a cell each, or a bullet with its cell."""
    for cells, marks in zip(rows, marked, strict=True):
        joined = " ".join(cell.text for cell in cells)
        if len(cells) > 1 and joined in texts:
            base, moved = 0, list[Mark]()
            for cell, each in zip(cells, marks, strict=True):
                moved.extend(Mark(element=m.element, start=m.start + base, end=m.end + base) for m in each)
                base += len(squeeze(cell.text))
            yield Unit(text=joined, kind=BlockKind.LIST_ITEM, marks=tuple(moved))
        else:
            yield from (
                Unit(text=cell.text, kind=BlockKind.PARAGRAPH, marks=each)
                for cell, each in zip(cells, marks, strict=True)
            )


def _row_key(cells: Sequence[GridCell]) -> str:
    return "".join(keep_values(cell.text).squeezed for cell in cells)
