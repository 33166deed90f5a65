"""The log as the database holds it, leaf by leaf, for whoever judges or copies it: in batches, and never as a whole."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.canonical import NotCanonicalError, commitment, event_header, leaf_hash
from apps.audit.fast_leaves import IS_COMMITMENT, fast_leaf_hash
from apps.audit.keys.data_keys import data_keys
from apps.audit.log.leaves import SECONDS
from apps.audit.registry import ACTOR_LABEL, Group
from apps.audit.sealing import Place, SealBrokenError, unsealed
from apps.audit.terms import terms_of
from apps.tenants.context import current_scope, open_scope, renew_scope
from apps.tenants.ids import TenantId
from apps.tenants.principals import PrincipalKind

# Actions whose core says which groups are removed; the offline verifier and the database's functions name them, too.
EMPTIED: Final = "audit.log.emptied"
AUTHORISING: Final = ("audit.payload.erased", EMPTIED)
BATCH: Final = 2_000

_COLUMNS: Final = f"""
    l.index, l.hash, l.event_id, e.id, e.action, e.outcome, {SECONDS}, e.actor_kind, e.actor_id, e.subject_type,
    e.subject_id, e.scope_ids, e.commitments, e.actor_label
"""
# The tenant stands in every condition, so that indexes are used from their first column on.
_LEAVES: Final = f"""
    SELECT {_COLUMNS} FROM audit_leaf l LEFT JOIN audit_event e ON e.tenant_id = l.tenant_id AND e.id = l.event_id
     WHERE l.tenant_id = %s AND l.index >= %s ORDER BY l.index
"""  # noqa: S608
_PAGE: Final = f"""
    SELECT {_COLUMNS} FROM audit_leaf l LEFT JOIN audit_event e ON e.tenant_id = l.tenant_id AND e.id = l.event_id
     WHERE l.tenant_id = %s AND l.index >= %s AND l.index < %s ORDER BY l.index
"""  # noqa: S608
_AUTHORISING: Final = f"""
    SELECT {_COLUMNS} FROM audit_event e JOIN audit_leaf l ON l.tenant_id = e.tenant_id AND l.event_id = e.id
     WHERE e.tenant_id = %s AND e.action = ANY (%s)
"""  # noqa: S608
_HASHES: Final = "SELECT hash FROM audit_leaf WHERE tenant_id = %s AND index < %s ORDER BY index"
# One look into the index an event: a list of ids would be looked for among all of the tenant's rows, batch after batch.
_GROUPS: Final = """
    SELECT p.event_id, p.field_group, p.data_key_id, p.ciphertext, p.scope_ids, p.terms
      FROM unnest(%s::uuid[]) AS wanted (id)
     CROSS JOIN LATERAL (
           SELECT event_id, field_group, data_key_id, ciphertext, scope_ids, terms
             FROM audit_payload WHERE tenant_id = %s AND event_id = wanted.id OFFSET 0) AS p
"""
_PRESENT: Final = """
    SELECT l.event_id, p.field_group, p.scope_ids
      FROM audit_leaf l JOIN audit_payload p ON p.tenant_id = l.tenant_id AND p.event_id = l.event_id
     WHERE l.tenant_id = %s AND l.index BETWEEN %s AND %s
"""
_WAITING: Final = f"""
    SELECT e.id, {SECONDS}, EXISTS (SELECT FROM audit_unsealed u WHERE u.tenant_id = e.tenant_id
                                           AND u.event_id = e.id)
      FROM audit_event e
     WHERE e.tenant_id = %s AND NOT EXISTS (SELECT FROM audit_leaf l WHERE l.tenant_id = e.tenant_id
                                               AND l.event_id = e.id)
     ORDER BY e.id
