"""Proper names in a question that the corpus does not know as a company: a person, a product, somebody else's fund."""

from __future__ import annotations

import re
from typing import Final

from apps.retrieval.stages.mentions import word_set

_CAPITALISED: Final = re.compile(r"\b[A-Z][a-z]+\b")
_PHRASE: Final = re.compile(r"\b[A-Z][a-z]+(?:\s+[A-Z][a-z]+)+\b")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")
_SENTENCE_START: Final = re.compile(r"(?:^|[.!?:;]\s+)[\"'(\u201c]*$")
# Written with a capital as often as not, and no name by themselves.
_GENERIC: Final = word_set(
    """
    act agm annual article audit auditor bank board chair chief committee company compliance council directive director
    directors executive fund funds group item management manager member note officer part policy portfolio regulation
    report rule rules section shareholders state states table trust united
    january february march april may june july august september october november december
    monday tuesday wednesday thursday friday saturday sunday
    """
)


def proper_names(words: str, question: str, language: str) -> tuple[str, ...]:
    """Words with a capital in the middle of a sentence.

    Args:    words: what of the question has not been read as anything else; blanks in place of the rest.
             question: the whole question, position by position the same.
             language: ISO 639-1; only English is read, since German writes every noun with a capital.
    Returns: the names in order. None for a question in title case, where a capital says nothing.
    """
    if language != "en":
        return ()
    all_words = _WORD.findall(question)
    capitals = _CAPITALISED.findall(question)
    if 2 * len(capitals) > len(all_words):
        return ()
    return tuple(
        match.group()
        for match in _CAPITALISED.finditer(words)
        if match.group().lower() not in _GENERIC and not _SENTENCE_START.search(question[: match.start()])
    )


def name_phrases(words: str, question: str, language: str) -> tuple[str, ...]:
    """Names of several words, such as somebody's fund, whose first word is a proper name.

    Args:    as for `proper_names`.
    Returns: the phrases as they stand in the question, in order, each once.
    """
    names = frozenset(proper_names(words, question, language))
    found = (match.group() for match in _PHRASE.finditer(question))
    return tuple(dict.fromkeys(" ".join(phrase.split()) for phrase in found if phrase.split()[0] in names))
