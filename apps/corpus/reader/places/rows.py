"""Choose where the cells of a table's row stand: on the line of the page that has the most of them.

The text of a row is `label | heading: value | heading: value`: the headings stand elsewhere, above their columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from apps.corpus.reader.places.sheet import Run, Sheet

CELL_BREAK: Final = " | "
_HEADING_ENDS: Final = ": "
# How far apart the middles of two characters on one line may be, in parts of the page: half a line of small type.
_SAME_LINE: Final = 45
# A label may go over so much of the page's height; what stands farther away is of another row.
_SAME_ROW: Final = 400

# So far a word of a heading may begin from the end of the cell below, in parts of the page's width.
_SAME_COLUMN: Final = 1_200


def row_runs(sheet: Sheet, start: int, end: int) -> list[Run]:
    """Return the runs of a whole row of the text, settled where they were found."""
    label, *cells = _cells(sheet.text, start, end)
    rows = [list(sheet.runs(*label))]
    headings: list[list[Run]] = [[]]
    for begin, stop in cells:
        cut = sheet.text.find(_HEADING_ENDS, begin, stop)
        value = begin if cut < 0 else cut + len(_HEADING_ENDS)
        headings.append(list(sheet.words(begin, value)))
        rows.append(list(sheet.runs(value, stop)))
    found = [run for cell in rows for run in cell]
    middle = _line(sheet, found, sheet.text[:start].count(sheet.text[start:end]))
    if middle is not None:
        _settle(sheet, found, middle)
        for above, cell in zip(headings, rows, strict=True):
            _settle_headings(sheet, above, cell, middle)
    for run in (run for cell in headings for run in cell):
        run.is_heading = True
    return [run for pair in zip(headings, rows, strict=True) for cell in pair for run in cell]


def _cells(text: str, start: int, end: int) -> list[tuple[int, int]]:
    breaks = [start - len(CELL_BREAK)]
    while (found := text.find(CELL_BREAK, breaks[-1] + len(CELL_BREAK), end)) >= 0:
        breaks.append(found)
    return [(one + len(CELL_BREAK), other) for one, other in pairwise([*breaks, end])]


def _line(sheet: Sheet, runs: Sequence[Run], alike_before: int) -> int | None:
    """Return the middle of the line with the most letters of the row. Args: alike_before: rows of the same text."""
    seen = [(run, middle) for run in runs for place in run.places for middle in _middles(sheet, run, place)]
    votes: dict[int, int] = {}
    for middle in sorted({middle for _, middle in seen}):
        near = {run.start: run.length for run, other in seen if abs(other - middle) <= _SAME_LINE}
        votes[middle] = sum(near.values())
    if not votes:
        return None
    most = max(votes.values())
    lines: list[int] = []
    for middle in (middle for middle, count in votes.items() if count == most):
        if not lines or middle - lines[-1] > 2 * _SAME_LINE:
            lines.append(middle)
    return lines[min(alike_before, len(lines) - 1)]


def _middle(sheet: Sheet, place: int) -> int:
    box = sheet.box_of_letter(place)
    return (box.top + box.bottom) // 2


def _middles(sheet: Sheet, run: Run, place: int) -> set[int]:
    """Return where a run begins and ends: a label may go over two lines."""
    return {_middle(sheet, place), _middle(sheet, place + run.length - 1)}


def _settle(sheet: Sheet, runs: Sequence[Run], middle: int) -> None:
    """Choose of each run the place on the line, each to the right of the one before it where that is possible."""
    before = -1
    for run in runs:
        on_line = [
            place
            for place in run.places
            if any(abs(each - middle) <= _SAME_LINE for each in _middles(sheet, run, place))
        ]
        on_line.sort(key=lambda place: sheet.box_of_letter(place).left)
        right = [place for place in on_line if sheet.box_of_letter(place).left > before]
        near = [place for place in run.places if abs(_middle(sheet, place) - middle) <= _SAME_ROW]
        run.place = next(_first_of(right, on_line, near if len(near) == 1 else []), None)
        if run.place in on_line:
            before = sheet.box_of_letter(run.place).left


def _first_of(*lists: list[int]) -> Iterator[int]:
    for each in lists:
        yield from each


def _settle_headings(sheet: Sheet, headings: Sequence[Run], cell: Sequence[Run], middle: int) -> None:
    """Choose of each word of a column's heading the place in its column, closest above the cell."""
    settled = [run for run in cell if run.place is not None]
    if not settled:
        return
    last = sheet.box_of_letter((settled[-1].place or 0) + settled[-1].length - 1)

    def aside(place: int) -> int:
        box = sheet.box_of_letter(place)
        return min(abs(box.left - last.right), abs(box.left - last.left))

    for run in headings:
        above = [
            place
            for place in run.places
            if _middle(sheet, place) < middle - _SAME_LINE and aside(place) <= _SAME_COLUMN
        ]
        run.place = max(above, key=lambda place: _middle(sheet, place) - aside(place) // 4, default=None)
