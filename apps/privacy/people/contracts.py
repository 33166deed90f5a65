"""The description of a person to search for, and the mentions found. All are personal data: reprs show no contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from apps.erasure.declarations.searched import TextLocation

# A match with at least this confidence that is not FUZZY counts as certain: a person only has to check it.
CERTAIN_FROM = 0.8

Progress = Callable[[int, int], None]  # texts or files done, and about how many there are


class How(StrEnum):
    """How a mention was recognised."""

    EXACT = "exact"  # the same letters; case, written-out accents, order, title and ending may differ
    VARIANT = "variant"  # another usual spelling, initials, a part of the name
    FUZZY = "fuzzy"  # a letter or two away
    IDENTIFIER = "identifier"  # the same digits and letters


class Matched(StrEnum):
    """Which part of the description was found."""

    NAME = "name"
    ALIAS = "alias"
    EMAIL = "email"
    PHONE = "phone"
    IBAN = "iban"
    ACCOUNT = "account"
    WORD = "word"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PersonName:
    """A name, in parts where these are known, else in full: "John Doe", "Doe, John", "Dr. Ursula von der Leyen"."""

    given: str = ""
    family: str = ""
    full: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PersonDescription:
    """The description of the person to search for.

    aliases: other whole names (as PersonName.full), or a nickname of one word.
    phones: in any notation; with the country code where it is known.
    accounts: account, client and policy numbers of at least four digits and letters.
    words: phrases that point to the person, searched as they are written.
    """

    names: tuple[PersonName, ...] = ()
    aliases: tuple[str, ...] = ()
    emails: tuple[str, ...] = ()
    phones: tuple[str, ...] = ()
    ibans: tuple[str, ...] = ()
    accounts: tuple[str, ...] = ()
    words: tuple[str, ...] = ()

    def __repr__(self) -> str:
        counts = ", ".join(f"{kind}={count}" for kind, count in self.counts.items())
        return f"PersonDescription({counts})"

    @property
    def counts(self) -> dict[str, int]:
        """Return how many entries of each kind are known. The event of a search may hold these counts."""
        return {name: len(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A stretch of a text that may name the person: text[start:end].

    confidence: 0..1, used for ranking; it is not a probability.
    """

    start: int
    end: int
    how: How
    matched: Matched
    confidence: float

    @property
    def is_certain(self) -> bool:
        return self.how is not How.FUZZY and self.confidence >= CERTAIN_FROM


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A match together with its place: which text of which store. It does not hold the text itself."""

    place: TextLocation
    char_start: int
    char_end: int
    how: How
    matched: Matched
    confidence: float
    is_certain: bool
