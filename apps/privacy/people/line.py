"""A text as words and what stands between them."""

from __future__ import annotations

import re
from typing import Final

from apps.privacy.people.normalise import APOSTROPHE, BREAK, Word, words

# What may stand between two words of one name; a line's end, a blank cell, a file name's underscore.
_WITHIN: Final = re.compile(r"[\s.,;_+/|\u00b7()\"'\u2019*\-\u2010\u2011\u2013]{1,8}")
_LIST: Final = re.compile(r"[,;|()/\u00b7]")
_SENTENCE: Final = re.compile(r"[.!?:][\"')\u201c\u201d]*\s+$|^\s*$|\n\s*$")


class Line:
    """Words by number, counted from 0. Numbers out of range have no word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words: list[Word] = words(text)
        self._has_divided = BREAK.search(text) is not None or APOSTROPHE.search(text) is not None

    def __len__(self) -> int:
        return len(self.words)

    def word(self, number: int) -> Word | None:
        return self.words[number] if 0 <= number < len(self.words) else None

    def gap(self, number: int) -> str:
        """What stands between this word and the one after it; a mark that fits no name where there is none."""
        if 0 <= number < len(self.words) - 1:
            return self.text[self.words[number].end : self.words[number + 1].start]
        return "\0"

    def is_within(self, number: int) -> bool:
        """Whether this word and the next may be of one name."""
        return _WITHIN.fullmatch(self.gap(number)) is not None

    def is_listed(self, number: int) -> bool:
        """Whether a comma, a cell's border or the like divides this word from the next."""
        return _LIST.search(self.gap(number)) is not None

    def joined(self, number: int) -> str:
        """This word and the next as one, where a line's end or an apostrophe divides them; else empty."""
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
        """The character behind a word."""
        end = self.words[number].end
        return self.text[end : end + 1]

    def begins_sentence(self, number: int) -> bool:
        start = self.words[number].start
        return _SENTENCE.search(self.text[max(0, start - 6) : start]) is not None

    def is_address(self, number: int) -> bool:
        """Whether the word is part of an e-mail address, a file's name or an account's."""
        word = self.words[number]
        around = self.text[max(0, word.start - 1) : word.start] + self.text[word.end : word.end + 1]
        return any(mark in "@_/\\0123456789" for mark in around)
