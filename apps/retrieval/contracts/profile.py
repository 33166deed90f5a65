"""What the compliance profile did with a question or an answer."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ProfileEffect(StrEnum):
    REFUSED = "refused"
    """The question was not searched."""
    BLOCKED = "blocked"
    """The answer that was written is withheld."""
    FLAGGED = "flagged"
    """The answer is given, and says which rule it falls under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileFinding:
    """A rule of the profile that fired.

    key, sort, name: of the rule. reason: what it tells the user. words: what made it fire, as it stands in the text;
    empty of an answer that is withheld.
    """

    key: str
    sort: str
    name: str
    effect: ProfileEffect
    reason: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclaimer:
    """A text of the profile that stands under an answer. Code put it there, and no model has seen it."""

    key: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileCheck:
    """What a check by the profile came to."""

    findings: tuple[ProfileFinding, ...]
    disclaimers: tuple[Disclaimer, ...] = ()
