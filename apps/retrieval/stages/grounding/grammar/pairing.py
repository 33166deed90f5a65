"""The words of a sentence beside those of its source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.retrieval.stages.grounding.grammar.events import is_event, participants_of
from apps.retrieval.stages.grounding.paraphrase import same_stem, tell
from apps.retrieval.stages.question.parsing import Word, parse

_LANGUAGE: Final = "en"
_OF_A_NOUN: Final = frozenset({"amod", "compound", "poss", "nummod", "nmod"})
DENIES: Final = re.compile(
    r"\b(?:not|no|never|without|none|nor|neither|cannot|fail\w*|refus\w*|declin\w*|den(?:y|ies|ied)|reject\w*|lack\w*"
    r"|waive\w*|avoid\w*|prohibit\w*|forbid\w*|forbidden|prevent\w*|exclud\w*|omit\w*|oppos\w*|ban\w*|refrain\w*"
    r"|abandon\w*|withdr\w*|stop\w*|ceas\w*|end\w*|drop\w*|discontinu\w*|unable|miss\w*|forgo\w*|free|exempt\w*)\b"
    r"|n['\u2019]t\b",
    re.IGNORECASE,
)


class Pair:
    """A sentence and the sentence of a source that is to say the same, with the question.

    text, told: the two as written. words, source, question: as read.
    """

    def __init__(self, text: str, told: str, asked: str) -> None:
        self.text, self.told, self.asked = text, told, asked
        self.words, self.source, self.question = parse(text), parse(told), parse(asked)
        self._terms: dict[str, str] = {}
        self._found = {word.at: self._find(word) for word in self.words if word.says_something}

    def found(self, word: Word) -> tuple[Word, ...]:
        """Return the words of the source that say what a word of the sentence says."""
        return self._found.get(word.at, ())

    def events(self) -> Iterator[Word]:
        """Yield the events of the sentence that the source names, too."""
        return (each for each in self.words if is_event(each) and self.found(each))

    def same(self, one: Word, other: Word) -> bool:
        if one.lemma == other.lemma:
            return True
        first, second = self.term(one), self.term(other)
        return first == second or same_stem(first, second)

    def term(self, word: Word) -> str:
        """Return the word that stands for all that say the same."""
        if word.lower not in self._terms:
            self._terms[word.lower] = next(iter(tell(word.text, _LANGUAGE)), word.lower)
        return self._terms[word.lower]

    def says(self, word: Word) -> bool:
        """Return whether the sentence says a word of the source."""
        return any(self.same(word, each) for each in self.words if each.says_something or each.kind == "AUX")

    def asks(self, word: Word) -> bool:
        """Return whether the question says a word."""
        return any(self.same(word, each) for each in self.question if each.says_something)

    def knows(self, word: Word, *, of: Word | None = None) -> bool:
        """Return whether the sentence or the question says a word of the source.

        Args: of: what the question must say, too: a "target" that is asked for does not make what is aimed at so.
        """
        return self.says(word) or (self.asks(word) and (of is None or self.asks(of)))

    def _find(self, word: Word) -> tuple[Word, ...]:
        """Of several words, those are meant that have the most in common of what stands with them: "retail margins"."""
        found = [each for each in self.source if (each.says_something or each.kind == "VERB") and self.same(word, each)]
        if len(found) < 2:
            return tuple(found)
        own = _beside(word)
        shared = [sum(any(self.same(a, b) for b in _beside(each)) for a in own) for each in found]
        return tuple(each for each, number in zip(found, shared, strict=True) if number == max(shared))


def _beside(word: Word) -> list[Word]:
    """Return the words that describe a noun, or take part in an event."""
    return [each for each, _ in participants_of(word)] if word.kind == "VERB" else describers_of(word)


def describers_of(noun: Word) -> list[Word]:
    """Return the words that narrow down what a noun means: before it, behind a preposition, or in a clause."""
    found = [each for each in noun.children if each.role in _OF_A_NOUN and each.says_something]
    for each in noun.children:
        if each.role == "prep":
            found += [word for word in each.children if word.role == "pobj" and word.says_something]
        elif each.role in ("acl", "relcl"):
            found += [word for word in each.subtree() if word.says_something]
    return found
