"""Read the text of one picture of a page: find it, turn it upright and straight, read it, and place each word."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Final

from apps.corpus.extraction.cleaning import clean
from apps.corpus.extraction.contracts import WORD_PARTS, RecognisedWord
from apps.corpus.extraction.ocr.boxes import TextBox, TooManyError, are_upended, boxes_of, find_regions, slope_of
from apps.corpus.extraction.ocr.engine import Engine, ReadPiece, weights_folder
from apps.corpus.extraction.ocr.order import Piece, PlacedWord, in_reading_order
from apps.corpus.extraction.pdf_lines import Line, Word

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from PIL.Image import Image

# The longer side of the picture that is searched for text: 100 dots an inch for a page of A4.
_SEARCHED_PIXELS: Final = 1_152
# To tell how a page lies, a third of its pixels will do.
_GLANCED_PIXELS: Final = 672
_STRAIGHT: Final = 0.002  # a smaller slope moves the ends of a line by less than half of its height
_SAMPLE: Final = 5  # pieces that show whether a page stands on its head
_UPRIGHT: Final = 0.9  # their confidence if it doesn't
_LEAST_SURE: Final = 0.5  # of a piece: less is a drawing or dirt
_LARGER: Final = 1.3  # times the usual height: a piece set in larger type
# Chinese forms of signs, which the network knows and no figure here has.
_NARROW: Final = {0xFF01 + each: 0x21 + each for each in range(94)} | {0x3002: ord("."), 0x3001: ord(",")}

Point = tuple[float, float]


class TooSlowError(Exception):
    """A picture holds more than may be read of one page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecognisedPage:
    """What a picture says.

    lines: in points, on the page as it is read. words: with their places on the page as it is shown.
    confidence: from 0 to 1, the mean over all characters.
    """

    lines: list[Line]
    words: tuple[RecognisedWord, ...]
    confidence: float


class Recogniser:
    """Text recognition for one file. Loads the networks with its first picture."""

    def __init__(self) -> None:
        self._folder = weights_folder()
        self._engine: Engine | None = None
        self.spent_seconds = 0.0

    @property
    def is_installed(self) -> bool:
        return self._folder is not None

    def read(self, picture: Image, *, points_per_pixel: float, max_seconds: float) -> RecognisedPage:
        """Return the text of a grey picture; without lines if there is none.

        Raises: TooSlowError: there is more than can be read in that time.
        """
        if self._folder is None:
            raise ValueError("ask is_installed before")
        started = time.process_time()
        try:
            self._engine = self._engine or Engine(self._folder)
            return _Reading(self._engine, picture, until=started + max_seconds).page(points_per_pixel)
        except TooManyError:
            raise TooSlowError from None
        finally:
            self.spent_seconds += time.process_time() - started


