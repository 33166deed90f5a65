"""Put the cells of a table that was drawn column by column back on their lines.

PDFium follows the order of drawing. Most producers draw a table row by row; where one draws its columns one after the
other, each number comes as a line of its own, far from its label.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from apps.corpus.extraction.numerals import is_amount
from apps.corpus.extraction.pdf_lines import Line, middle_of

_MAX_CELL_WORDS = 12  # a line with more is running text, not a cell
_MIN_SHARED = 3  # amounts that stand on a line with something drawn apart from them
_MIN_AMOUNT_SHARE = 0.3  # of the lines of a run
_BASELINE = 0.4  # of a line's height


def in_rows(lines: Sequence[Line]) -> list[Line]:
    """The page's lines, those of tables drawn by columns joined to rows."""
    ordered: list[Line] = []
    run: list[Line] = []
    for line in lines:
        if len(line.words) <= _MAX_CELL_WORDS and not line.divided:
            run.append(line)
        else:
            ordered.extend(_rows(run))
            ordered.append(line)
            run = []
    ordered.extend(_rows(run))
    return ordered


def _rows(run: list[Line]) -> list[Line]:
    """The run as rows from the top down, if amounts in it were drawn apart from what stands beside them."""
    amounts = [line for line in run if all(is_amount(word.text) for word in line.words)]
    if len(amounts) < max(_MIN_SHARED, _MIN_AMOUNT_SHARE * len(run)) or not _goes_back_up(run):
        return run
    bands = _bands(run)
    shared = sum(len(band) - 1 for band in bands if any(line in amounts for line in band))
    if shared < _MIN_SHARED or any(_overlap(band) for band in bands):
        return run
    return [_joined(band) for band in bands]


def _goes_back_up(run: Sequence[Line]) -> bool:
    return any(middle_of(line) > middle_of(before) + 0.5 * line.height for before, line in pairwise(run))


def _bands(run: Sequence[Line]) -> list[list[Line]]:
    bands: list[list[Line]] = []
    for line in sorted(run, key=lambda line: -middle_of(line)):
        if bands and middle_of(bands[-1][0]) - middle_of(line) < _BASELINE * min(line.height, bands[-1][0].height):
            bands[-1].append(line)
        else:
            bands.append([line])
    return [sorted(band, key=lambda line: line.x0) for band in bands]


def _overlap(band: Sequence[Line]) -> bool:
    return any(line.x0 < before.x1 - 1 for before, line in pairwise(band))


def _joined(band: Sequence[Line]) -> Line:
    if len(band) == 1:
        return band[0]
    words = [word for line in band for word in line.words]
    return Line(words, band[0].bottom, band[0].height, all(line.bold for line in band))
