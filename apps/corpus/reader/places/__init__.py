"""Find where a quote of a page's text stands on the page's image. Pure.

The text of a page was put in order, freed of running titles and laid out in cells; PDFium's characters are as the file
has them. So letters and digits alone are compared. What stands in a row of a table is looked for on one line of the
page (rows.py), all else in the order of the text (prose.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from apps.corpus.reader.contracts import PagePicture
from apps.corpus.reader.places.boxes import boxes_of
from apps.corpus.reader.places.prose import prose_runs
from apps.corpus.reader.places.rows import CELL_BREAK, row_runs
from apps.corpus.reader.places.sheet import Box, Run, Sheet

__all__ = ["Box", "Places", "find_places"]

# A longer quote is the page.
_MOST_LETTERS: Final = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Boxes of a quote in its order, and of the headings of columns that its rows repeat.

    is_whole: whether all letters and digits of the quote were found, those of headings apart.
    """

    boxes: tuple[Box, ...] = ()
    headings: tuple[Box, ...] = ()
    is_whole: bool = False


def find_places(picture: PagePicture, text: str, start: int, end: int) -> Places:
    """Return the boxes of text[start:end] on the picture of its page."""
    sheet = Sheet(picture, text)
    first, last = sheet.said.span(start, end)
    if not 0 < last - first <= _MOST_LETTERS:
        return Places()
    runs = [run for run in _runs(sheet, start, end) if run.start < last and run.end > first]

    def boxes(*, headings: bool) -> tuple[Box, ...]:
        chosen = (run for run in runs if run.is_heading == headings)
        return tuple(boxes_of(sheet, [place for run in chosen for place in sheet.positions(run, start, end)]))

    is_whole = all(run.place is not None for run in runs if not run.is_heading)
    return Places(boxes=boxes(headings=False), headings=boxes(headings=True), is_whole=is_whole)


def _runs(sheet: Sheet, start: int, end: int) -> Iterator[Run]:
    text = sheet.text
    first, last = text.rfind("\n", 0, start) + 1, text.find("\n", end - 1)
    last = len(text) if last < 0 else last
    if CELL_BREAK not in text[first:last]:
        yield from prose_runs(sheet, start, end)
        return
    while first <= last:
        stop = text.find("\n", first, last)
        stop = last if stop < 0 else stop
        if CELL_BREAK in text[first:stop]:
            yield from row_runs(sheet, first, stop)
        else:
            yield from prose_runs(sheet, max(first, start), min(stop, end))
        first = stop + 1
