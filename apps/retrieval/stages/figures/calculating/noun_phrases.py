"""Find the noun phrases of an English question that may name a figure, by grammar and not by lists of words.

"Base your judgement on the cash flow statement" and "I need it for a slide" name nothing, whatever their words are: no
row and no line of a statement is called so, and their nouns do not depend on a noun that is.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

from apps.corpus.terms import terms
from apps.retrieval.stages.question.parsing import Word, parse

_NAMING: Final = frozenset({"NOUN", "PROPN", "ADJ", "NUM", "X", "SYM"})
# How a noun's modifiers depend on it; a preposition stands between "revenue" and "segment" in "revenue of the segment".
_WITHIN: Final = frozenset(
    {"compound", "amod", "nmod", "poss", "nummod", "pobj", "prep", "appos", "conj", "case", "npadvmod", "punct", "cc"}
    | {"acl", "advmod", "det", "quantmod", "dep", "agent", "pcomp"}
)


def naming_words(text: str, known: AbstractSet[str]) -> str:
    """Return the words of the noun phrases that hold a known term, in their order, with blanks between them.

    Args:    known: the terms of the rows and lines that a figure may be called by.
    Returns: the text itself where no noun phrase holds one: what it names is then not known.
    """
    words = parse(text)
    is_known = {word.at for word in words if _is_known(word, known)}
    phrase_of = _phrases(words)
    phrases = {phrase_of[at] for at in is_known}
    kept = [word for word in words if word.at in is_known or (word.kind in _NAMING and phrase_of[word.at] in phrases)]
    return " ".join(word.text for word in kept) if is_known else text


def _is_known(word: Word, known: AbstractSet[str]) -> bool:
    found = terms(word.text, "en")
    return bool(found) and frozenset(found) <= known


def _phrases(words: tuple[Word, ...]) -> dict[int, int]:
    """Return for each word the position of the word that its noun phrase depends on."""
    return {word.at: _highest(word).at for word in words}


def _highest(word: Word) -> Word:
    for head in _heads(word):
        word = head
    return word


def _heads(word: Word) -> Iterator[Word]:
    while not word.is_root and word.role in _WITHIN:
        # A preposition that depends on a verb begins a phrase of its own: "bought in the year".
        word = word.head
        if word.kind in ("VERB", "AUX"):
            return
        yield word
