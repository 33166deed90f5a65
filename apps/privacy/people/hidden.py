"""Find words about others that an access package hides, in every spelling that the search for a person knows."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from apps.privacy.people.contracts import Match, Matched, PersonDescription, PersonName
from apps.privacy.people.matching import Matcher
from apps.privacy.people.normalise import WORD

# Matches below this are family names in lower case or behind another given name: more likely somebody else.
_LEAST = 0.2
_MOST_WORDS = 5  # in a name; a longer phrase is a sentence
_LEAST_DIGITS = 4


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class Named:
    """text[start:end]. is_certain: whether a person only has to check it instead of deciding about it."""

    start: int
    end: int
    is_certain: bool


def find_words(phrases: Sequence[str]) -> Callable[[str], Sequence[Named]]:
    """Return a function that finds these names, addresses, numbers or other words about somebody in a text.

    It finds them in all spellings that the search for a person knows.
    """
    matchers = [(Matcher(_described(phrase)), len(phrase.split()) > 1) for phrase in phrases]

    def find(text: str) -> Sequence[Named]:
        return sorted(
            {
                Named(start=match.start, end=match.end, is_certain=_is_certain(match, is_long))
                for matcher, is_long in matchers
                for match in matcher.find(text)
                if match.confidence >= _LEAST
            }
        )

    return find


def _is_certain(match: Match, is_long: bool) -> bool:
    return match.is_certain or (match.matched is Matched.WORD and is_long)


def _described(phrase: str) -> PersonDescription:
    """Return a description with the phrase as it is written, and as a name, address or number where it can be one."""
    words = WORD.findall(phrase)
    digits = sum(char.isdigit() for char in phrase)
    is_name = 0 < len(words) <= _MOST_WORDS and not digits and "@" not in phrase and _may_be_name(words)
    return PersonDescription(
        names=(PersonName(full=phrase),) if is_name and len(words) > 1 else (),
        aliases=(phrase,) if is_name and len(words) == 1 else (),
        emails=tuple(re.findall(r"\S+@\S+", phrase)),
        phones=(phrase,) if digits > _LEAST_DIGITS and not words else (),
        accounts=(phrase,) if digits >= _LEAST_DIGITS else (),
        words=(phrase,),
    )


def _may_be_name(words: Sequence[str]) -> bool:
    """Return whether the words may be a name.

    They may where at least two thirds of them begin with a capital, or where all are in lower case, since somebody who
    types names in lower case uses no capitals at all.
    """
    return all(word.islower() for word in words) or sum(not word[0].isupper() for word in words) <= len(words) // 3
