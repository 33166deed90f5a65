"""Words that say the same, so that a sentence may tell in its own words what a passage says."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.stages.grounding.wording import filling_terms, is_word, word_terms
from apps.retrieval.stages.grounding.words import english, german


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The lists of a language."""

    same: str
    filling: str
    phrases: tuple[tuple[str, str], ...]


_STEM_CHARS: Final = 5
_SHORT_STEM_CHARS: Final = 4
_SAME_PART: Final = 0.7
_COMPOUND_CHARS: Final = 9
_PART_CHARS: Final = 4
_SHORTEST_PART_CHARS: Final = 3
_APART: Final = r"ab|an|auf|aus|ein|vor|zu|nach|her|hin|um|zurück|weiter|fest|bei|mit|durch|unter|über|frei|los|weg"
# "abgebaut" of "abbauen", "gehandelt" of "handeln".
_PARTICIPLE: Final = re.compile(rf"^(?P<apart>(?:{_APART})?)ge(?P<stem>\w{{3,}})$")
_ENGLISH: Final = Words(same=english.SAME, filling=english.FILLING, phrases=english.PHRASES)
_GERMAN: Final = Words(same=german.SAME, filling=german.FILLING, phrases=german.PHRASES)
_LINK: Final = re.compile(r"^(?:en|es|er|n|s|e)(?=\w{4})")
_LISTS: Final = {"en": (_ENGLISH,), "de": (_GERMAN, _ENGLISH)}


def tell(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text in their order, each by the word that stands for all that say the same."""
    same = _same(language)
    return tuple(same.get(term, term) for term in word_terms(rephrase(text, language), language))


def telling_words(text: str, language: str) -> tuple[str, ...]:
    """Return the words of a text that say something, as `tell` gives them."""
    same, idle = _same(language), idle_terms(language)
    return tuple(same.get(term, term) for term in word_terms(rephrase(text, language), language) if term not in idle)


def rephrase(text: str, language: str) -> str:
    """Return the text with one word for each expression of several that says the same: "stop" for "no longer"."""
    for word, pattern in _phrases(language):
        text = pattern.sub(f" {word} ", text)
    return text


def same_words(words: Sequence[str] | frozenset[str], language: str) -> frozenset[str]:
    """Return terms by the words that stand for them."""
    same = _same(language)
    return frozenset(same.get(word, word) for word in words)


@lru_cache(maxsize=4)
def idle_terms(language: str) -> frozenset[str]:
    """Return the words that may be added to what a passage says, or left out of it."""
    words = {word for each in _of(language) for word in each.filling.split()}
    own = frozenset(term for word in words for term in terms(word, language)) | filling_terms(language)
    return own - title_terms(language)


@lru_cache(maxsize=4)
def title_terms(language: str) -> frozenset[str]:
    """Return words of which one makes another office: a chief financial officer is no chief risk officer."""
    return frozenset(term for word in ("financial", "operating", "executive") for term in terms(word, language))


def find_word(word: str, told: Sequence[str], language: str) -> int:
    """Return where a word first stands, or one of its stem, or a compound that holds it; -1 if none does."""
    return next(iter(find_places(word, told, language)), -1)


def find_places(word: str, told: Sequence[str], language: str) -> tuple[int, ...]:
    """Return all places where a word stands, or else one of its stem, or else a compound that holds it."""
    if found := tuple(place for place, other in enumerate(told) if word == other):
        return found
    found = tuple(place for place, other in enumerate(told) if same_stem(word, other))
    if found or language != "de":
        return found
    bare = _bare(word)
    if found := tuple(
        place for place, other in enumerate(told) if same_stem(bare, _bare(other)) or _is_part(word, other)
    ):
        return found
    part = _of_parts(word, told)
    return (part,) if part >= 0 else ()


def same_stem(one: str, other: str) -> bool:
    """Return whether two words are one, or of one stem: "insolvent" and "insolvency"."""
    if one == other:
        return True
    shorter = min(len(one), len(other))
    common = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    return (common >= _STEM_CHARS and common >= _SAME_PART * shorter) or (
        common >= _SHORT_STEM_CHARS and common >= shorter - 1
    )


def _bare(word: str) -> str:
    participle = _PARTICIPLE.match(word)
    return participle["apart"] + participle["stem"] if participle else word


def _is_part(word: str, other: str) -> bool:
    """Return whether a long word begins or ends a compound: "Aufwand" in "Personalaufwand"."""
    return (
        len(word) > _STEM_CHARS
        and len(other) >= len(word) + _PART_CHARS
        and (other.startswith(word) or other.endswith(word))
    )


def _of_parts(word: str, told: Sequence[str]) -> int:
    """Return where the first part of a compound stands, if both do: "Lagerabbau" of "bauten ihre Lager ab"."""
    if len(word) < _COMPOUND_CHARS:
        return -1
    for place, first in enumerate(told):
        if len(first) < _SHORTEST_PART_CHARS or not word.startswith(first[:_PART_CHARS]):
            continue
        for cut in range(len(word) - _PART_CHARS, _SHORTEST_PART_CHARS - 1, -1):
            left, right = word[:cut], _LINK.sub("", word[cut:])
            if same_stem(left, first) and any(
                other != first and (same_stem(right, other) or same_stem(right, _bare(other))) for other in told
            ):
                return place
    return -1


# The caches of this module hold only what is written in our own lists, and nothing of a document.
def _of(language: str) -> tuple[Words, ...]:
    return _LISTS.get(language, _LISTS["en"])


@lru_cache(maxsize=4)
def _same(language: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for each in _of(language):
        for line in each.same.replace("\\\n", "").strip().split("\n"):
            group = [term for word in line.split() for term in terms(word, language) if is_word(term)]
            free = [term for term in group if term not in found]
            found.update(dict.fromkeys(free, next(iter(free), "")))
    return found


@lru_cache(maxsize=4)
def _phrases(language: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple(
        (word, re.compile(rf"\b(?:{pattern})", re.IGNORECASE))
        for each in _of(language)
        for word, pattern in each.phrases
    )
