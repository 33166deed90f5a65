"""A text as a list of words and the gaps between them."""

from __future__ import annotations

import re
from typing import Final

from apps.privacy.people.normalise import APOSTROPHE, BREAK, Word, words

# What may stand between two words of one name: a line break, an empty table cell, the underscore of a file name.
_WITHIN: Final = re.compile(r"[\s.,;_+/|\u00b7()\"'\u2019*\-\u2010\u2011\u2013]{1,8}")
_LIST: Final = re.compile(r"[,;|()/\u00b7]")
_SENTENCE: Final = re.compile(r"[.!?:][\"')\u201c\u201d]*\s+$|^\s*$|\n\s*$")


class Line:
    """The words of a text by number, counted from 0. A number out of range has no word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[Word] = words(text)
        self._has_divided = BREAK.search(text) is not None or APOSTROPHE.search(text) is not None

    def __len__(self) -> int:
        return len(self.words)

    def word(self, number: int) -> Word | None:
        return self.words[number] if 0 <= number < len(self.words) else None

    def gap(self, number: int) -> str:
        """Return the text between this word and the next; where either is missing, "\\0", which no name contains."""
        if 0 <= number < len(self.words) - 1:
            return self.text[self.words[number].end : self.words[number + 1].start]
        return "\0"

    def is_within(self, number: int) -> bool:
        """Return whether this word and the next may belong to one name."""
        return _WITHIN.fullmatch(self.gap(number)) is not None

    def is_listed(self, number: int) -> bool:
        """Return whether a comma, a table cell's border or the like separates this word from the next."""
        return _LIST.search(self.gap(number)) is not None

    def joined(self, number: int) -> str:
        """Return this word and the next joined, where a hyphenated line break or an apostrophe splits them; else ""."""
        if not self._has_divided:
            return ""
        gap = self.gap(number)
        if APOSTROPHE.fullmatch(gap):
            return self.words[number].raw + self.words[number + 1].raw
        if BREAK.fullmatch(gap):
            first, second = self.words[number], self.words[number + 1]
            if not second.is_capitalised or (first.is_capitals and second.is_capitals):
                return first.raw + second.raw
        return ""

    def after(self, number: int) -> str:
        """Return the character directly behind a word, or "" at the end of the text."""
        end = self.words[number].end
        return self.text[end : end + 1]

    def begins_sentence(self, number: int) -> bool:
        start = self.words[number].start
        return _SENTENCE.search(self.text[max(0, start - 6) : start]) is not None

    def is_address(self, number: int) -> bool:
        """Return whether the word is part of an e-mail address, a file name or an account name."""
        word = self.words[number]
        around = self.text[max(0, word.start - 1) : word.start] + self.text[word.end : word.end + 1]
        return any(mark in "@_/\\0123456789" for mark in around)
