"""A page's text beside the characters of its image, and what stands in both."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple

from apps.corpus.reader.contracts import BOX_PARTS, PagePicture

_WORD: Final = re.compile(r"[^\s|]+")
_MOST_PLACES: Final = 200
# Fewer letters are looked for as whole words alone: a "1" stands in every other number.
_FEW_LETTERS: Final = 6


class Box(NamedTuple):
    """A rectangle on the page, in parts (BOX_PARTS) of its width and height from the upper left corner."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def percent(self) -> dict[str, str]:
        """As attributes of an SVG rectangle."""
        places = {"x": self.left, "y": self.top, "width": self.right - self.left, "height": self.bottom - self.top}
        return {name: f"{100 * part / BOX_PARTS:.2f}%" for name, part in places.items()}


class Letters:
    """The letters and digits of a text, each with the position of its character there."""

    def __init__(self, text: str) -> None:
        letters: list[str] = []
        self.positions: list[int] = []
        for position, character in enumerate(text):
            for letter in unicodedata.normalize("NFKD", character).casefold():
                if letter.isalnum():
                    letters.append(letter)
                    self.positions.append(position)
        self.text = "".join(letters)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return which letters stand between two positions of the text."""
        return bisect_left(self.positions, start), bisect_left(self.positions, end)

    def places(self, needle: str) -> list[int]:
        """Return where whole words make up the needle, or, of a long one, where it stands at all if none do."""
        found: list[int] = []
        start = self.text.find(needle)
        while start >= 0 and len(found) < _MOST_PLACES:
            found.append(start)
            start = self.text.find(needle, start + 1)
        words = [each for each in found if self._is_apart(each) and self._is_apart(each + len(needle))]
        return words or (found if len(needle) >= _FEW_LETTERS else [])

    def _is_apart(self, letter: int) -> bool:
        return not 0 < letter < len(self.positions) or self.positions[letter] - self.positions[letter - 1] > 1


@dataclass(slots=True, kw_only=True)
class Run:
    """Letters start to end of the page's text, and where the image has them together.

    place: the chosen one of the places, as a letter of the image. is_heading: of a column, which its row repeats.
    """

    start: int
    end: int
    places: list[int]
    place: int | None = None
    is_heading: bool = False

    @property
    def length(self) -> int:
        return self.end - self.start


class Sheet:
    """One page: its text, and its picture."""

    def __init__(self, picture: PagePicture, text: str) -> None:
        self.text = text
        self.drawn_text = picture.text
        self.said, self.drawn = Letters(text), Letters(picture.text)
        self._boxes = picture.boxes

    def box(self, position: int) -> Box:
        """Return the box of a character of the image."""
        return Box(*self._boxes[4 * position : 4 * position + 4])

    def box_of_letter(self, place: int) -> Box:
        return self.box(self.drawn.positions[place])

    def words(self, start: int, end: int) -> Iterator[Run]:
        """Yield the words between two positions of the text, each by itself."""
        for word in _WORD.finditer(self.text, start, end):
            first, last = self.said.span(*word.span())
            if first < last:
                yield Run(start=first, end=last, places=self.drawn.places(self.said.text[first:last]))

    def runs(self, start: int, end: int) -> Iterator[Run]:
        """Yield the words between two positions of the text, each with those after it that follow it on the image."""
        words = [self.said.span(*word.span()) for word in _WORD.finditer(self.text, start, end)]
        words = [word for word in words if word[0] < word[1]]
        number = 0
        while number < len(words):
            run = Run(start=words[number][0], end=words[number][1], places=[])
            for following in range(number, len(words)):
                places = self.drawn.places(self.said.text[run.start : words[following][1]])
                if not places:
                    break
                run.end, run.places, number = words[following][1], places, following
            yield run
            number += 1

    def positions(self, run: Run, start: int, end: int) -> list[int]:
        """Return the characters of the image that a settled run stands for, with the signs around it within the quote.

        Args: start, end: of the quote in the text, where the run may begin before it or end after it.
        """
        if run.place is None:
            return []
        first, last = self.said.span(start, end)
        first, last = max(first, run.start), min(last, run.end)
        if first >= last:
            return []
        letters = self.drawn.positions[run.place + first - run.start : run.place + last - run.start]
        before = self.text[start : self.said.positions[first]]
        after = self.text[self.said.positions[last - 1] + 1 : end]
        begin = letters[0] - _signs(before, self.drawn_text[: letters[0]])
        stop = letters[-1] + 1 + _signs(after[::-1], self.drawn_text[letters[-1] + 1 :][::-1])
        return [*range(begin, letters[0]), *letters, *range(letters[-1] + 1, stop)]


def _signs(said: str, drawn: str) -> int:
    """Return how many of the last characters drawn are the signs that end what is said, with blanks between."""
    count, found, end = 0, 0, len(said)
    while end and count < len(drawn):
        sign, shown = said[end - 1], drawn[len(drawn) - count - 1]
        if sign.isspace() or sign == "|":
            end -= 1
        elif shown.isspace():
            count += 1
        elif sign == shown and not sign.isalnum():
            end, count = end - 1, count + 1
            found = count
        else:
            break
    return found
