"""Where the elements of facts begin and end in the text of a cell, of a row or of a paragraph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from apps.corpus.extraction.cleaning import clean
from apps.corpus.extraction.grids import GridCell
from apps.corpus.extraction.html import BLOCKS, walk_visible
from apps.filings.xbrl.kept_text import keep_values, squeeze


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """An element of a fact in a text: from `start` to `end` of its characters that are not blank.

    left, right: the grid columns of its cell; both are 0 outside of tables.
    """

    element: Any
    start: int
    end: int
    left: int = 0
    right: int = 0


def marks_in_row(cells: Sequence[GridCell], marked: Sequence[tuple[Mark, ...]]) -> tuple[Mark, ...]:
    """Return the marks of a row's cells as marks of the whole row."""
    found: list[Mark] = []
    base = 0
    for cell, marks in zip(cells, marked, strict=True):
        kept = len(keep_values(cell.text).squeezed)
        left_out = len(squeeze(cell.text)) - kept
        found.extend(
            Mark(
                element=mark.element,
                start=mark.start - left_out + base,
                end=mark.end - left_out + base,
                left=cell.column,
                right=cell.column + cell.width,
            )
            for mark in marks
            if mark.start >= left_out
        )
        base += kept
    return tuple(found)


def marks_of_cells(rows: Sequence[Sequence[GridCell]], fact_tags: frozenset[str]) -> list[list[tuple[Mark, ...]]]:
    """Return the marks of each cell. A cell that spans rows has them in the first, where it stands."""
    seen: set[int] = set()
    marked: list[list[tuple[Mark, ...]]] = []
    for cells in rows:
        marks = [() if id(cell.element) in seen else _marks_of_cell(cell.element, fact_tags) for cell in cells]
        seen.update(id(cell.element) for cell in cells)
        marked.append(marks)
    return marked


def _marks_of_cell(cell: Any, fact_tags: frozenset[str]) -> tuple[Mark, ...]:
    parts: list[str] = []
    length = 0
    opened: dict[int, int] = {}
    marks: list[tuple[Any, int, int]] = []
    for event, element in walk_visible(cell):
        is_fact = element.tag in fact_tags
        is_block = element.tag in BLOCKS
        if event == "start":
            added = (" " if is_block else "") + (element.text or "")
            if is_fact:
                opened[id(element)] = length
        else:
            if is_fact and id(element) in opened:
                marks.append((element, opened.pop(id(element)), length))
            is_cell = element is cell
            added = "" if is_cell else (" " if is_block or element.tag == "br" else "") + (element.tail or "")
        parts.append(added)
        length += len(added)
    return squeeze_marks("".join(parts), marks) if marks else ()


def squeeze_marks(raw: str, marks: Sequence[tuple[Any, int, int]]) -> tuple[Mark, ...]:
    """Return marks that count characters as they stand in the raw text as marks that count without blanks."""
    if not marks:
        return ()
    offsets = {0: 0}
    before = 0
    for position in sorted({position for _, start, end in marks for position in (start, end)} - {0}):
        offsets[position] = offsets[before] + len(squeeze(clean(raw[before:position])))
        before = position
    return tuple(Mark(element=element, start=offsets[start], end=offsets[end]) for element, start, end in marks)