"""  # noqa: S608


@dataclass(frozen=True, slots=True)
class Opened:
    """A group that decrypts; whether it opens its commitment is another question."""

    salt: bytes = field(repr=False)
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Damaged:
    words: str


@dataclass(slots=True)
class Entry:
    """A leaf with its event.

    is_sealed: whether the leaf is the event's as it stands. header: None where the event is gone.
    commitments: as they stand, whatever that is; known: those that are some.
    groups: those that are there; None: not opened.
    scopes: of groups that lie in other scopes than their event. terms: of groups that were opened.
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
        """When the event was recorded, as its leaf tells it: to the second."""
        return _moment(None if self.columns is None else self.columns["seconds"])

    @property
    def header(self) -> dict[str, Any] | None:
        return None if self.columns is None else _header(self.columns)

    def problem(self, group: str) -> str:
        """Why a group that was opened is not what was recorded; empty where it is."""
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
        """As they stand."""
        return list(self.columns["scope_ids"]) if self.columns else []

    def has_its_terms(self, group: str) -> bool:
        """Whether what a group is searched by is what it says; of one that was opened and has no problem."""
        try:
            told = terms_of(group, self.values(group))
        except (KeyError, TypeError, AttributeError):
            told = []
        return sorted(self.terms.get(group, ())) == told

    def note_scopes(self, group: str, scope_ids: Iterable[UUID]) -> None:
        if sorted(scope_ids) != sorted(self.scope_ids):
            self.scopes[group] = sorted(str(each) for each in scope_ids)

    def values(self, group: str) -> dict[str, Any]:
        """What a group says that opens its commitment."""
        found = self.groups[group]
        values = json.loads(found.content) if isinstance(found, Opened) else {}
        return values if isinstance(values, dict) else {}


def _moment(seconds: int | None) -> datetime:
    """None: a time that no header can have, and so one that no leaf will fit."""
    return datetime.min.replace(tzinfo=UTC) if seconds is None else datetime.fromtimestamp(seconds, UTC)


def _header(columns: dict[str, Any]) -> dict[str, Any]:
    others = {name: value for name, value in columns.items() if name != "seconds"}
    return event_header(**others, occurred_at=_moment(columns["seconds"]))


def _is_sealed(leaf: bytes, columns: dict[str, Any], commitments: dict[str, str]) -> bool:
    if columns["seconds"] is None:
        return False
    try:
        if fast_leaf_hash(**columns, commitments=commitments) == leaf:
            return True
        # Hardly ever: canonical.py has the last word.
        return leaf_hash(_header(columns), commitments) == leaf
    except (NotCanonicalError, UnicodeEncodeError):
        return False


def _is_commitment(value: Any) -> bool:
    return isinstance(value, str) and IS_COMMITMENT(value) is not None


@contextmanager
def snapshot(tenant: TenantId, reason: str) -> Iterator[None]:
    """Open all of the tenant's scopes on one state of the database, whatever is written meanwhile.

    In a transaction that is open already, it is that transaction's view.
    """
    was_open = connection.in_atomic_block
    with transaction.atomic():
        if not was_open:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with open_scope(tenant=tenant, reason=reason):
            yield


