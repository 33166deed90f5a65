"""A leaf of the log with its event, as reading.py reads them, and the checks whether they are what was recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from apps.audit.canonical import NotCanonicalError, commitment, event_header, leaf_hash
from apps.audit.fast_leaves import IS_COMMITMENT, fast_leaf_hash
from apps.audit.registry import ACTOR_LABEL, Group
from apps.audit.terms import terms_of

# Actions whose core says which groups are removed. The offline verifier and the database's functions name them, too.
EMPTIED: Final = "audit.log.emptied"
AUTHORISING: Final = ("audit.payload.erased", EMPTIED)


@dataclass(frozen=True, slots=True)
class Opened:
    """A group that decrypts. Whether it matches its commitment is not checked yet."""

    salt: bytes = field(repr=False)
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Damaged:
    words: str


@dataclass(slots=True)
class Entry:
    """A leaf with its event.

    is_sealed: whether the leaf matches the event's current columns. header: None if the event is missing.
    commitments: the stored value, whatever its form; known: the part that has the form of commitments.
    groups: the groups that are present, with None for one that was not opened.
    scopes: of groups whose scopes differ from their event's. terms: of groups that were opened.
    """

    index: int
    leaf: bytes
    event_id: UUID
    action: str = ""
    is_sealed: bool = False
    columns: dict[str, Any] | None = None
    commitments: Any = None
    known: dict[str, str] = field(default_factory=dict)
    label: str = ""
    groups: dict[str, Opened | Damaged | None] = field(default_factory=dict)
    scopes: dict[str, list[str]] = field(default_factory=dict)
    terms: dict[str, list[str]] = field(default_factory=dict)

    @property
    def is_there(self) -> bool:
        return self.columns is not None

    @property
    def moment(self) -> datetime:
        """Return when the event was recorded according to its header, to the second."""
        return moment_of(None if self.columns is None else self.columns["seconds"])

    @property
    def header(self) -> dict[str, Any] | None:
        return None if self.columns is None else _header(self.columns)

    def problem(self, group: str) -> str:
        """Return why an opened group is not what was recorded, or an empty text if it is."""
        found = self.groups[group]
        if isinstance(found, Damaged):
            return found.words
        if found is None:
            return ""
        if commitment(salt=found.salt, group=group, content=found.content).hex() != self.known.get(group):
            return "it does not open its commitment"
        if group == Group.ACTOR and self.values(group).get(ACTOR_LABEL) != self.label:
            return "the name beside the event is not the one that was recorded"
        return ""

    @property
    def scope_ids(self) -> list[UUID]:
        """Return the event's current scopes."""
        return list(self.columns["scope_ids"]) if self.columns else []

    def has_its_terms(self, group: str) -> bool:
        """Return whether the stored terms of a group follow from its content.

        The group must be opened and have no problem.
        """
        try:
            told = terms_of(group, self.values(group))
        except (KeyError, TypeError, AttributeError):
            told = []
        return sorted(self.terms.get(group, ())) == told

    def note_scopes(self, group: str, scope_ids: Iterable[UUID]) -> None:
        if sorted(scope_ids) != sorted(self.scope_ids):
            self.scopes[group] = sorted(str(each) for each in scope_ids)

    def values(self, group: str) -> dict[str, Any]:
        """Return the fields of a group that matches its commitment."""
        found = self.groups[group]
        values = json.loads(found.content) if isinstance(found, Opened) else {}
        return values if isinstance(values, dict) else {}


def moment_of(seconds: int | None) -> datetime:
    """Return the time of these seconds. None stands for a time that no header can hold, and so fits no leaf."""
    return datetime.min.replace(tzinfo=UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _header(columns: dict[str, Any]) -> dict[str, Any]:
    others = {name: value for name, value in columns.items() if name != "seconds"}
    return event_header(**others, occurred_at=moment_of(columns["seconds"]))


def is_sealed(leaf: bytes, columns: dict[str, Any], commitments: dict[str, str]) -> bool:
    if columns["seconds"] is None:
        return False
    try:
        if fast_leaf_hash(**columns, commitments=commitments) == leaf:
            return True
        # This rarely runs: canonical.py decides.
        return leaf_hash(_header(columns), commitments) == leaf
    except (NotCanonicalError, UnicodeEncodeError):
        return False


def is_commitment(value: Any) -> bool:
    return isinstance(value, str) and IS_COMMITMENT(value) is not None
