"""Put the pieces that were found on a page into lines, and the lines into reading order.

A picture has no order of its own. Pieces side by side are one row, as in a table, unless both sides of a gap are
running text: then they are columns, of which the left one is read first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median
from typing import Final, NamedTuple

from apps.corpus.extraction.ocr.boxes import TextBox

_SAME_ROW: Final = 0.5  # of the lower piece's height, between their middles
_PROSE_WORDS: Final = 4
_PROSE_PIECES: Final = 3  # on each side of a gap
_PROSE_SHARE: Final = 0.5  # of a side's pieces
_FILLED: Final = 0.6  # of a column's width, by the usual line of it
_MOST_UNEQUAL: Final = 2.5  # times as wide as the other column


class PlacedWord(NamedTuple):
    text: str
    x0: float
    x1: float


class Piece(NamedTuple):
    """A piece of a line as it was read: its place and its words, on the straightened picture."""

    box: TextBox
    words: tuple[PlacedWord, ...]
    is_prose: bool

    @classmethod
    def of(cls, box: TextBox, words: tuple[PlacedWord, ...]) -> Piece:
        return cls(box, words, sum(any(map(str.isalpha, word.text)) for word in words) >= _PROSE_WORDS)

    @property
    def middle(self) -> float:
        return (self.box.top + self.box.bottom) / 2


def in_reading_order(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Return rows of pieces, each from left to right."""
    if sum(piece.is_prose for piece in pieces) < 2 * _PROSE_PIECES:
        return _rows(pieces)
    bands = list(_bands(pieces))
    ordered: list[list[Piece]] = []
    position = 0
    while position < len(bands):
        end, columns = _columns(bands, position)
        if columns:
            for column in columns:
                ordered.extend(in_reading_order(column))
        else:
            ordered.extend(_rows(bands[position]))
        position = end
    return ordered


def _rows(pieces: Sequence[Piece]) -> list[list[Piece]]:
    rows: list[list[Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.middle):
        row = next((each for each in reversed(rows[-4:]) if _is_beside(each, piece)), None)
        if row is None:
            rows.append([piece])
        else:
            row.append(piece)
    return [sorted(row, key=lambda piece: piece.box.left) for row in rows]


def _is_beside(row: Sequence[Piece], piece: Piece) -> bool:
    nearest = min(row, key=lambda each: _distance(each, piece))
    if abs(nearest.middle - piece.middle) >= _SAME_ROW * min(nearest.box.height, piece.box.height):
        return False
    # Two lines close together, one over the other, are no row.
    room = 0.3 * piece.box.height
    return all(each.box.right - room <= piece.box.left or piece.box.right <= each.box.left + room for each in row)


def _distance(one: Piece, other: Piece) -> float:
    return max(one.box.left - other.box.right, other.box.left - one.box.right)


def _bands(pieces: Sequence[Piece]) -> Iterator[list[Piece]]:
    """Cut the page wherever a horizontal line would touch no text."""
    band: list[Piece] = []
    bottom = 0.0
    for piece in sorted(pieces, key=lambda piece: piece.box.top):
        trimmed = 0.25 * piece.box.height  # the boxes of narrow lines overlap
        if band and piece.box.top + trimmed > bottom:
            yield band
            band = []
        bottom = max(bottom, piece.box.bottom - trimmed) if band else piece.box.bottom - trimmed
        band.append(piece)
    if band:
        yield band


def _columns(bands: Sequence[Sequence[Piece]], start: int) -> tuple[int, tuple[list[Piece], list[Piece]] | None]:
    """Return both columns and the end of the longest run of bands that one gap parts; or None, and the next band."""
    runs: list[tuple[int, list[tuple[float, float]]]] = []
    covered: list[tuple[float, float]] = []
    for end in range(start + 1, len(bands) + 1):
        covered = _joined([*covered, *((piece.box.left, piece.box.right) for piece in bands[end - 1])])
        gaps = [(before[1], after[0]) for before, after in pairwise(covered)]
        if not gaps and end > start + 1:
            break
        runs.append((end, gaps))
    for end, gaps in reversed(runs):
        pieces = [piece for band in bands[start:end] for piece in band]
        for gap in gaps:
            left = [piece for piece in pieces if piece.box.right <= gap[0]]
            right = [piece for piece in pieces if piece.box.left >= gap[1]]
            if gap[1] - gap[0] > 0.5 * median(piece.box.height for piece in pieces) and _are_columns(left, right):
                return end, (left, right)
    return start + 1, None


def _joined(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    joined: list[tuple[float, float]] = []
    for low, high in sorted(spans):
        if joined and low <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined


def _are_columns(left: Sequence[Piece], right: Sequence[Piece]) -> bool:
    widths = [_width_of_prose(side) for side in (left, right)]
    return min(widths) > 0 and max(widths) <= _MOST_UNEQUAL * min(widths)


def _width_of_prose(side: Sequence[Piece]) -> float:
    """Return the width of a column of running text, 0.0 if it is none."""
    prose = [piece.box.width for piece in side if piece.is_prose]
    if len(prose) < max(_PROSE_PIECES, _PROSE_SHARE * len(side)):
        return 0.0
    width = max(piece.box.right for piece in side) - min(piece.box.left for piece in side)
    return width if median(prose) >= _FILLED * width else 0.0
