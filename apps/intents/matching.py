"""Find an intent's own terms in a question, whatever the endings of the words.

Retrieval's tokeniser drops question words ("why", "how", "dürfen"). These words distinguish the intents, so the
classifier keeps every word and stems it in English and in German.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import Stemmer

_WORD: Final = re.compile(r"(?:[^\W_]|#)+(?:[-&.](?:[^\W_]|#)+)*")
_POSSESSIVE: Final = re.compile(r"['\u2019]s\b")
_LANGUAGES: Final = ("english", "german")

Stems = tuple[str, ...]
Span = tuple[int, int]


def words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case and NFKC, without possessive endings."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return tuple(_WORD.findall(_POSSESSIVE.sub("", plain)))


@dataclass(frozen=True, slots=True)
class IndexedWords:
    """A question's stems by language and the positions of each stem, computed once for all terms."""

    stems: tuple[Stems, ...]
    places: tuple[Mapping[str, tuple[int, ...]], ...]


def index_words(text: str) -> IndexedWords:
    by_language = _stems(text)
    places: list[dict[str, tuple[int, ...]]] = []
    for stems in by_language:
        found: defaultdict[str, list[int]] = defaultdict(list)
        for position, stem in enumerate(stems):
            found[stem].append(position)
        places.append({stem: tuple(positions) for stem, positions in found.items()})
    return IndexedWords(by_language, tuple(places))


def matching_terms(question: IndexedWords, terms: Iterable[str]) -> tuple[str, ...]:
    """Return the terms that occur in the question, as whole words in the order of the term.

    A term counts only where it is not part of a longer match: in "net return", "net return" counts and "return"
    does not. So neither a phrase nor a word that the policy spells in two ways is counted twice.

    Args:    terms: words or phrases; `#` stands for one digit ("FY####").
    Returns: the terms that were found, as they are written in the policy, in their order there.
    """
    spans = {term: frozenset(_spans(question, term)) for term in _candidates(question, tuple(terms))}
    found = [term for term in spans if spans[term]]
    counted: set[str] = set()
    reach = [0] * len(question.stems[0])  # for each word, the end of the longest counted match that holds it
    for term in sorted(found, key=lambda term: -max(end - start for start, end in spans[term])):
        if any(reach[start] < end for start, end in spans[term]):
            counted.add(term)
            for start, end in spans[term]:
                for position in range(start, end):
                    reach[position] = max(reach[position], end)
    return tuple(term for term in found if term in counted)


def _stems(text: str) -> tuple[Stems, ...]:
    # A Stemmer holds state while it works and is not thread-safe; making one costs about two microseconds.
    found = list(words(text))
    return tuple(tuple(Stemmer.Stemmer(language).stemWords(found)) for language in _LANGUAGES)


@lru_cache(maxsize=8192)
def _term_stems(term: str) -> tuple[Stems, ...]:
    return _stems(term)


@lru_cache(maxsize=256)
def _by_first_stem(terms: tuple[str, ...]) -> tuple[tuple[int, ...], tuple[Mapping[str, tuple[int, ...]], ...]]:
    """Return the indices of the terms that begin with a pattern, and by language those that begin with each stem."""
    patterns: list[int] = []
    by_stem: tuple[defaultdict[str, list[int]], ...] = tuple(defaultdict(list) for _ in _LANGUAGES)
    for place, term in enumerate(terms):
        for stems, begun in zip(_term_stems(term), by_stem, strict=True):
            if stems and "#" in stems[0]:
                patterns.append(place)
            elif stems:
                begun[stems[0]].append(place)
    return tuple(patterns), tuple({stem: tuple(places) for stem, places in begun.items()} for begun in by_stem)


def _candidates(question: IndexedWords, terms: tuple[str, ...]) -> list[str]:
    """Return, in order, the terms whose first word is or may be in the question: few of an intent's hundreds."""
    patterns, by_stem = _by_first_stem(terms)
    places = set(patterns)
    for words_at, begun in zip(question.places, by_stem, strict=True):
        for stem in words_at:
            places.update(begun.get(stem, ()))
    return [terms[place] for place in sorted(places)]


def _spans(question: IndexedWords, term: str) -> Iterator[Span]:
    for stems, places, needle in zip(question.stems, question.places, _term_stems(term), strict=True):
        if not needle:
            continue
        starts = range(len(stems)) if "#" in needle[0] else places.get(needle[0], ())
        for start in starts:
            end = start + len(needle)
            if end <= len(stems) and all(map(_same, stems[start:end], needle)):
                yield start, end


def _same(word: str, pattern: str) -> bool:
    if "#" not in pattern:
        return word == pattern
    return len(word) == len(pattern) and all(
        character.isdigit() if expected == "#" else character == expected
        for character, expected in zip(word, pattern, strict=True)
    )
