"""The changes for which a firm may ask for two reviewers."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Final


class TwoFor(StrEnum):
    """What a change touches when it takes two reviewers."""

    EVERYTHING = "everything"
    WIDER_REACH = "wider_reach"
    INVARIANTS = "invariants"
    PROFILE = "profile"

    @property
    def words(self) -> str:
        return _WORDS[self]


_WORDS: Final = {
    TwoFor.EVERYTHING: "every change",
    TwoFor.WIDER_REACH: "a change by which questions reach more, or are recognised more easily",
    TwoFor.INVARIANTS: "a change of the invariants",
    TwoFor.PROFILE: "a change of the compliance profile",
}


def sort_two_for(values: Iterable[str]) -> tuple[TwoFor, ...]:
    """Return the values in the order of the enumeration, each once. Raises: ValueError: there is no such value."""
    wanted = {TwoFor(value) for value in values}
    return tuple(each for each in TwoFor if each in wanted)
