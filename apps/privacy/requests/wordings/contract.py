"""The wording that a language must define, so that every letter can be written in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from apps.privacy.codes.requests import LetterKind, Refusal

OneOrMany = tuple[str, str]
"""Of one thing, and of several: the second has {} where the number goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The letters of one language: format strings with the fields that letters.written fills in.

    subjects, bodies: by kind of letter; subjects_of_access, bodies_of_access: what differs in a request for access.
    partly, but_by_law: appended to "it has been carried out"; partly where something is held for now, but_by_law where
        places stay by law only.
    backups_until: {until} is the day on which the last backup with the data is gone; backups_unknown: where no backup
        retention is set.
    remains, remains_besides: where nothing of the person stays, and where something stays that the letter named before.
    counted: counts of a removal: documents removed whole, documents redacted, parts, accounts.
    staying: counts of places that must stay by law.
    day: the date format, with day, month and year. months: from January on.
    """

    greeting: str
    greeting_of_nobody: str
    closing: str
    remedies: str
    subjects: Mapping[LetterKind, str]
    bodies: Mapping[LetterKind, str]
    subjects_of_access: Mapping[LetterKind, str]
    bodies_of_access: Mapping[LetterKind, str]
    request_for_erasure: str
    request_for_access: str
    nothing_held: str
    held: OneOrMany
    package: str
    empty_package: str
    others_hidden: str
    partly: str
    but_by_law: str
    backups_until: str
    backups_unknown: str
    remains: str
    remains_besides: str
    staying: OneOrMany
    counted: tuple[OneOrMany, OneOrMany, OneOrMany, OneOrMany]
    grounds: Mapping[Refusal, str]
    months: tuple[str, ...]
    day: str