class _Reading:
    """One picture, step by step."""

    def __init__(self, engine: Engine, picture: Image, *, until: float) -> None:
        self._engine = engine
        self._shown = picture.size
        self._picture = picture
        self._until = until
        # What was read of the picture as it is now.
        self._read: dict[TextBox, ReadPiece] = {}
        # Of a place on the picture as it is now, from the last change to the first: where it was before.
        self._back: list[Callable[[float, float], Point]] = []

    def page(self, points_per_pixel: float) -> RecognisedPage:
        boxes = self._straight_boxes()
        read = self._all_read(self._upright(boxes))
        characters = sum(len(piece.text) for _, piece in read)
        sure = sum(piece.confidence * len(piece.text) for _, piece in read)
        pieces = [
            Piece.of(box, words)
            for box, piece in read
            if piece.confidence >= _LEAST_SURE and (words := tuple(_words(box, piece)))
        ]
        lines = _lines(in_reading_order(pieces), self._picture.height, points_per_pixel)
        shown = tuple(self._shown_word(word, piece.box) for piece in pieces for word in piece.words)
        return RecognisedPage(lines=lines, words=shown, confidence=sure / characters if characters else 0.0)

    def _straight_boxes(self) -> list[TextBox]:
        """Turn the picture until its lines run across, and return the pieces of them."""
        regions = find_regions(self._searched(_GLANCED_PIXELS))
        if are_upended(boxes_of(regions)):
            self._turn(1)
            regions = find_regions(self._searched(_GLANCED_PIXELS))
        slope = slope_of(regions)
        if abs(slope) > _STRAIGHT:
            self._straighten(slope)
        likely = self._searched(_SEARCHED_PIXELS)
        regions = find_regions(likely)
        rows, columns = likely.shape
        across, down = self._picture.width / columns, self._picture.height / rows
        return [
            TextBox(box.left * across, box.top * down, box.right * across, box.bottom * down)
            for box in boxes_of(regions)
        ]

    def _searched(self, pixels: int) -> NDArray[np.float32]:
        (wide, high), scale = self._picture.size, pixels / max(self._picture.size)
        return self._engine.find(self._picture.resize((max(1, round(wide * scale)), max(1, round(high * scale)))))

    def _upright(self, boxes: list[TextBox]) -> list[TextBox]:
        """Turn the picture if it stands on its head: its widest pieces are read both ways."""
        sample = sorted(boxes, key=lambda box: box.width / max(box.height, 1.0), reverse=True)[:_SAMPLE]
        if not sample or self._sure_of(sample) >= _UPRIGHT:
            return boxes
        before, back, read = self._picture, list(self._back), self._read
        sure = self._sure_of(sample)
        self._turn(2)
        self._read = {}
        if self._sure_of([self._upside_down(box) for box in sample]) > sure:
            return [self._upside_down(box) for box in boxes]
        self._picture, self._back, self._read = before, back, read
        return boxes

    def _upside_down(self, box: TextBox) -> TextBox:
        wide, high = self._picture.size
        return TextBox(wide - box.right, high - box.bottom, wide - box.left, high - box.top)

    def _sure_of(self, boxes: Sequence[TextBox]) -> float:
        return sum(piece.confidence for _, piece in self._all_read(boxes)) / len(boxes)

    def _all_read(self, boxes: Sequence[TextBox]) -> list[tuple[TextBox, ReadPiece]]:
        read: list[tuple[TextBox, ReadPiece]] = []
        for box in boxes:
            if time.process_time() > self._until:
                raise TooSlowError
            place = (
                max(0, math.floor(box.left)),
                max(0, math.floor(box.top)),
                min(self._picture.width, math.ceil(box.right)),
                min(self._picture.height, math.ceil(box.bottom)),
            )
            if place[2] - place[0] > 1 and place[3] - place[1] > 1:
                piece = self._read.get(box) or self._engine.read(self._picture.crop(place))
                self._read[box] = piece
                read.append((box, piece))
        return read

    def _turn(self, quarters: int) -> None:
        """Turn the picture to the left by quarters: one or two."""
        from PIL import Image

        wide, high = self._picture.size
        how = Image.Transpose.ROTATE_90 if quarters == 1 else Image.Transpose.ROTATE_180
        self._picture = self._picture.transpose(how)
        self._back.insert(0, (lambda x, y: (wide - y, x)) if quarters == 1 else (lambda x, y: (wide - x, high - y)))

    def _straighten(self, slope: float) -> None:
        """Turn the picture around its middle, so that a line that falls by `slope` runs across."""
        from PIL import Image

        angle = math.atan(slope)
        x, y = self._picture.width / 2, self._picture.height / 2
        a, b, d, e = math.cos(angle), -math.sin(angle), math.sin(angle), math.cos(angle)
        c, f = x - a * x - b * y, y - d * x - e * y
        self._picture = self._picture.transform(
            self._picture.size, Image.Transform.AFFINE, (a, b, c, d, e, f), Image.Resampling.BILINEAR, fillcolor=255
        )
        self._back.insert(0, lambda x, y: (a * x + b * y + c, d * x + e * y + f))

    def _shown_word(self, word: PlacedWord, box: TextBox) -> RecognisedWord:
        corners = [self._was_at(x, y) for x in (word.x0, word.x1) for y in (box.top, box.bottom)]
        (wide, high), xs, ys = self._shown, [x for x, _ in corners], [y for _, y in corners]
        return RecognisedWord(
            word.text, _part(min(xs), wide), _part(min(ys), high), _part(max(xs), wide), _part(max(ys), high)
        )

    def _was_at(self, x: float, y: float) -> Point:
        for step in self._back:
            x, y = step(x, y)
        return x, y


def _part(at: float, of: int) -> int:
    return min(max(round(at * WORD_PARTS / of), 0), WORD_PARTS)


def _words(box: TextBox, piece: ReadPiece) -> Iterator[PlacedWord]:
    """Yield the words of a piece. Its characters' middles are known; how wide they are is not, and taken as equal."""
    text = piece.text.translate(_NARROW)
    steps = [after - before for before, after in pairwise(piece.middles)]
    half = 0.5 * median(steps) * box.width if steps else 0.25 * box.height
    # The box is larger than its text by this on each side.
    margin = 0.2 * box.height
    start = 0
    while start < len(text):
        end = next((at for at in range(start, len(text)) if text[at].isspace()), len(text))
        word = clean(text[start:end])
        if word:
            x0 = box.left + piece.middles[start] * box.width - half
            x1 = box.left + piece.middles[end - 1] * box.width + half
            yield PlacedWord(word, max(x0, box.left + margin), min(max(x1, x0 + 1), box.right - margin))
        start = end + 1


def _lines(rows: Sequence[Sequence[Piece]], high: int, points_per_pixel: float) -> list[Line]:
    if not rows:
        return []
    usual = median(piece.box.height for row in rows for piece in row)
    lines: list[Line] = []
    for row in rows:
        middle = median(piece.middle for piece in row)
        height = median(piece.box.height for piece in row)
        # A line without a letter that goes below it is found lower: that says nothing of its type.
        height = height if height > _LARGER * usual or height < usual / _LARGER else usual
        at = (high - middle) * points_per_pixel
        words = [
            Word(word.text, word.x0 * points_per_pixel, word.x1 * points_per_pixel, at)
            for piece in row
            for word in piece.words
        ]
        lines.append(Line(words, at - height * points_per_pixel / 2, height * points_per_pixel))
    return lines
