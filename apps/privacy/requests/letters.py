"""Fill in the letter templates of wordings/. Pure; a person reads each letter before it is sent.

Each letter says what the law requires: who decides and by when (Article 12(3)), why, and what the person can do about
it: complain to a supervisory authority or go to court (Article 12(4)).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from apps.privacy.codes.requests import Language, LetterKind, Refusal
from apps.privacy.requests.wordings.contract import Wording
from apps.privacy.requests.wordings.english import ENGLISH
from apps.privacy.requests.wordings.german import GERMAN

_WORDINGS: Final[Mapping[Language, Wording]] = {Language.ENGLISH: ENGLISH, Language.GERMAN: GERMAN}


@dataclass(frozen=True, slots=True, kw_only=True)
class Removed:
    """How much was removed.

    documents: all removed documents; redacted: how many of these live on in a redacted version. parts: parts of the
    log's entries.
    """

    documents: int = 0
    redacted: int = 0
    parts: int = 0
    accounts: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Package:
    """Counts of an access package: places where the person was found, places not quoted, places with hidden words."""

    places: int
    left_out: int
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """The facts that a letter is filled in with.

    words: the reasons that the DPO gives, or what the DPO asks for. removed: set once the erasure was carried out.
    is_access: whether the request asks for access and not for erasure. package: set once the package is made.
    stays: how many places mention the person and must stay by law.
    backups_until: when the last backup with the data is gone; None where the installation does not say how long backups
        are kept.
    """

    firm: str
    reference: str
    name: str
    received_on: date
    due_on: date
    extended_due_on: date
    words: str = ""
    refusal: Refusal | None = None
    partial: bool = False
    removed: Removed | None = None
    is_access: bool = False
    package: Package | None = None
    stays: int = 0
    backups_until: date | None = None


def written(kind: LetterKind, language: Language, facts: Facts) -> tuple[str, str]:
    """Fill in a letter. Returns: its subject line, and its text."""
    words = _WORDINGS[language]
    filled = {
        "firm": facts.firm,
        "request": words.request_for_access if facts.is_access else words.request_for_erasure,
        **_of_package(facts.package, words),
        "reference": facts.reference,
        "name": facts.name,
        "received_on": day(facts.received_on, language),
        "due_on": day(facts.due_on, language),
        "extended_due_on": day(facts.extended_due_on, language),
        "words": facts.words.strip(),
        "remedies": words.remedies,
        "partly": words.partly if facts.partial else words.but_by_law if facts.stays else "",
        "backups": _backups(facts.backups_until, words, language),
        "remains": words.remains_besides if facts.partial or facts.stays else words.remains,
        "counts": _counted(facts.removed, words) + _stays(facts.stays, words),
        "ground": "" if facts.refusal is None else words.grounds[facts.refusal],
    }
    subject, body = words.subjects[kind], words.bodies[kind]
    if facts.is_access:
        subject, body = words.subjects_of_access.get(kind, subject), words.bodies_of_access.get(kind, body)
    greeting = words.greeting if facts.name else words.greeting_of_nobody
    text = "\n\n".join((greeting, body, words.closing))
    return subject.format(**filled), text.format(**filled)


def day(on: date, language: Language) -> str:
    """Format a date as a letter in this language writes it."""
    words = _WORDINGS[language]
    return words.day.format(day=on.day, month=words.months[on.month - 1], year=on.year)


def _backups(until: date | None, words: Wording, language: Language) -> str:
    return words.backups_unknown if until is None else words.backups_until.format(until=day(until, language))


def _of_package(package: Package | None, words: Wording) -> dict[str, str]:
    """Return the texts about the access package; empty texts where there is no package yet."""
    if package is None:
        return {"held": "", "package": ""}
    if not package.places:
        return {"held": words.nothing_held, "package": words.empty_package}
    one, many = words.held
    held = one if package.places == 1 else many.format(package.places)
    others = words.others_hidden if package.left_out or package.hidden else ""
    return {"held": held, "package": words.package + others}


def _counted(removed: Removed | None, words: Wording) -> str:
    """Return a separate paragraph with the counts of what was removed; empty where nothing was removed."""
    if removed is None:
        return ""
    # Count each document once: either as removed whole, or as replaced by a redacted version.
    counts = (removed.documents - removed.redacted, removed.redacted, removed.parts, removed.accounts)
    said = [
        (one if count == 1 else many.format(count))
        for (one, many), count in zip(words.counted, counts, strict=True)
        if count
    ]
    return "\n\n" + " ".join(said) if said else ""


def _stays(places: int, words: Wording) -> str:
    one, many = words.staying
    return "" if not places else "\n\n" + (one if places == 1 else many.format(places))
