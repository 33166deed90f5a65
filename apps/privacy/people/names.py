"""Find one name in a text: in full, in reverse order, with initials, or the family name by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntFlag

from apps.privacy.people.contracts import How, Match, Matched, PersonName
from apps.privacy.people.likeness import SAME, Like, Part
from apps.privacy.people.line import Line
from apps.privacy.people.normalise import WORD, folded, writings
from apps.privacy.people.variants import is_particle, is_title

_APOSTROPHES = re.compile(r"(?<=[^\W\d_])['\u2019\u2018`\u00b4](?=[^\W\d_])")
FUZZY_ALONE_FROM = 6  # letters
_ORDER = {How.EXACT: 0, How.VARIANT: 1, How.FUZZY: 2}


class Role(IntFlag):
    NONE = 0
    ALONE = 1  # a mention by itself
    FAMILY = 2
    GIVEN = 4  # or its initials
    GIVEN_AS_IT_IS = 8
    FAMILY_INITIAL = 16


def is_worth_reading(roles: int) -> bool:
    """Return whether words of these roles, all in one text, can together make a mention."""
    return bool(
        roles & Role.ALONE
        or (roles & Role.FAMILY and roles & Role.GIVEN)
        or (roles & Role.GIVEN_AS_IT_IS and roles & Role.FAMILY_INITIAL)
    )


@dataclass(frozen=True, slots=True)
class Found:
    """Words first..last of a line. factor: below 1 where anything besides the letters speaks against it.

    length: in letters.
    """

    first: int
    last: int
    like: Like
    factor: float = 1.0
    length: int = 0


class NamePattern:
    """A name in parts, prepared for the search.

    A name of one word, such as a nickname, has only family parts.
    """

    def __init__(self, name: PersonName, matched: Matched = Matched.NAME) -> None:
        given, family = split_name(name)
        self.matched = matched
        self.given = [Part(word) for word in given]
        self.family = [Part(word) for word in family]
        self._particles = frozenset(
            folded(word) for word in WORD.findall(f"{name.family or name.full}") if is_particle(word)
        )
        self.is_nickname = matched is Matched.ALIAS and not self.given
        self._ends = [*self.family, Part("".join(family))] if len(family) > 1 else self.family
        self._together, self._initialled = _together(given, family)
        self._roles: dict[str, int] = {}

    def role(self, word: str) -> int:
        """Return as an int the Role that a word, alone or joined with the next, could have in a mention of the name."""
        known = self._roles.get(word)
        if known is None:
            if len(self._roles) > 1_000_000:
                self._roles.clear()
            known = self._roles[word] = int(self._role(word))
        return known

    def family_at(self, line: Line, number: int) -> Iterator[Found]:
        """Yield the family name that begins at this word: the complete one, otherwise its parts."""
        if len(self.family) > 1 and (found := self._parts_at(line, number)):
            yield found
            return
        for part in self._ends:
            like, last = word_like(line, number, part)
            if like is not None:
                is_part = len(self.family) > 1 and part is not self._ends[-1]
                yield Found(number, last, like, 0.74 if is_part else 1.0, part.length)

    def together_at(self, line: Line, number: int) -> float:
        """Return the confidence that this word is the whole name written as one word, as in an e-mail address."""
        forms = writings(line.words[number].raw)
        if forms & self._together:
            return 0.9
        return 0.55 if forms & self._initialled else 0.0

    def match(self, line: Line, found: Found, *, confidence: float, how: How | None = None) -> Match:
        first = found.first
        while self._particles and (word := line.word(first - 1)) is not None and folded(word.raw) in self._particles:
            if not line.is_within(first - 1):
                break
            first -= 1
        return Match(
            start=line.words[first].start,
            end=line.words[found.last].end,
            how=how or found.like.how,
            matched=self.matched,
            confidence=round(confidence, 3),
        )

    def _parts_at(self, line: Line, number: int) -> Found | None:
        likes: list[Like] = []
        first = last = number
        for part in self.family:
            if likes:
                if not line.is_within(last):
                    return None
                number = last + 1
            like, last = word_like(line, number, part)
            if like is None:
                return None
            likes.append(like)
        return Found(first, last, worst(likes), length=sum(part.length for part in self.family))

    def _role(self, word: str) -> Role:
        role = Role.NONE
        if writings(word) & (self._together | self._initialled):
            role |= Role.ALONE
        for part in self._ends:
            like = part.like(word)
            if like is not None:
                role |= Role.FAMILY
                # Like bare.py: a short word by itself that has a slip is another word.
                role |= Role.ALONE if not like.slips or part.length >= FUZZY_ALONE_FROM else Role.NONE
        for part in self.given:
            like = part.like(word)
            if like is not None:
                role |= Role.GIVEN
                role |= Role.GIVEN_AS_IT_IS if not like.slips else Role.NONE
        if self.given and len(word) <= 3:
            role |= Role.GIVEN if all(any(part.begins_with(letter) for part in self.given) for letter in word) else role
        if self.given and len(word) == 1 and self.family[0].begins_with(word):
            role |= Role.FAMILY_INITIAL
        return role


def word_like(line: Line, number: int, part: Part) -> tuple[Like | None, int]:
    """Compare the part with a word, or with two words that a line break splits.

    Returns: how alike they are, or None; and the number of the last word.
    """
    word = line.word(number)
    if word is None:
        return None, number
    like = part.like(word.raw)
    if like is None or like.slips:
        together = line.joined(number)
        closer = part.like(together) if together else None
        if closer is not None and (like is None or closer.score > like.score):
            return closer, number + 1
    return like, number


def worst(likes: list[Like]) -> Like:
    """Combine the likes of several words into one, which is recognised as its worst word is."""
    if all(like is SAME for like in likes):
        return SAME
    score = 1.0
    for like in likes:
        score *= like.score
    return Like(max((like.how for like in likes), key=_ORDER.__getitem__), score, sum(like.slips for like in likes))


def split_name(name: PersonName) -> tuple[list[str], list[str]]:
    """Split a name into its given and family words, in lower case, without titles and particles."""
    given, family = _parts(name.given), _parts(name.family)
    if family or not name.full:
        return (given, family) if family else ([], given)
    before, comma, after = name.full.partition(",")
    if comma and _parts(after):
        return _parts(after), _parts(before)
    units = [unit for unit in name.full.split() if _parts(unit) or _is_particle_unit(unit)]
    start = next((at for at, unit in enumerate(units) if at and _is_particle_unit(unit)), max(len(units) - 1, 0))
    return _parts(" ".join(units[:start])), _parts(" ".join(units[start:]))


def _parts(text: str) -> list[str]:
    found = [folded(match.group()) for match in WORD.finditer(_APOSTROPHES.sub("", text))]
    kept = [word for word in found if not is_title(word) and not is_particle(word)]
    # Keep the last word if only particles are left: some people are called by a word that is a particle in other names.
    return kept or [word for word in found if not is_title(word)][-1:]


def _is_particle_unit(unit: str) -> bool:
    return all(map(is_particle, WORD.findall(unit))) and bool(WORD.search(unit))


def _together(given: list[str], family: list[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the name as one word: johndoe and doejohn; and jdoe and doej, where these have at least four letters."""
    if not given or not family:
        return frozenset(), frozenset()
    whole: set[str] = set()
    initialled: set[str] = set()
    for last in writings("".join(family)):
        for first in {*writings(given[0]), *writings("".join(given))}:
            whole |= {first + last, last + first}
            initialled |= {first[0] + last, last + first[0]}
    return frozenset(whole), frozenset(each for each in initialled if len(each) >= 4)
