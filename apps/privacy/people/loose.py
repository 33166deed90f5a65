"""Find weak hints of a person, such as initials. They count only where the same document certainly names the person."""

from __future__ import annotations

from collections.abc import Iterator

from apps.privacy.people.contracts import How, Match
from apps.privacy.people.line import Line
from apps.privacy.people.names import NamePattern
from apps.privacy.people.normalise import Word
from apps.privacy.people.variants import is_title

_GIVEN, _INITIALS = 0.3, 0.25


def loose_matches(pattern: NamePattern, line: Line) -> Iterator[Match]:
    """Yield given names by themselves, initials of the whole name, and titles with the family name's initial.

    No such match is certain.
    """
    if not pattern.given:
        return
    initials = len(pattern.given) + len(pattern.family)
    for number, word in enumerate(line.words):
        if not word.is_capitalised:
            continue
        like = pattern.given[0].like(word.raw)
        if like is not None and not like.slips and like.score > 0.9:
            yield _match(pattern, word, word, _GIVEN)
        elif is_title(word.raw) and _is_initial(pattern, line, number + 1):
            yield _match(pattern, word, line.words[number + 1], _INITIALS)
        elif word.is_capitals and _spell(pattern, word.raw) and initials > 1:
            yield _match(pattern, word, word, _INITIALS)
        elif len(word.raw) == 1 and (last := _apart(pattern, line, number)) is not None:
            yield _match(pattern, word, last, _INITIALS)


def _is_initial(pattern: NamePattern, line: Line, number: int) -> bool:
    """Return whether the word is the initial of the family name, as in "Mr D."."""
    word = line.word(number)
    is_one = word is not None and len(word.raw) == 1 and word.is_capitalised and line.after(number) == "."
    return is_one and word is not None and pattern.family[0].begins_with(word.raw)


def _spell(pattern: NamePattern, letters: str) -> bool:
    """Return whether the letters are the initials of the name, as in "JD"."""
    parts = [*pattern.given, *pattern.family]
    if len(letters) == len(parts):
        return all(part.begins_with(letter) for part, letter in zip(parts, letters, strict=True))
    return len(letters) == 2 and parts[0].begins_with(letters[0]) and pattern.family[-1].begins_with(letters[1])


def _apart(pattern: NamePattern, line: Line, number: int) -> Word | None:
    """Match initials with periods: "J. D.", "J.D." or "J. M. D.". Returns: the last initial; None without a match."""
    letters, last = line.words[number].raw, None
    while line.after(number) == "." and line.is_within(number) and (word := line.word(number + 1)) is not None:
        if len(word.raw) != 1 or not word.is_capitalised:
            break
        letters, last, number = letters + word.raw, word, number + 1
    return last if last is not None and _spell(pattern, letters) else None


def _match(pattern: NamePattern, first: Word, last: Word, confidence: float) -> Match:
    return Match(start=first.start, end=last.end, how=How.VARIANT, matched=pattern.matched, confidence=confidence)
