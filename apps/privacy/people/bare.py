"""Match a family name that has no fitting given name beside it. Such a match is never certain."""

from __future__ import annotations

from apps.privacy.people.contracts import How, Match
from apps.privacy.people.likeness import Like
from apps.privacy.people.line import Line
from apps.privacy.people.names import FUZZY_ALONE_FROM, Found, NamePattern
from apps.privacy.people.variants import is_particle, is_title

_EXACT, _WRITTEN, _SPELT, _FUZZY = 0.45, 0.42, 0.3, 0.25
_SMALL = 0.15
_SHORT = 3
_RECORD, _RECORD_CHARS = 0.65, 80


def bare_match(pattern: NamePattern, line: Line, family: Found) -> Match | None:
    """Return the match of a family name by itself, or None where it is more likely another word.

    "Mr Doe" gives a higher confidence than "Doe"; "Jane Doe" gives a lower one, since Jane is probably another person.
    """
    confidence = _of(family.like, family.length, is_nickname=pattern.is_nickname) * family.factor
    word = line.words[family.first]
    is_address = line.is_address(family.first) or line.is_address(family.last)
    if not word.is_capitalised and not is_address:
        if family.like.how is not How.EXACT or len(word.raw) <= _SHORT or family.factor < 1.0:
            return None
        confidence = min(confidence, _SMALL)
    elif not is_address:
        confidence *= _before(line, family.first)
    return pattern.match(line, family, confidence=confidence) if confidence else None


def in_record(pattern: NamePattern, line: Line, family: Found) -> list[Match]:
    """Return a match each for a family and a given name in two fields of one table row or record, or no match."""
    if not pattern.given or family.like.slips:
        return []
    start, end = line.words[family.first].start, line.words[family.last].end
    row_start = max(line.text.rfind("\n", 0, start) + 1, start - _RECORD_CHARS)
    row_end = line.text.find("\n", end)
    row_end = min(len(line.text) if row_end < 0 else row_end, end + _RECORD_CHARS)
    if not any(mark in line.text[row_start:row_end] for mark in ("|", ": ", "\t", ";")):
        return []
    for number, step in ((family.first - 1, -1), (family.last + 1, 1)):
        at = number
        while (word := line.word(at)) is not None and row_start <= word.start and word.end <= row_end:
            like = pattern.given[0].like(word.raw)
            if like is not None and not like.slips and like.score > 0.9:
                both = (family, Found(at, at, like))
                return [pattern.match(line, each, confidence=_RECORD, how=How.VARIANT) for each in both]
            at += step
    return []


def _of(like: Like, length: int, *, is_nickname: bool) -> float:
    if like.how is How.EXACT:
        return 0.6 if is_nickname else _EXACT
    if like.slips:
        return _FUZZY if like.slips == 1 and length >= FUZZY_ALONE_FROM else 0.0
    return _WRITTEN if like.score > 0.9 else _SPELT


def _before(line: Line, first: int) -> float:
    """Return the factor by which the word in front makes the family name more or less likely to mean the person."""
    number = first - 1
    while (word := line.word(number)) is not None and is_particle(word.raw) and line.is_within(number):
        number -= 1
    if word is None or not line.is_within(number) or line.is_listed(number):
        return 1.0
    if is_title(word.raw):
        return 1.35
    if len(word.raw) == 1 and word.is_capitalised:
        return 0.35  # another person's initial
    if word.is_capitalised and not line.begins_sentence(number) and not line.gap(number).strip():
        return 0.6  # another given name, or a German noun
    return 1.0
