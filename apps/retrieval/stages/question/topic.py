"""Read what a question is about: expressions of the glossary, proper names, and the remaining words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.corpus.terms import terms
from apps.filings.text.mentions import Mention, blank_mentions, mentions_of
from apps.retrieval.contracts import AskedFigure, Concept, Expansion
from apps.retrieval.stages.question.asked import is_grade, is_line, read_asked_figures
from apps.retrieval.stages.question.glossary import GLOSSARY, UPPER_CASE_ONLY
from apps.retrieval.stages.question.glossary_entry import Nature
from apps.retrieval.stages.question.names import identifiers, names_asked, proper_names
from apps.retrieval.stages.question.question_words import NUMBER_WORDS, SCAFFOLDING, SPEECH

GLOSSARY_WEIGHT: Final = 2.0
WORD_WEIGHT: Final = 1.0
NAME_WEIGHT: Final = 3.0
PLACE_WEIGHT: Final = 0.5
_ASKS_WHAT: Final = re.compile(r"\s*(?:what|how\s+(?:high|large|big))\s+(?:is|are|was|were)\b", re.IGNORECASE)
# Words that ask and name nothing: "how long", "welche", and whom everything is about: "did the company".
_ASKING: Final = re.compile(
    r"(?<=\bhow )(?:long|high|large|big|old|often|low)\b|(?<=\bwie )(?:lange?|hoch|gro\u00df|oft|alt)\b"
    r"|\bwelche[nmrs]?\b|\b(?:wem|wen|wessen|laut)\b"
    r"|(?:(?<=\bour )|(?<=\bdid the )|(?<=\bdoes the )|(?<=\bhas the ))(?:company|firm)(?:['\u2019]s)?\b",
    re.IGNORECASE,
)
# The longest first, so that an expression is read before a single word of it.
_TRIGGERS: Final = sorted(
    ((trigger, entry) for entry in GLOSSARY for trigger in entry.triggers),
    key=lambda pair: (-len(pair[0]), pair[0]),
)
# Who wants to know is not what is asked about: "my PM wants to know", "unser CFO fragt".
_FOR_WHOM: Final = re.compile(
    r"\A\W*(?:my|our|the|a)\s+(?:[\w-]+\s+){1,3}?(?:wants|wanted|needs|would\s+like|asks|asked|is\s+asking|wonders|is\s+wondering)\b"
    r"(?=\s+(?:me|us|to\s+know|to\s+find\s+out|to\s+see|for|about|what|which|how|whether|if|by)\b)"
    r"|\A\W*(?:mein|unser|der|ein)e?\s+(?:[\w-]+\s+){1,2}?(?:m\u00f6chte|will|fragt|fragte|braucht)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019&.\-][^\W_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """The remaining subject of a question once company, period and document type have been read.

    statements: the statements from which its figures are read, each once, with the figure for which it was added.
    """

    concepts: tuple[Concept, ...]
    names: tuple[str, ...]
    expansions: tuple[Expansion, ...]
    statements: tuple[tuple[Statement, str], ...]
    words: str
    ignored: tuple[str, ...]
    wants_number: bool
    figures: tuple[AskedFigure, ...]


def read_topic(text: str, question: str, language: str, *, of_speech: bool = False) -> Topic:
    """Read the concepts that a question is about.

    Args:    text: the question with company, document type and period blanked out.
             question: the whole question, position by position the same.
             language: ISO 639-1, for the terms.
             of_speech: whether words of asking and answering are what the question is about.
    """
    concepts: list[Concept] = []
    expansions: list[Expansion] = []
    statements: dict[Statement, str] = {}
    asks_for_figure = _asks_for_number(question)
    rest = text
    figures: dict[Mention, str] = {}
    for trigger, entry in _TRIGGERS:
        mentions = mentions_of(trigger, rest, case_sensitive=trigger in UPPER_CASE_ONLY)
        if not mentions:
            continue
        rest = blank_mentions(rest, mentions)
        if entry.nature is Nature.FIGURE:
            figures.update(dict.fromkeys(mentions, entry.label))
        if any(concept.label == entry.label for concept in concepts):
            continue
        phrases = tuple(dict.fromkeys((*entry.phrases, mentions[0].text)))
        alternatives = tuple(dict.fromkeys(tuple(dict.fromkeys(terms(phrase, language))) for phrase in phrases))
        concepts.append(
            Concept(
                label=entry.label,
                alternatives=tuple(alternative for alternative in alternatives if alternative),
                weight=PLACE_WEIGHT if entry.nature is Nature.PLACE else GLOSSARY_WEIGHT,
            )
        )
        asks_for_figure = asks_for_figure or entry.nature is Nature.FIGURE
        for statement in entry.statements:
            statements.setdefault(statement, entry.label)
        expansions.append(Expansion(trigger=mentions[0].text, label=entry.label, phrases=entry.phrases))
    scaffolding = [
        Mention(start=match.start(), end=match.end(), text=match.group())
        for match in _WORD.finditer(rest)
        if match.group().lower() in (SCAFFOLDING - SPEECH if of_speech else SCAFFOLDING)
    ]
    scaffolding += [
        Mention(start=each.start(), end=each.end(), text=each.group())
        for pattern in (_ASKING, _FOR_WHOM)
        for each in pattern.finditer(rest)
    ]
    words = blank_mentions(rest, scaffolding)
    names = {term for name in proper_names(words, question, language) for term in terms(name, language)}
    signs = {term for sign in identifiers(words) for term in terms(sign, language)}
    asked = names_asked(words, question, language)
    named_words = frozenset(word for name in asked for word in name.split())
    asked_for = read_asked_figures(text, figures, named_words, language)
    concepts.extend(
        Concept(
            label=term,
            alternatives=((term,),),
            weight=NAME_WEIGHT if term in names else WORD_WEIGHT,
            is_name=term in names | signs,
        )
        for term in dict.fromkeys(terms(words, language))
    )
    return Topic(
        concepts=tuple(concepts),
        names=asked,
        expansions=tuple(expansions),
        statements=tuple(statements.items()),
        words=words,
        ignored=tuple(dict.fromkeys(mention.text.lower() for mention in scaffolding)),
        wants_number=asks_for_figure
        or (_ASKS_WHAT.match(question) is not None and any(is_line(each) and not is_grade(each) for each in asked_for)),
        figures=asked_for,
    )


def _asks_for_number(question: str) -> bool:
    return any(match.group().lower() in NUMBER_WORDS for match in _WORD.finditer(question))
