"""Make a text readable for rules without losing where each character stood: invisible characters out, lines joined."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from typing import Final

from apps.retrieval.stages.grounding.sentences import split_sentences

_REORDERS: Final = re.compile("[\u202a-\u202e\u2066-\u2069]")
_SPLIT_NUMBER: Final = re.compile(r"(?<=\d[.,])[ \t]*\n[ \t]*(?=\d{3}(?!\d))|(?<=\d)\u00ad?-?[ \t]*\n[ \t]*(?=[.,]\d)")
_SPLIT_WORD: Final = re.compile(r"(?<=[a-zäöüß])-[ \t]*\n[ \t]*(?=[a-zäöüß])")
_SOFT_BREAK: Final = re.compile(
    r"^(?P<line>[^\n]*)\n(?=[ \t]*\S)(?![ \t]*(?:[-*\u2022#|>]|\d{1,2}[.)]\s))", re.MULTILINE
)
_SHORT_LINE: Final = 45
_SPACES: Final = frozenset("\u00a0\u2007\u2009\u200a\t")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """A text without what is not seen.

    places: where text[i] stood in the text as sent; one more for its end.
    reordered: positions of the text as sent that carry a mark which changes the order of what is shown.
    """

    text: str
    places: tuple[int, ...]
    reordered: tuple[int, ...]

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where a part of the plain text stood in the text as sent."""
        return (self.places[start], self.places[end - 1] + 1) if end > start else (self.places[start],) * 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainSentence:
    """plain.text[start:end] is text. hidden: it is shown in another order than it is read."""

    text: str
    start: int
    end: int
    hidden: bool


def read_plain(sent: str) -> PlainText:
    """Return the text as a reader sees it, on lines that end where sentences or headings do."""
    characters: list[str] = []
    places: list[int] = []
    for at, character in enumerate(sent):
        for each in _seen(character):
            characters.append(each)
            places.append(at)
    text, places = _join_lines(*_without_runs(characters, places))
    return PlainText(
        text=text,
        places=(*places, len(sent)),
        reordered=tuple(match.start() for match in _REORDERS.finditer(sent)),
    )


def sentences_of(plain: PlainText) -> tuple[PlainSentence, ...]:
    """Return the sentences in their order."""
    found = []
    for each in split_sentences(plain.text):
        lead = len(each.text) - len(each.text.lstrip())
        text = each.text.strip()
        start = each.start + lead
        first, last = plain.place(start, start + len(text))
        hidden = bisect_left(plain.reordered, first) < bisect_right(plain.reordered, last)
        found.append(PlainSentence(text=text, start=start, end=start + len(text), hidden=hidden))
    return tuple(found)


def _seen(character: str) -> str:
    """Return what is seen of a character: nothing of an invisible one, an ASCII digit of any digit."""
    if character in "\n\r":
        return "\n" if character == "\n" else ""
    if character in _SPACES:
        return " "
    category = unicodedata.category(character)
    if category in ("Cf", "Cc", "Mn", "Co", "Cs"):
        return ""
    if category == "Nd":
        return str(unicodedata.decimal(character))
    if category == "Zs" and character != "\u202f":
        return " "
    return unicodedata.normalize("NFKC", character) if 0xFF00 <= ord(character) <= 0xFFEF else character


def _without_runs(characters: list[str], places: list[int]) -> tuple[str, list[int]]:
    """Return the text with one blank for several, and one empty line for several. Patterns need not go over runs."""
    kept: list[tuple[str, int]] = []
    for character, place in zip(characters, places, strict=True):
        blank = character.isspace() and character != "\n"
        if character == "\n":
            if kept and kept[-1][0].isspace() and kept[-1][0] != "\n":
                kept.pop()
            if [each for each, _ in kept[-2:]] == ["\n", "\n"]:
                continue
        elif blank and kept and kept[-1][0].isspace() and kept[-1][0] != "\n":
            continue
        kept.append((character, place))
    return "".join(character for character, _ in kept), [place for _, place in kept]


def _join_lines(text: str, places: list[int]) -> tuple[str, list[int]]:
    """Return the text without the breaks that only fill lines: the parts of a number and of a word become one again."""
    for pattern in (_SPLIT_NUMBER, _SPLIT_WORD):
        gone = {at for match in pattern.finditer(text) for at in range(match.start(), match.end())}
        places = [place for at, place in enumerate(places) if at not in gone]
        text = "".join(each for at, each in enumerate(text) if at not in gone)
    characters = list(text)
    for match in _SOFT_BREAK.finditer(text):
        line, after = match["line"].rstrip(), text[match.end() : match.end() + 40].lstrip()
        ends = (
            not line
            or line[-1] in ".!?:;"
            or (len(line) < _SHORT_LINE and not after[:1].islower() and not _runs_on(line))
        )
        if not ends:
            characters[match.end() - 1] = " "
    return "".join(characters), places


def _runs_on(line: str) -> bool:
    """Return whether a short line can't be a heading: it ends in a figure's beginning, a comma or a small word."""
    return (
        re.search(
            r"(?:[,$€£(]|\b(?:EUR|USD|GBP|CHF|of|to|by|the|in|and|from|was|were|von|auf|um|der|die|und|im|in)|\d)$",
            line,
        )
        is not None
    )
