"""The wording that a language must define, so that a package can be written in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from apps.privacy.requests.wordings.contract import OneOrMany


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """A category of what is held, with the information that Article 15 requires. For documents the firm adds more."""

    title: str
    about: str
    purpose: str = ""
    legal_basis: str = ""
    source: str = ""
    retention: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipients:
    """Who else gets to see some of the data, and which. columns: headings by the keys of a recipient's entry."""

    columns: Mapping[str, str]
    readers: str
    readers_get: str
    auditors: str
    auditors_get: str
    officers: str
    officers_get: str
    embeddings: str
    embeddings_get: str
    answers: str
    answers_get: str
    mail: str
    mail_which: str
    mail_gets: str
    unconfigured: str
    inside: str
    nothing_leaves: str
    roles: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Keeping:
    """How long something is kept. periods: of years and months, as in "7 years"; after: as in "after 7 years".

    grounds: translations of the platform's legal grounds; a ground that the firm wrote is not translated.
    events: labels by action; None where the registered English labels are used. columns: headings of the events' table.
    """

    periods: tuple[OneOrMany, OneOrMany]
    after: tuple[OneOrMany, OneOrMany]
    columns: Mapping[str, str]
    events: Mapping[str, str] | None
    of_part: str
    kept: str
    gone: str
    no_rule: str
    grounds: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the platform suggests to say about a firm's documents, for a person to read and change."""

    purposes: str
    source: str
    at_least: str
    between: str
    as_needed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageWording:
    """The wording of a package in one language: the words of its page, and the sentences that its JSON also holds.

    opening, named, moment, of_document, part_of_event, event_of, page, readme: format strings.
    article_15: by its key in the JSON, the heading on the page and the text.
    places: where a place is in its text, by the place's part; stores, kinds, statuses: by their codes.
    """

    language: str
    title: str
    opening: str
    law: str
    nothing_held: str
    named: str
    places_counted: OneOrMany
    things_counted: OneOrMany
    looked_for: str
    names: str
    numbers: str
    recipients_heading: str
    kinds_heading: str
    article_heading: str
    searched_heading: str
    purpose: str
    legal_basis: str
    source: str
    retention: str
    none: str
    not_quoted: str
    end: str
    yes: str
    no: str
    moment: str
    page: str
    places: Mapping[str, str]
    of_document: str
    kinds: Mapping[str, str]
    statuses: Mapping[str, str]
    account: str
    part_of_event: str
    event_of: str
    stores: Mapping[str, str]
    documents: Chapter
    log: Chapter
    others: Chapter
    article_15: Mapping[str, tuple[str, str]]
    recipients: Recipients
    keeping: Keeping
    told: Told
    readme: str
