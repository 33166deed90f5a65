"""Read one PDF page as lines of words with their places, in the file's own reading order.

PDFium keeps columns apart and yields a page's text in a good order, so its order is kept. What it loses is where a
word stood: two coordinates a word (its first and last character) give that back for 0.9 ms a page, while asking for
every character costs ten times as much.
"""

from __future__ import annotations

import ctypes
import re
from dataclasses import dataclass
from typing import Any, NamedTuple

import pypdfium2.raw as pdfium

from apps.corpus.extraction.cleaning import clean, is_clean

_WORD = re.compile(r"[^\s\ufffe\x02]+")
_LINE = re.compile(r"[^\r\n]+")
# PDFium puts this where a hyphen at a line's end was taken to divide a word.
_DIVIDED = re.compile("[\ufffe\x02]")
_FONT_NAME_BYTES = 128
_BOLD_NAME = re.compile(rb"bold|black|heavy|semibold|demi|-bd", re.IGNORECASE)
_BOLD_WEIGHT = 600
_SAME_BASELINE = 0.55  # of a line's height
_OTHER_LINE = 0.8


class Word(NamedTuple):
    """A run without spaces, its horizontal extent in points, and where its own middle is: its line may be another's."""

    text: str
    x0: float
    x1: float
    middle: float = 0.0


@dataclass(slots=True)
class Line:
    """Words on one baseline, left to right. `bottom` grows upwards, as in PDF.

    `bold` when it begins and ends in bold type, `divided` when it ends inside a word.
    """

    words: list[Word]
    bottom: float
    height: float
    bold: bool = False
    divided: bool = False

    @property
    def x0(self) -> float:
        return self.words[0].x0

    @property
    def x1(self) -> float:
        return self.words[-1].x1

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


