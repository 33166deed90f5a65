"""Read the log from the database leaf by leaf, in batches and never as a whole, to verify or copy it."""

from __future__ import annotations

import gc
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from django.db import connection, transaction

from apps.audit.keys.data_keys import data_keys
from apps.audit.log.leaves import SECONDS
from apps.audit.registry import Group
from apps.audit.sealing import SealBinding, SealBrokenError, unsealed
from apps.audit.verify.entries import AUTHORISING, Damaged, Entry, Opened, is_commitment, is_sealed, moment_of
from apps.sql_files import read_statements
from apps.tenants.context import current_scope, open_scope, renew_scope
from apps.tenants.ids import TenantId
from apps.tenants.principals import PrincipalKind

_SQL: Final = read_statements(__file__)
BATCH: Final = 2_000
# The garbage collector searches for cycles after this many more allocations than deallocations. A batch of rows makes
# fewer, and releases all of them.
_EVERY: Final = 200_000

_COLUMNS: Final = f"""
    l.index, l.hash, l.event_id, e.id, e.action, e.outcome, {SECONDS}, e.actor_kind, e.actor_id, e.subject_type,
    e.subject_id, e.scope_ids, e.commitments, e.actor_label
"""
# Every condition names the tenant, so that indexes are used from their first column.
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
_GROUPS: Final = _SQL["groups"]
_PRESENT: Final = """
    SELECT l.event_id, p.field_group, p.scope_ids
      FROM audit_leaf l JOIN audit_payload p ON p.tenant_id = l.tenant_id AND p.event_id = l.event_id
     WHERE l.tenant_id = %s AND l.index BETWEEN %s AND %s
"""
_WAITING: Final = _SQL["waiting"].format(seconds=SECONDS)


@contextmanager
def snapshot(tenant: TenantId, reason: str) -> Iterator[None]:
    """Open all of the tenant's scopes on one state of the database, whatever is written in the meantime.

    In a transaction that is already open, this is that transaction's view.
    """
    was_open = connection.in_atomic_block
    with transaction.atomic():
        if not was_open:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        with open_scope(tenant=tenant, reason=reason):
            yield


@contextmanager
def few_collections() -> Iterator[None]:
    """Search for cycles rarely, and not among earlier objects: the search took a third of the time of a verification.

    Objects without cycles are freed as usual. This applies to the whole process until the block ends.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_EVERY, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


class LogReader:
    """Reads the log of the open scope's tenant.

    Args: contents: open all groups, not only those that authorise removals.
    """

    def __init__(self, *, contents: bool) -> None:
        self._tenant = current_scope().tenant_id
        self._contents = contents
        self._keys: dict[UUID, bytes | None] = {}

    def entries(self, first: int) -> Iterator[Entry]:
        """Yield the entries from the leaf `first` on, by index."""
        yield from self._read(_LEAVES, [self._tenant, first])

    def page(self, first: int, before: int) -> Iterator[Entry]:
        """Yield the entries from the leaf `first` up to, but excluding, `before`."""
        yield from self._read(_PAGE, [self._tenant, first, before])

    def authorising(self) -> Iterator[Entry]:
        """Yield the sealed events whose core may authorise removals, in no particular order."""
        yield from self._read(_AUTHORISING, [self._tenant, list(AUTHORISING)])

    def hashes(self, before: int) -> Iterator[bytes]:
        for rows in _batches(_HASHES, [self._tenant, before]):
            for (hash,) in rows:
                yield bytes(hash)

    def waiting(self) -> Iterator[tuple[UUID, datetime, bool]]:
        """Yield the events without a leaf: id, time, and whether the event is in the queue for one."""
        for rows in _batches(_WAITING, [self._tenant]):
            for event_id, seconds, waits in rows:
                yield event_id, moment_of(seconds), waits

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
        known = {group: each for group, each in stored.items() if is_commitment(each)} if type(stored) is dict else {}
        fits = known == stored and is_sealed(bytes(leaf), columns, known)
        return Entry(index, bytes(leaf), found, action, fits, columns, stored, known, label)

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
            # No event can authorise this: a key is destroyed only when nothing is sealed by it any more
            # (audit_destroy_keys).
            return Damaged(f"its data key {key_id} was destroyed")
        key = self._keys[key_id]
        if key is None:
            return Damaged(f"its data key {key_id} does not unwrap")
        try:
            place = SealBinding(tenant_id=self._tenant, event_id=event_id, group=group)
            return Opened(*unsealed(bytes(ciphertext), place=place, key=key))
        except SealBrokenError as error:
            return Damaged(str(error))


def _batches(statement: str, parameters: list[Any]) -> Iterator[list[Any]]:
    """Yield rows in batches on one snapshot, and so in one scope. A large log takes longer than a token is valid.

    A person's scope is not renewed: what is read for a person is read in parts, each in a separate scope (package.py).
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
