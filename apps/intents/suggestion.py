"""Make questions of the headings, table rows and defined terms of documents, as suggestions for examples. Pure.

No model writes them: the same passages give the same questions, each with its place. An example is read by everybody
who reads the policy, so whatever may name a person is left out: a capitalised word counts as a common word only if it
is also used as one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from apps.corpus.extraction.about_people import is_like_a_person, is_of_people

_SHORTEST, _LONGEST = 4, 60
_MOST_WORDS = 8
_SENTENCE_END: Final = (".", "!", "?", ":", ";", ",")
_LINK: Final = "|"
_WITHIN: Final = "\u203a"
_LONGEST_ABBREVIATION = 4
_NUMBERING: Final = re.compile(r"^(?:(?:[IVX]+|[A-Z]|\d+)(?:\.\d+)*[.)]\s+|\d+(?:\.\d+)*\s+|\u00a7+\s*)+")
_WORD: Final = re.compile(r"[^\W\d_][\w'\u2019&-]*")
_UNFIT: Final = re.compile(r"[\d@/\\<>{}\[\]=+*#_|\u201c\u201d\u201e\"]")
_TERM: Final = re.compile(
    r"[\u201c\u201e\"](?P<quoted>[^\u201c\u201d\u201e\"\n]{3,40})[\u201c\u201d\"]\s+(?:means|is\s+defined\s+as|refers\s+to|bedeutet|bezeichnet|ist)\b"
    r"|(?:^|(?<=[.!?]\s)|(?<=\n))(?:An?\s+|The\s+|Ein\s+|Eine\s+|Der\s+|Die\s+|Das\s+)?(?P<plain>[^\W\d_][^.,;:!?|\n]{2,40}?)\s+(?:means|is\s+defined\s+as|bedeutet|bezeichnet)\b"
)
# Words after which only a common noun stands: in German every noun has a capital, a surname too.
_BEFORE_A_NOUN: Final = re.compile(
    r"\b(?i:der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|kein\w{0,2}|im|am|zum|zur|vom|beim|ins|ans|jede\w?"
    r"|diese\w?|welche\w?|unser\w{0,2}|alle\w?|mehrere|viele|ohne|pro)\s+(?:[a-zäöüß]+e[nrms]?\s+)?([A-ZÄÖÜ][\wäöüß-]+)"
)
_PERSONAL_TITLE: Final = re.compile(r"\b(?:herrn?|frau|dr|prof|mr|mrs|ms|miss)\b\.?", re.IGNORECASE)
_HEADS_THAT_SAY_NOTHING: Final = (
    "contents introduction overview summary notes note appendix annex table figure page remarks general other details "
    "abstract background conclusion example examples definitions scope purpose document report section chapter total "
    "inhalt inhaltsverzeichnis einleitung \u00fcberblick zusammenfassung kurzfassung anhang anlage tabelle "
    "allgemeines hinweise bemerkungen sonstiges beispiele definitionen zweck seite summe gesamt"
)
_SAYS_NOTHING: Final = frozenset(_HEADS_THAT_SAY_NOTHING.split())
_ASKS: Final = re.compile(r"(?:what|who|which|where)\s+\w+", re.IGNORECASE)
_ON_CONDITION: Final = re.compile(r"(?:when|if)\s+\w+", re.IGNORECASE)


class Found(StrEnum):
    """From what a question was made."""

    HEADING = "heading"
    ROW = "row"
    TERM = "term"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePassage:
    """A passage of a document that questions are made of. section: the heading above it."""

    document_id: UUID
    title: str
    page: int
    section: str
    text: str
    language: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeQuestion:
    """A question that was made of a place in a document. source: the words that it was made of."""

    text: str
    found: Found
    source: str
    document_id: UUID
    title: str
    page: int


def make_questions(passages: Sequence[SourcePassage], own_words: Iterable[str] = ()) -> tuple[MadeQuestion, ...]:
    """Return the questions that passages give, each once, in the order of the passages.

    Args: own_words: texts that somebody wrote for everybody, as the policy's; their words are common words.
    """
    common = _Common.of([*(each.text for each in passages), *own_words])
    made: dict[str, MadeQuestion] = {}
    for passage in passages:
        german = passage.language == "de"
        for found, source in _sources(passage):
            words = _NUMBERING.sub("", source).strip(" \t-\u2013\u2022")
            if not common.allows(words) or (found is Found.ROW and is_of_people(words)):
                continue
            text = _german(found, words) if german else _english(found, words)
            made.setdefault(
                text.casefold(),
                MadeQuestion(
                    text=text,
                    found=found,
                    source=words,
                    document_id=passage.document_id,
                    title=passage.title,
                    page=passage.page,
                ),
            )
    return tuple(made.values())


def _sources(passage: SourcePassage) -> Iterator[tuple[Found, str]]:
    """Yield what a passage may be asked about: its headings, the labels of its rows, the terms that it defines."""
    if passage.section:
        yield Found.HEADING, passage.section.rpartition(_WITHIN)[2].strip()
    lines = passage.text.split("\n")
    for number, line in enumerate(lines):
        if _LINK in line:
            label, _, cells = line.partition(_LINK)
            # Of a row that holds no figure, nobody asks how large it is. "dataset: prices" is a cell, no label.
            if any(sign.isdigit() for sign in cells) and ":" not in label:
                yield Found.ROW, label.strip()
        elif _is_heading(lines, number):
            yield Found.HEADING, line.strip()
    for match in _TERM.finditer(passage.text):
        yield Found.TERM, match["quoted"] or match["plain"]


def _is_heading(lines: Sequence[str], number: int) -> bool:
    """Return whether a short line that is no sentence stands between others, not a line of a paragraph."""
    said = lines[number].strip()
    before = lines[number - 1].strip() if number else ""
    after = next((line.strip() for line in lines[number + 1 :] if line.strip()), "")
    ends_before = not before or _LINK in before or before.endswith(_SENTENCE_END)
    begins_after = bool(after) and (after[:1].isupper() or _LINK in after)
    return _SHORTEST <= len(said) <= _LONGEST and not said.endswith(_SENTENCE_END) and ends_before and begins_after


@dataclass(frozen=True, slots=True)
class _Common:
    """What texts use as common words. words: casefolded. texts: all of them in one, with blanks for line ends."""

    words: frozenset[str]
    texts: str

    @classmethod
    def of(cls, texts: Sequence[str]) -> _Common:
        """Gather the words that stand in lower case somewhere, and those that follow an article in German."""
        known: set[str] = set()
        for text in texts:
            known.update(word.casefold() for word in _WORD.findall(text) if word[0].islower())
            known.update(word.casefold() for word in _BEFORE_A_NOUN.findall(text))
        return cls(frozenset(known), " ".join(" ".join(text.split()) for text in texts))

    def allows(self, said: str) -> bool:
        """Return whether words can be asked about, and name nobody."""
        found = _WORD.findall(said)
        if not _SHORTEST <= len(said) <= _LONGEST or not 1 <= len(found) <= _MOST_WORDS or _UNFIT.search(said):
            return False
        if said.casefold() in _SAYS_NOTHING or _PERSONAL_TITLE.search(said):
            return False
        if not all(self._is_common(word) for word in found):
            return False
        # "Grace Brown" is made of common words; "Risk Factors" is a phrase that texts have in lower case, too.
        return not is_like_a_person(said) or said.lower() in self.texts

    def _is_common(self, word: str) -> bool:
        if word[0].islower() or (word.isupper() and len(word) <= _LONGEST_ABBREVIATION):
            return True
        return word.casefold() in self.words


def _english(found: Found, words: str) -> str:
    lowered = _lowered(words)
    if found is Found.TERM:
        return f"What does \u201c{lowered}\u201d mean?"
    if found is Found.ROW:
        return f"What is the figure for {lowered}?"
    if _ASKS.match(words):
        return f"{words}?"
    if _ON_CONDITION.match(words):
        return f"What happens {lowered}?"
    return f"What do our documents say about {lowered}?"


def _german(found: Found, words: str) -> str:
    if found is Found.TERM:
        return f"Was bedeutet \u201e{words}\u201c?"
    if found is Found.ROW:
        return f"Welche Zahl gilt f\u00fcr {words}?"
    return f"Was steht in unseren Unterlagen zu {words}?"


def _lowered(words: str) -> str:
    """Return a heading as it stands within an English sentence; an abbreviation keeps its capitals."""
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words.split())
