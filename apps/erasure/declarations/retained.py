"""What can be retained and purged, as higher rooms register it, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Protocol
from uuid import UUID

from apps.erasure.contracts import Target

# What the keys of event classes begin with.
EVENT: Final = "event:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """What one rule asks for: everything of a subject whose period began before an instant.

    parts: of events, the field groups; else empty. includes_current: of documents, whether the current version, too.
    """

    subject: str
    clock: str
    before: datetime
    parts: frozenset[str] = frozenset()
    includes_current: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """count: targets; oldest, newest: when their periods began; None where there are none."""

    count: int = 0
    oldest: datetime | None = None
    newest: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class ItemPosition:
    """Where a walk through an aim's items stands. Items come by the start of their period, then by id."""

    at: datetime
    id: UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One thing that is due, with all that is to be removed of it."""

    place: ItemPosition
    targets: tuple[Target, ...]


class RetentionSource(Protocol):
    """Where the items of subjects lie. All of it within the open scope: what that does not show is not counted."""

    def tally(self, aim: Aim) -> Tally: ...

    def batch(self, aim: Aim, *, after: ItemPosition | None, limit: int) -> Sequence[Item]:
        """The next items after a place, at most so many; fewer only at the end."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RetainedSubject:
    """One kind of thing that a rule can be about.

    key: stable, `family:name`, such as `document:run`; rules, purges and events name it.
    family: the heading under which it stands.
    clocks: what a period can be counted from -> in words that follow "counted from".
    minimum_months: no rule may keep it for less.
    keep_months, clock, legal_basis: what the shipped baseline says.
    groups: parts that can have a rule of their own -> their names; of events alone.
    has_versions: whether there is such a thing as its current version.
    page: the admin page of one item, such as `corpus_document_change`.
    """

    key: str
    label: str
    family: str
    source: RetentionSource
    clocks: Mapping[str, str]
    clock: str
    legal_basis: str
    keep_months: int
    page: str
    minimum_months: int = 0
    groups: Mapping[str, str] = field(default_factory=dict)
    has_versions: bool = False
