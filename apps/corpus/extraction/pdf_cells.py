"""Cut the lines of a PDF page into cells.

What decides is the gap in front of a number. Over 37 filings it is 0.2-0.4 of a line's height inside prose and 0.6
and more in front of a table's value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from apps.corpus.extraction.cells import Cell, is_data_row, join_signs
from apps.corpus.extraction.numerals import is_amount, is_period, is_sign_after, is_sign_before
from apps.corpus.extraction.pdf_lines import Line, Word

BULLETS = frozenset("•◦▪●○■\u2013\u2014-*·")
_WIDE_GAP = 0.9  # of a line's height: between two cells of words
_NUMBER_GAP = 0.5  # between anything and a number
_MAX_WORDS_OF_AMOUNT = 5  # "( 1,577 ) %" and a footnote mark
_FOOTNOTE = re.compile(r"^\(\d{1,2}\)$|^\*+$")


@dataclass(slots=True)
class TableLine:
    """A page's line with its cells and what they are."""

    line: Line
    cells: list[Cell]
    data: bool
    heading: bool  # could head columns: periods, or words in more than one cell


def table_lines(lines: Sequence[Line]) -> list[TableLine]:
    """Cut each line into cells."""
    return [_table_line(line) for line in lines]


def _table_line(line: Line) -> TableLine:
    cells = join_signs(split_cells(line))
    data = is_data_row(cells) and not _is_only_marked(cells)
    heading = not data and (len(cells) > 1 or is_period(cells[0].text))
    return TableLine(line, cells, data, heading)


def _is_only_marked(cells: Sequence[Cell]) -> bool:
    """Is the only number a line's mark: "(1) These measures ...", "3. Notes", a dash used as a bullet?"""
    amounts = [position for position, cell in enumerate(cells) if is_amount(cell.text)]
    if amounts != [0]:
        return False
    mark = cells[0].text
    return len(cells) > 1 or mark in BULLETS or (mark.isdigit() and len(mark) < 4) or bool(_FOOTNOTE.match(mark))


def split_cells(line: Line) -> list[Cell]:
    """Cut a line where the gap is wider than a space, more readily in front of a number."""
    cells: list[Cell] = []
    run: list[Word] = []
    for word in line.words:
        if run:
            gap = (word.x0 - run[-1].x1) / line.height
            number = is_amount(word.text) or is_sign_before(word.text)
            apart = gap > (_NUMBER_GAP if number else _WIDE_GAP)
            if not apart and number and word.text in ("$", "€", "£"):
                apart = is_amount(run[-1].text) or is_sign_after(run[-1].text)
            if apart:
                cells.append(_cell(run))
                run = []
        run.append(word)
    cells.append(_cell(run))
    return cells


def _cell(words: Sequence[Word]) -> Cell:
    if len(words) == 1:
        text, x0, x1, _ = words[0]
        return Cell(text, x0, x1, x0, x1)
    core = words[1:] if is_sign_before(words[0].text) else words
    texts = [word.text for word in words]
    if len(words) < _MAX_WORDS_OF_AMOUNT:
        texts = [cell.text for cell in join_signs([Cell(text, x0, x1, x0, x1) for text, x0, x1, _ in words])]
    text = " ".join(texts)
    return Cell(text, words[0].x0, words[-1].x1, core[0].x0, core[-1].x1)
