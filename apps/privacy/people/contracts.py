"""Who is looked for, and where they were found. All of it is personal data: reprs tell counts, never contents."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from apps.erasure.declarations.searched import Place

# What is found with at least this confidence, and not by similarity alone, needs a look and not a decision.
CERTAIN_FROM = 0.8

Progress = Callable[[int, int], None]  # texts or files done, and about how many there are


class How(StrEnum):
    """How a mention was recognised."""

    EXACT = "exact"  # the same letters, whatever their case, accents written out, order, title or ending
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
    """A name in its parts where they are known, else as one: "John Doe", "Doe, John", "Dr. Ursula von der Leyen"."""

    given: str = ""
    family: str = ""
    full: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class PersonDescription:
    """Whom to look for.

    aliases: other whole names (as PersonName.full), or a nickname of one word.
    phones: in any writing; with the country's code where it is known.
    accounts: account, client and policy numbers of at least four digits and letters.
    words: phrases that point to the person, found as they are written.
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
        """How much of each is known: what the record of a search may tell."""
        return {name: len(getattr(self, name)) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A stretch of a text that may name the person: text[start:end].

    confidence: 0..1, a ranking and no probability.
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
    """A match, and in which text of which store it stands. The text itself is not in it."""

    place: Place
    char_start: int
    char_end: int
    how: How
    matched: Matched
    confidence: float
    is_certain: bool