class LogReader:
    """The log of the open scope's tenant. Args: contents: open all groups, not only those that authorise removals."""

    def __init__(self, *, contents: bool) -> None:
        self._tenant = current_scope().tenant_id
        self._contents = contents
        self._keys: dict[UUID, bytes | None] = {}

    def entries(self, first: int) -> Iterator[Entry]:
        """From the leaf `first` on, by index."""
        yield from self._read(_LEAVES, [self._tenant, first])

    def page(self, first: int, before: int) -> Iterator[Entry]:
        """From the leaf `first` on, up to and without `before`."""
        yield from self._read(_PAGE, [self._tenant, first, before])

    def authorising(self) -> Iterator[Entry]:
        """The sealed events whose core may authorise removals, in no order."""
        yield from self._read(_AUTHORISING, [self._tenant, list(AUTHORISING)])

    def hashes(self, before: int) -> Iterator[bytes]:
        for rows in _batches(_HASHES, [self._tenant, before]):
            for (hash,) in rows:
                yield bytes(hash)

    def waiting(self) -> Iterator[tuple[UUID, datetime, bool]]:
        """Events without a leaf: id, when, and whether they wait for one."""
        for rows in _batches(_WAITING, [self._tenant]):
            for event_id, seconds, waits in rows:
                yield event_id, _moment(seconds), waits

    def _read(self, statement: str, parameters: list[Any]) -> Iterator[Entry]:
        for rows in _batches(statement, parameters):
            entries = [self._entry(*row) for row in rows]
            self._add_groups(entries)
            yield from entries

    def _entry(
        self,
        index: int,
        leaf: bytes,
        event_id: UUID,
        found: UUID | None,
        action: str,
        outcome: str,
        seconds: int | None,
        actor_kind: str,
        actor_id: UUID | None,
        subject_type: str,
        subject_id: UUID | None,
        scope_ids: list[UUID],
        commitments: str,
        label: str,
    ) -> Entry:
        if found is None:
            return Entry(index, bytes(leaf), event_id)
        columns = {
            "tenant_id": self._tenant,
            "event_id": found,
            "action": action,
            "outcome": outcome,
            "seconds": seconds,
            "actor_kind": actor_kind,
            "actor_id": actor_id,
            "subject_type": subject_type,
            "subject_id": subject_id,
            "scope_ids": scope_ids,
        }
        stored = json.loads(commitments)
        known = {group: each for group, each in stored.items() if _is_commitment(each)} if type(stored) is dict else {}
        is_sealed = known == stored and _is_sealed(bytes(leaf), columns, known)
        return Entry(index, bytes(leaf), found, action, is_sealed, columns, stored, known, label)

    def _add_groups(self, entries: Sequence[Entry]) -> None:
        by_id = {entry.event_id: entry for entry in entries if entry.is_there}
        opened = [id for id, entry in by_id.items() if self._contents or entry.action in AUTHORISING]
        if len(opened) < len(by_id):
            self._add_present(by_id, entries[0].index, entries[-1].index)
        with connection.cursor() as cursor:
            cursor.execute(_GROUPS, [opened, self._tenant])
            rows = cursor.fetchall()
        unknown = {row[2] for row in rows} - self._keys.keys()
        self._keys |= data_keys(self._tenant, unknown) if unknown else {}
        for event_id, group, key_id, ciphertext, scope_ids, terms in rows:
            entry, is_opened = by_id[event_id], self._contents or group == Group.CORE
            entry.groups[group] = self._opened(event_id, group, key_id, ciphertext) if is_opened else None
            entry.note_scopes(group, scope_ids)
            if is_opened:
                entry.terms[group] = terms

    def _add_present(self, by_id: Mapping[UUID, Entry], first: int, last: int) -> None:
        with connection.cursor() as cursor:
            cursor.execute(_PRESENT, [self._tenant, first, last])
            for event_id, group, scope_ids in cursor.fetchall():
                if event_id in by_id:
                    by_id[event_id].groups[group] = None
                    by_id[event_id].note_scopes(group, scope_ids)

    def _opened(self, event_id: UUID, group: str, key_id: UUID, ciphertext: bytes) -> Opened | Damaged:
        if key_id not in self._keys:
            # Nothing authorises that: a key goes when nothing is sealed by it any more (audit_destroy_keys).
            return Damaged(f"its data key {key_id} was destroyed")
        key = self._keys[key_id]
        if key is None:
            return Damaged(f"its data key {key_id} does not unwrap")
        try:
            place = Place(tenant_id=self._tenant, event_id=event_id, group=group)
            return Opened(*unsealed(bytes(ciphertext), place=place, key=key))
        except SealBrokenError as error:
            return Damaged(str(error))


def _batches(statement: str, parameters: list[Any]) -> Iterator[list[Any]]:
    """On one snapshot, and so in one scope: a large log takes longer than a token is good for.

    A person's scope is not renewed: what is read for one is read in parts, each in a scope of its own (package.py).
    """
    renew = renew_scope if current_scope().principal.kind is PrincipalKind.SYSTEM else None
    if renew:
        renew()
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement, parameters)
        while rows := cursor.fetchmany(BATCH):
            yield rows
            if renew:
                renew()
