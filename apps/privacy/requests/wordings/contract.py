"""What a language must have words for, so that every letter can be written in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from apps.privacy.codes.requests import LetterKind, Refusal

OneOrMany = tuple[str, str]
"""Of one thing, and of several: the second has {} where the number goes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """The letters of one language: format strings over what letters.written fills in.

    subjects, bodies: by kind; those of access are what differs from them in a request for access.
    partly, but_by_law: after "it has been carried out", where something is held for now, or stays by law alone.
    backups_until: {until} is the day on which the last backup with it is gone; backups_unknown: where nobody has said.
    remains, remains_besides: where nothing of the person stays, and where something does that is named before.
    counted: of a removal, in the order of letters.Removed. staying: of places which must stay by law.
    day: how a date is written, over day, month and year; months from January on.
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
