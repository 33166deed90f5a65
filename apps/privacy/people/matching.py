"""Find everything in a text that may name one person. Pure: a description and a text in, spans out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_

from apps.privacy.people.bare import bare_match, in_record
from apps.privacy.people.contracts import How, Match, Matched, PersonDescription, PersonName
from apps.privacy.people.encoded import decoded_runs
from apps.privacy.people.given import given_before, given_behind
from apps.privacy.people.identifiers import compact, identifier_patterns
from apps.privacy.people.likeness import Like
from apps.privacy.people.line import Line
from apps.privacy.people.loose import loose_matches
from apps.privacy.people.names import Found, NamePattern, Role, is_worth_reading, worst
from apps.privacy.people.normalise import raw_words

_WHOLE = 0.97
_MOST_SLIPS = 2
_BEGINS = int(Role.ALONE | Role.FAMILY | Role.GIVEN_AS_IT_IS)
_ABOUT_AS_SURE = 0.7
# A whole name on the same page makes it likely that the family name alone means the same person.
_SUPPORT, _SUPPORTED_MOST, _SUPPORTS_FROM = 0.25, 0.75, 0.6


class Matcher:
    """A search for one description in many texts. It caches its results for single words."""

    def __init__(self, person: PersonDescription) -> None:
        names = [(name, Matched.NAME) for name in person.names]
        names += [(PersonName(full=alias), Matched.ALIAS) for alias in person.aliases]
        self._names = [pattern for name, matched in names if (pattern := NamePattern(name, matched)).family]
        self._identifiers = identifier_patterns(person)
        self._unconcerned: set[str] = set()

    def find(self, text: str) -> list[Match]:
        """Return every mention, in reading order; of overlapping mentions only the one with the highest confidence.

        Costs: about a microsecond a word for a text without any; a millisecond or two for a page with several.
        """
        found = self.read(text, names=self._may_name(text), identifiers=self._may_identify(text))
        return _apart([*found, *self._encoded(text)])

    def beside(self, text: str) -> list[Match]:
        """Return weak hints of the person (loose.py) in a text whose document certainly names the person elsewhere."""
        line = Line(text)
        return _apart([match for pattern in self._names for match in loose_matches(pattern, line)])

    def _encoded(self, text: str) -> Iterator[Match]:
        """Yield the encoded runs of the text that name the person once decoded, each run as one match."""
        for start, end, said in decoded_runs(text):
            within = self.read(said, names=self._may_name(said), identifiers=self._may_identify(said))
            if within:
                surest = max(within, key=lambda match: match.confidence)
                yield replace(surest, start=start, end=end)

    def read(self, text: str, *, names: bool = True, identifiers: bool = True) -> list[Match]:
        """Return the mentions as find does, without the quick check beforehand and without decoding encoded runs."""
        found: list[Match] = []
        if names:
            line = Line(text)
            for pattern in self._names:
                found.extend(_supported(list(_named(pattern, line))))
        if identifiers:
            for identifier in self._identifiers:
                found.extend(identifier.matches(text))
        return _apart(found)

    def _may_name(self, text: str) -> bool:
        if not self._names:
            return False
        concerned = raw_words(text) - self._unconcerned
        unconcerned = {word for word in concerned if not any(pattern.role(word) for pattern in self._names)}
        if len(self._unconcerned) > 2_000_000:
            self._unconcerned.clear()
        self._unconcerned |= unconcerned
        concerned -= unconcerned
        return any(
            is_worth_reading(reduce(or_, (pattern.role(word) for word in concerned), 0)) for pattern in self._names
        )

    def _may_identify(self, text: str) -> bool:
        if not self._identifiers:
            return False
        letters = compact(text)
        return any(all(needle in letters for needle in each.needles) for each in self._identifiers)


def _named(pattern: NamePattern, line: Line) -> Iterator[Match]:
    for number, word in enumerate(line.words):
        if not pattern.role(word.raw) & _BEGINS and not line.joined(number):
            continue
        for family in pattern.family_at(line, number):
            # Yield all candidates: the best one here may lose to a better match of a neighbouring word.
            yield from _whole(pattern, line, family)
            yield from in_record(pattern, line, family)
            bare = bare_match(pattern, line, family)
            if bare is not None:
                yield bare
        together = pattern.together_at(line, number)
        if together:
            how = How.EXACT if together > 0.8 else How.VARIANT
            yield pattern.match(line, Found(number, number, Like(how, together)), confidence=together)
        yield from _family_initial(pattern, line, number)


def _whole(pattern: NamePattern, line: Line, family: Found) -> Iterator[Match]:
    """Yield matches of the family name with given names in front of it or behind it."""
    if not pattern.given:
        return
    for beside in (given_before, given_behind):
        given = beside(line, family, pattern.given)
        if given is None:
            continue
        like = worst([given.like, family.like])
        if like.slips > _MOST_SLIPS or (like.slips and _is_too_short(pattern, given.like, family.like)):
            continue
        how = How.VARIANT if like.how is How.EXACT and family.factor < 1.0 else like.how
        yield pattern.match(line, given, confidence=_WHOLE * like.score * given.factor * family.factor, how=how)


def _is_too_short(pattern: NamePattern, given: Like, family: Like) -> bool:
    """Return whether a family name of up to three letters has a slip and the given name does not fit well either.

    Such words name somebody else.
    """
    is_short = min(part.length for part in pattern.family) <= 3
    return is_short and bool(family.slips) and given.score < 0.9


def _family_initial(pattern: NamePattern, line: Line, number: int) -> Iterator[Match]:
    """Match "John D.": the first given name without slips, and the initial of the family name."""
    initial = line.word(number + 1)
    if initial is None or len(initial.raw) != 1 or not initial.is_capitalised or not pattern.given:
        return
    like = pattern.given[0].like(line.words[number].raw)
    if like is None or like.score < 0.9 or line.gap(number).strip() or not pattern.family[0].begins_with(initial.raw):
        return
    if line.after(number + 1) == "." or not line.after(number + 1).isalnum():
        found = Found(number, number + 1, Like(How.VARIANT, 0.45))
        yield pattern.match(line, found, confidence=0.45 if line.after(number + 1) == "." else 0.3)


def _supported(matches: Sequence[Match]) -> list[Match]:
    if not any(match.confidence >= _SUPPORTS_FROM and match.how is not How.FUZZY for match in matches):
        return list(matches)
    return [
        _raised(match) if match.how is not How.FUZZY and 0.4 <= match.confidence < _SUPPORTS_FROM else match
        for match in matches
    ]


def _raised(match: Match) -> Match:
    return Match(
        start=match.start,
        end=match.end,
        how=match.how,
        matched=match.matched,
        confidence=min(_SUPPORTED_MOST, round(match.confidence + _SUPPORT, 3)),
    )


def _apart(matches: Sequence[Match]) -> list[Match]:
    """Keep the match with the highest confidence of those that overlap.

    A longer match replaces one that it contains if its confidence is about as high.
    """
    longer = [
        match
        for match in matches
        if not any(
            other.start <= match.start
            and match.end <= other.end
            and other.end - other.start > match.end - match.start
            and other.confidence >= _ABOUT_AS_SURE * match.confidence
            for other in matches
        )
    ]
    kept: list[Match] = []
    for candidates in (longer, matches):
        for match in sorted(candidates, key=_surest_first):
            if all(match.end <= other.start or other.end <= match.start for other in kept):
                kept.append(match)
    return sorted(kept, key=lambda match: match.start)


def _surest_first(match: Match) -> tuple[float, int, int, str]:
    return -match.confidence, match.start - match.end, match.start, match.matched
