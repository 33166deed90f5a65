"""Find whole expressions in a question, and blank out what has been read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Mention:
    """Where an expression stands in the question: `text[start:end]`."""

    start: int
    end: int
    text: str


@lru_cache(maxsize=4096)
def expression_pattern(expression: str, *, case_sensitive: bool = False) -> re.Pattern[str]:
    """Return a pattern that matches an expression as whole words, with blanks or hyphens between its words.

    A possessive or plural ending (`Boeing's`) does not prevent a match, because the word ends before the apostrophe.
    """
    words = [re.escape(word) for word in re.split(r"[\s\-]+", expression.strip()) if word]
    flags = re.UNICODE if case_sensitive else re.UNICODE | re.IGNORECASE
    return re.compile(r"(?<![\w&])" + r"[\s\-\u2010-\u2014]+".join(words) + r"(?![\w&])", flags)


def mentions_of(expression: str, text: str, *, case_sensitive: bool = False) -> tuple[Mention, ...]:
    """Return all places where the expression stands in the text, left to right."""
    pattern = expression_pattern(expression, case_sensitive=case_sensitive)
    return tuple(Mention(start=m.start(), end=m.end(), text=m.group()) for m in pattern.finditer(text))


def blank_mentions(text: str, mentions: Iterable[Mention]) -> str:
    """Return the text with the mentions replaced by blanks, so that all other positions stay the same."""
    characters = list(text)
    for mention in mentions:
        characters[mention.start : mention.end] = " " * (mention.end - mention.start)
    return "".join(characters)


def word_set(words: str) -> frozenset[str]:
    """Return the words of a text as a set, for lists that are easier to read as running text."""
    return frozenset(words.split())
