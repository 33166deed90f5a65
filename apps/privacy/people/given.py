"""Match given names beside a family name: in front of it, or behind it."""

from __future__ import annotations

from dataclasses import dataclass

from apps.privacy.people.contracts import How
from apps.privacy.people.likeness import Like, Part
from apps.privacy.people.line import Line
from apps.privacy.people.names import Found, word_like
from apps.privacy.people.variants import is_particle, is_title

_INITIAL = Like(How.VARIANT, 0.64)
_INITIALS = Like(How.VARIANT, 0.78)  # two of them that fit
_FARTHEST = 4  # words


@dataclass(slots=True)
class _Seen:
    """The given names and initials seen beside the family name so far."""

    best: Like | None = None
    initials: int = 0
    at: int = -1  # the farthest word that belongs to the name
    factor: float = 1.0

    def like(self) -> Like | None:
        if self.best is not None:
            return self.best
        return None if not self.initials else _INITIALS if self.initials > 1 else _INITIAL


def given_before(line: Line, family: Found, given: list[Part]) -> Found | None:
    """Match "John", "J. M." or "John Q." in front of the family name.

    The `like` of the result is that of the given names only.
    """
    number = family.first - 1
    factor = 1.0
    while (word := line.word(number)) is not None and is_particle(word.raw) and line.is_within(number):
        number -= 1
    if number >= 0 and line.is_listed(number):
        factor = 0.85 if "|" in line.gap(number) else 0.62
    seen = _walk(line, number, given, step=-1, is_capitalised=line.words[family.last].is_capitalised)
    like = seen.like()
    if like is None or (seen.best is None and factor < 1.0):
        return None
    return Found(seen.at, family.last, like, factor * seen.factor)


def given_behind(line: Line, family: Found, given: list[Part]) -> Found | None:
    """Match "Doe, John", "Doe, Dr. J." or "Doe John": given names behind the family name."""
    number = family.last + 1
    if not line.is_within(number - 1):
        return None
    is_listed = line.is_listed(number - 1)
    while (word := line.word(number)) is not None and is_title(word.raw) and line.is_within(number):
        number += 1
    seen = _walk(line, number, given, step=1, is_capitalised=line.words[family.last].is_capitalised)
    like = seen.like()
    if like is None or (seen.best is None and not (is_listed or line.after(seen.at) == ".")):
        return None
    factor = 1.0 if is_listed else 0.95
    if is_listed and _is_between_others(line, family.first, seen.at):
        factor = 0.6  # "Peter Meier, Anna Schulz": two people
    return Found(family.first, seen.at, like, factor * seen.factor)


def _walk(line: Line, number: int, given: list[Part], *, step: int, is_capitalised: bool) -> _Seen:
    seen = _Seen()
    pending = 0  # unknown capitalised words, accepted only if a given name follows them
    edge = number if step < 0 else number - 1
    for _ in range(_FARTHEST):
        word = line.word(number)
        if word is None or not line.is_within(edge):
            break
        found = _given_like(line, number, given, step)
        if found is not None:
            like, is_first, number = found
            if like.slips and (pending or (is_capitalised and not word.is_capitalised)):
                break
            factor = (1.0 if is_first or like.slips else 0.8) * _strange(line, number, pending, step)
            if seen.best is None or like.score * factor > seen.best.score * seen.factor:
                seen.best, seen.factor = like, factor
            seen.at = number
        elif len(word.raw) <= 3 and (word.is_capitals or len(word.raw) == 1) and _fits(word.raw, given):
            seen.initials += len(word.raw)
            seen.at = number
        elif word.is_capitalised and pending == 0 and seen.best is None and not is_title(word.raw):
            pending = 1
        else:
            break
        number += step
        edge = number if step < 0 else number - 1
        if line.is_listed(edge):
            break
    return seen


def _given_like(line: Line, number: int, given: list[Part], step: int) -> tuple[Like, bool, int] | None:
    """Return the best-matching given name at a word: its Like, whether it is the first given name, and the number of
    its word that is farthest from the family name."""
    best: tuple[Like, bool, int] | None = None
    for position, part in enumerate(given):
        # Walking backwards, a word that is split across two lines is reached at its second half.
        for start in (number, number - 1) if step < 0 else (number,):
            like, last = word_like(line, start, part)
            if like is None or (step < 0 and last != number):
                continue
            if best is None or like.score > best[0].score:
                best = (like, position == 0, start if step < 0 else last)
    return best


def _fits(letters: str, given: list[Part]) -> bool:
    """Return whether the letters are initials of the given names: J, M or JM for John Michael."""
    if len(letters) == 1:
        return any(part.begins_with(letters) for part in given)
    in_order = zip(given, letters, strict=False)
    return len(letters) <= len(given) and all(part.begins_with(letter) for part, letter in in_order)


def _strange(line: Line, number: int, pending: int, step: int) -> float:
    if not pending:
        return 1.0
    stranger = line.word(number - step)
    return 0.88 if stranger is not None and len(stranger.raw) == 1 else 0.72


def _is_between_others(line: Line, first: int, last: int) -> bool:
    """Return whether another name part stands, without a comma, before the family name or behind the given name."""
    return _is_name_beside(line, first - 1, first - 1) or _is_name_beside(line, last + 1, last)


def _is_name_beside(line: Line, number: int, edge: int) -> bool:
    word = line.word(number)
    return (
        word is not None
        and word.is_capitalised
        and len(word.raw) > 1
        and not is_title(word.raw)
        and line.is_within(edge)
        and not line.is_listed(edge)
        and not line.gap(edge).strip(" \t\u00a0-")
        and not (number < edge + 1 and line.begins_sentence(number))
    )