def page_text(text_page: Any, *, max_characters: int) -> str:
    """The page's text with one string position for each PDFium character index.

    Characters outside the basic plane stay two surrogates here, because the indices count them as two.
    """
    count = min(max(pdfium.FPDFText_CountChars(text_page), 0), max_characters)
    if not count:
        return ""
    buffer = (ctypes.c_ushort * (count + 1))()
    written = pdfium.FPDFText_GetText(text_page, 0, count, buffer)
    raw = bytes(buffer)[: max(written - 1, 0) * 2]
    text = raw.decode("utf-16-le", "surrogatepass")
    if len(text) * 2 != len(raw):
        return "".join(map(chr, buffer[: len(raw) // 2]))
    return text


def read_lines(page: Any, text_page: Any, text: str) -> tuple[list[Line], int]:
    """Lines of one page in reading order; pieces of one baseline that follow each other are joined.

    Args:    page, text_page: open PDFium handles (the caller holds the PDFium lock).
             text: of the page, as page_text gives it.
    Returns: the lines, and by how many degrees the text is turned against the page's own axes.
    """
    if not text:
        return [], 0
    place = _Placer(page, text_page, text)
    lines: list[Line] = []
    for match in _LINE.finditer(text):
        start, end = match.span()
        for cut in [*(found.start() for found in _DIVIDED.finditer(text, start, end)), end]:
            pieces = place.lines(start, cut)
            if pieces:
                pieces[-1].divided = cut != end
            for piece in pieces:
                _append(lines, piece)
            start = cut + 1
    return lines, place.turn


def _append(lines: list[Line], line: Line) -> None:
    """Add a line, or join it to the one before where both stand on one baseline, side by side."""
    before = lines[-1] if lines else None
    if before is None or before.divided or not _on_one_baseline(before, line):
        lines.append(line)
        return
    if line.x0 >= before.x1 - 1:
        before.words.extend(line.words)
    elif line.x1 <= before.x0 + 1:
        before.words[:0] = line.words
    else:
        lines.append(line)
        return
    before.bold = before.bold and line.bold
    before.divided = line.divided


def _on_one_baseline(before: Line, line: Line) -> bool:
    distance = abs(middle_of(before) - middle_of(line))
    if distance < _SAME_BASELINE * min(before.height, line.height):
        return True
    # A raised footnote mark: smaller, and inside the line's band.
    return line.height < 0.8 * before.height and distance < 0.6 * before.height


def middle_of(line: Line) -> float:
    return line.bottom + line.height / 2


class _Placer:
    """Asks PDFium where the characters of one page are."""

    def __init__(self, page: Any, text_page: Any, text: str) -> None:
        self._page = page
        self._text_page = text_page
        self._text = text
        self._is_clean = is_clean(text)
        self._rectangle = pdfium.FS_RECTF()
        self._reference = ctypes.byref(self._rectangle)
        self._font_name = ctypes.create_string_buffer(_FONT_NAME_BYTES)
        self._font_flags = ctypes.c_int()
        # Where PDFium drops characters from the text, string positions and character indices part.
        self._exact = pdfium.FPDFText_CountChars(text_page) == len(text)
        self._width = pdfium.FPDF_GetPageWidthF(page)
        self._height = pdfium.FPDF_GetPageHeightF(page)
        self.turn = self._reading_turn()

    def lines(self, start: int, end: int) -> list[Line]:
        """The words between two string positions, cut where the text jumps to another line unannounced."""
        lines: list[Line] = []
        last_position = start
        plain = self._exact and not self.turn
        character_box, text_page = pdfium.FPDFText_GetLooseCharBox, self._text_page
        reference, rectangle = self._reference, self._rectangle
        for match in _WORD.finditer(self._text, start, end):
            text = match.group()
            if not self._is_clean:
                text = clean(text)
                if not text:
                    continue
            begin, stop = match.span()
            if plain:
                # The same as below without two calls: this line runs twice for every word of a filing.
                character_box(text_page, begin, reference)
                left, bottom, right, top = rectangle.left, rectangle.bottom, rectangle.right, rectangle.top
                if stop - begin > 1:
                    character_box(text_page, stop - 1, reference)
                    if abs(rectangle.bottom - bottom) > _OTHER_LINE * max(top - bottom, 1.0):
                        lines.extend(self._characters(begin, stop))  # numbers of two rows without a space between
                        continue
                    right = max(right, rectangle.right)
            else:
                left, bottom, right, top = self._box(begin)
                last = self._box(stop - 1)
                left, right = min(left, last[0]), max(right, last[2])
            height = max(top - bottom, 1.0)
            word = Word(text, left, right, bottom + height / 2)
            line = lines[-1] if lines else None
            if (
                line is None
                or left < line.words[-1].x1 - line.height
                or abs(bottom + height / 2 - middle_of(line)) > _OTHER_LINE * line.height
            ):
                if line is not None:
                    line.bold = line.bold and self._bold(last_position)
                lines.append(Line([word], bottom, height, self._bold(begin)))
            else:
                if len(line.words) == 1 and len(line.words[0].text) == 1:
                    line.bottom, line.height = bottom, height  # a bullet's own size says nothing
                line.words.append(word)
            last_position = stop - 1
        if lines and lines[-1].bold:
            lines[-1].bold = self._bold(last_position)
        return lines

    def _characters(self, start: int, end: int) -> list[Line]:
        """A word that PDFium made of pieces of several lines, cut where it jumps."""
        lines: list[Line] = []
        for position in range(start, end):
            left, bottom, right, top = self._box(position)
            text = clean(self._text[position])
            last = lines[-1] if lines else None
            if last is not None and abs(last.bottom - bottom) <= _OTHER_LINE * last.height:
                word = last.words[-1]
                last.words[-1] = Word(word.text + text, word.x0, max(word.x1, right), word.middle)
            elif text:
                height = max(top - bottom, 1.0)
                lines.append(Line([Word(text, left, right, bottom + height / 2)], bottom, height, self._bold(position)))
        return lines

    def _box(self, position: int) -> tuple[float, float, float, float]:
        """left, bottom, right, top of a character, as a reader holds the page."""
        index = position if self._exact else self._index(position)
        if not pdfium.FPDFText_GetLooseCharBox(self._text_page, index, self._reference):
            return (0.0, 0.0, 0.0, 1.0)
        box = self._rectangle
        if not self.turn:
            return (box.left, box.bottom, box.right, box.top)
        return _turned(box.left, box.bottom, box.right, box.top, turn=self.turn)

    def _index(self, position: int) -> int:
        index: int = pdfium.FPDFText_GetCharIndexFromTextIndex(self._text_page, position)
        return max(index, 0)

    def _bold(self, position: int) -> bool:
        index = position if self._exact else self._index(position)
        length = pdfium.FPDFText_GetFontInfo(
            self._text_page, index, self._font_name, _FONT_NAME_BYTES, ctypes.byref(self._font_flags)
        )
        if 0 < length <= _FONT_NAME_BYTES and _BOLD_NAME.search(self._font_name.value):
            return True
        return bool(pdfium.FPDFText_GetFontWeight(self._text_page, index) >= _BOLD_WEIGHT)

    def _reading_turn(self) -> int:
        """Degrees by which the text is turned against the page's own axes: a landscape table on a portrait page."""
        turns: dict[int, int] = {}
        step = max(len(self._text) // 24, 1)
        for position in range(0, len(self._text), step):
            if self._text[position].isalnum():
                angle = pdfium.FPDFText_GetCharAngle(self._text_page, self._index(position))
                degrees = -round(angle / 1.5707963) % 4 * 90 if angle >= 0 else 0  # PDFium counts clockwise
                turns[degrees] = turns.get(degrees, 0) + 1
        if not turns:
            return 0
        return max(sorted(turns), key=lambda degrees: turns[degrees])


def _turned(left: float, bottom: float, right: float, top: float, *, turn: int) -> tuple[float, float, float, float]:
    if turn == 90:
        return (bottom, -right, top, -left)
    if turn == 180:
        return (-right, -top, -left, -bottom)
    return (-top, left, -bottom, right)
