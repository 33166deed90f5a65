"""Tell English from German by their commonest words."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"[a-zäöüß]+")
_ENGLISH_WORDS = "the of and to in a is for that with on as by are this from or be at an was which not its our"
_GERMAN_WORDS = (
    "der die das und in den von zu mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass"
)
_ENGLISH = frozenset(_ENGLISH_WORDS.split())
_GERMAN = frozenset(_GERMAN_WORDS.split())
# What tells the language of one short sentence: words of the one that are none of the other ("was" and "war" are both).
_ENGLISH_ASKS = (
    "the of and to for that with on by are this from what which who whose when where why how did does do has have much"
    " many should may can our we is"
)
_GERMAN_ASKS = (
    "der das und den von zu mit des auf für ist im dem nicht ein eine einen als auch wer wie wann wo warum wieviel"
    " welche welcher welches welchen welchem wurde wurden hat haben dürfen darf wir unser unsere über bei beim"
    " zum zur am ab bis nach vom sind gibt gab gilt waren"
)
_ENGLISH_IN_QUESTIONS = frozenset(_ENGLISH_ASKS.split())
_GERMAN_IN_QUESTIONS = frozenset(_GERMAN_ASKS.split())
_GERMAN_LETTER = re.compile("[\u00e4\u00f6\u00fc\u00df]")
_MAX_CHARACTERS = 40_000
_MIN_HITS = 3
_MIN_LEAD = 1.5


def detect_language(texts: Iterable[str]) -> str:
    """ "en", "de", or "" where neither is clear. Looks at the first 40,000 characters."""
    english = german = seen = 0
    for text in texts:
        words = _WORD.findall(text[:_MAX_CHARACTERS].lower())
        english += sum(word in _ENGLISH for word in words)
        german += sum(word in _GERMAN for word in words)
        seen += len(text)
        if seen > _MAX_CHARACTERS:
            break
    best, other, name = (english, german, "en") if english >= german else (german, english, "de")
    return name if best >= _MIN_HITS and best > _MIN_LEAD * other else ""


def language_of_question(text: str) -> str:
    """ "de" for a sentence whose words are rather German, else "en".

    A document's language is found by counting (detect_language), which a question of six words does not allow; and it
    must be read as one or the other. A word with an umlaut counts as German, and so a name in an English question does,
    which its other words outweigh.
    """
    words = _WORD.findall(text.lower())
    english = sum(word in _ENGLISH_IN_QUESTIONS for word in words)
    german = sum(word in _GERMAN_IN_QUESTIONS or bool(_GERMAN_LETTER.search(word)) for word in words)
    return "de" if german > english else "en"
