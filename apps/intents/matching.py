"""Find an intent's own terms in a question, whatever the endings of the words.

Retrieval's tokeniser drops question words ("why", "how", "dürfen"). Those are just what tells one intent from
another, so the classifier keeps every word and stems it in English and in German.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

import Stemmer

_WORD: Final = re.compile(r"(?:[^\W_]|#)+(?:[-&.](?:[^\W_]|#)+)*")
_POSSESSIVE: Final = re.compile(r"['\u2019]s\b")
_LANGUAGES: Final = ("english", "german")

Stems = tuple[str, ...]
Span = tuple[int, int]


def words(text: str) -> tuple[str, ...]:
    """The words of a text: compatibility characters unified, lower case, possessive endings off."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(_POSSESSIVE.sub("", plain)))


def stems(text: str) -> tuple[Stems, ...]:
    """The stems of the text's words, once for each language, in the order of the words."""
    # A Stemmer holds state while it works and is not thread-safe; making one costs about two microseconds.
    found = list(words(text))
    return tuple(tuple(Stemmer.Stemmer(language).stemWords(found)) for language in _LANGUAGES)


def matching_terms(question: str, terms: Iterable[str]) -> tuple[str, ...]:
    """Which of the terms occur in the question, as whole words in this order.

    A term counts only where it is not part of a longer match: in "net return", "net return" counts and "return"
    does not. So a phrase is not counted twice, and neither is a word that the policy spells in two ways.

    Args:    question: any text.
             terms: words or phrases; `#` stands for one digit ("FY####").
    Returns: the terms that were found, as they are written in the policy, in their order there.
    """
    by_language = stems(question)
    spans = {term: frozenset(_spans(by_language, term)) for term in terms}
    taken: set[Span] = set()
    counted: set[str] = set()
    by_length = sorted(spans, key=lambda term: -max((end - start for start, end in spans[term]), default=0))
    for term in by_length:
        if any(not _covered(span, taken) for span in spans[term]):
            counted.add(term)
            taken |= spans[term]
    return tuple(term for term in spans if term in counted)


def _spans(by_language: tuple[Stems, ...], term: str) -> Iterator[Span]:
    for haystack, needle in zip(by_language, _term_stems(term), strict=True):
        for start in range(len(haystack) - len(needle) + 1 if needle else 0):
            if all(_same(haystack[start + offset], pattern) for offset, pattern in enumerate(needle)):
                yield start, start + len(needle)


@lru_cache(maxsize=8192)
def _term_stems(term: str) -> tuple[Stems, ...]:
    return stems(term)


def _covered(span: Span, taken: set[Span]) -> bool:
    return any(start <= span[0] and span[1] <= end for start, end in taken)


def _same(word: str, pattern: str) -> bool:
    if "#" not in pattern:
        return word == pattern
    return len(word) == len(pattern) and all(
        character.isdigit() if expected == "#" else character == expected
        for character, expected in zip(word, pattern, strict=True)
    )
