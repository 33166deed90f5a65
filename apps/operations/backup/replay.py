"""After a restore, remove again what was erased since the backup, prove that it is gone, and open the database.

The steps run under several roles in turn (acting.py), tenant by tenant:

1. Each log records that it was restored, and how much of it is lost (log/epochs.py). Waiting events are sealed.
2. What came back is counted, search patterns (needles) are made of it and sealed, and it is recorded (restorations.py).
3. Every store removes what the tombstones name, in batches, as the eraser, with the rights that repeating.py gives it,
   each batch with the event that records it. Parts of events are authorised again in the log, since the events that
   first authorised them are lost; the new events are sealed, and audit_erase removes the parts as usual.
4. Every store is asked. Everything that a finished run removed must count zero, or the database is not opened.
5. The database marks that it has all tombstones, the log states what is gone again, and the place outside records that
   the database may be served. Then the tables are rewritten, so that the disk keeps nothing of what was removed, and
   the server's files are searched (erasure/proof/after_restore.py).

A replay that is killed anywhere is started again and skips what is done; each record is made once (noting.py). What a
legal hold of the restored database keeps, stays: everything held is restricted, so that nobody is shown it, and it is
named. A hold is no reason to keep the database closed, and a hold that was released after the backup must be released
again by a person. Other obstacles to a removal do not count here: a request that was open at the time of the backup may
be the one that was carried out since.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.keys.data_keys import cache
from apps.audit.log.sequencer import seal_tenant
from apps.audit.log.tombstone_place import tombstone_place
from apps.audit.models import Event, Leaf, Payload
from apps.audit.registry import Group
from apps.audit.terms import REMOVAL
from apps.erasure.contracts import Target, TargetType
from apps.erasure.log_removal import ERASED, MOST_REMOVALS, Removal, RemovalReason, payload_erase
from apps.erasure.registry import stores, types_of
from apps.erasure.residue.access import Access
from apps.erasure.tombstones.chain import tombstones
from apps.erasure.tombstones.gate import database_state, forget, judged
from apps.operations.backup.acting import ERASER, OWNER, WORKER, acting_as
from apps.operations.backup.errors import BackupError
from apps.operations.backup.noting import note_done, note_removed, note_restore, restore_id_of
from apps.operations.backup.repeating import is_anything_left, repeat_removal
from apps.operations.backup.restorations import Backup, restorations_end, restorations_open
from apps.operations.backup.returned import Returned, returned_of, work_of
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants

_REASON: Final = "repeat what was removed before the restore"
_PAYLOADS: Final = "audit.payloads"
_BATCH: Final = 1_000
_MOST_TURNS: Final = 5
_UNKNOWN: Final = Backup()


@dataclass(slots=True, kw_only=True)
class TenantReplay:
    """The replay of one tenant.

    removed: by store, in this replay. kept: how many targets a hold keeps. stayed: by store, what can't be removed and
    belongs to runs that never ended.
    """

    tenant_id: TenantId
    restore_id: UUID
    targets: int = 0
    removed: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    stayed: dict[str, int] = field(default_factory=dict)
    lost_leaves: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A replay. through: the number of the last tombstone. was_closed: whether the database was closed before."""

    through: int
    was_closed: bool
    tenants: tuple[TenantReplay, ...]


def replay(*, database: str = "", backup: Backup = _UNKNOWN, access: Access | None = None) -> Replay:
    """Repeat every removal that the tombstones list, prove that it is done, and open the database.

    Args:   database: on the configured server; the configured one by default.
            backup: the backup that was restored, for the log.
            access: the server administrator's access to that database; None: nobody can prove that what came back is
            gone.
    Raises: TombstonesDamagedError, TombstonesUnavailableError: nothing was removed; CheckpointExportError;
            BackupError: something is still there. The database stays closed.
    """
    place = tombstone_place()
    known = list(tombstones(place))
    through = known[-1].number if known else 0
    work = work_of(known)
    with acting_as(WORKER, database=database):
        state = database_state()
        was_closed = bool(judged(state, place))
        restore_id = restore_id_of(state.identity, through)
        done = [TenantReplay(tenant_id=TenantId(tenant.id), restore_id=restore_id) for tenant in all_tenants()]
    for each in done:
        # This process may have cached keys of the database that the restored one replaces.
        cache.forget(each.tenant_id)
        # Only the owner records a restore; no role of a running process can.
        with acting_as(OWNER, database=database), open_scope(tenant=each.tenant_id, reason=_REASON):
            each.lost_leaves = note_restore(restore_id, place=place, was_closed=was_closed, backup_id=backup.id)
        with acting_as(WORKER, database=database):
            seal_tenant(each.tenant_id, waits=True)
    back = [
        returned_of(each.tenant_id, work[each.tenant_id], database=database) for each in done if each.tenant_id in work
    ]
    restorations_open(
        back,
        restore_id=restore_id,
        through=through,
        backup=backup,
        was_closed=was_closed,
        access=access,
        database=database,
    )
    returned = {each.tenant_id: each for each in back}
    for each in done:
        if each.tenant_id in returned:
            _repeat(each, returned[each.tenant_id], database)
    with acting_as(OWNER, database=database):
        for each in done:
            _end(each, through)
    # The worker records the end of the removal. If it is killed before, everything is replayed again.
    with acting_as(WORKER, database=database):
        for each in done:
            with open_scope(tenant=each.tenant_id, reason=_REASON):
                restorations_end()
    place.serve(state.identity)
    forget()
    return Replay(through=through, was_closed=was_closed, tenants=tuple(done))


def _repeat(done: TenantReplay, back: Returned, database: str) -> None:
    todo = back.work.targets
    targets = sorted(todo.keys() - back.held)
    done.targets, done.kept = len(targets), len(back.held & todo.keys())
    parts = [target for target in targets if target.type is TargetType.EVENT_GROUP]
    whole = [target for target in targets if target.type is not TargetType.EVENT_GROUP]
    if is_anything_left(done.tenant_id, targets, database=database, reason=_REASON):
        with repeat_removal(done.tenant_id, targets, database=database, reason=_REASON, restore_id=done.restore_id):
            if whole:
                _remove(done, whole, database)
            with acting_as(ERASER, database=database):
                authorised = _authorise(done.tenant_id, parts, todo)
            with acting_as(WORKER, database=database):
                seal_tenant(done.tenant_id, waits=True)
            with acting_as(ERASER, database=database):
                _erase(done, authorised)
    with acting_as(OWNER, database=database):
        _judge(done, targets, back.work.strict)


def _remove(done: TenantReplay, targets: Sequence[Target], database: str) -> None:
    for _ in range(_MOST_TURNS):
        with acting_as(ERASER, database=database):
            removed = _clear(done, targets)
        # A tenant's log is removed only after the event that records this is sealed.
        with acting_as(WORKER, database=database):
            if not (seal_tenant(done.tenant_id, waits=True) or removed):
                break


def _clear(done: TenantReplay, targets: Sequence[Target]) -> int:
    """Remove the targets from all stores. Returns: how many items were removed."""
    before = done.removed.total()
    types = {target.type for target in targets}
    for store in stores():
        # A store that does not name the types that it may hold is asked.
        if types_of(store) and not types_of(store) & types:
            continue
        removed = 1
        while removed:
            with open_scope(tenant=done.tenant_id, reason=_REASON):
                removed = store.clear(targets, limit=_BATCH)
                _note_removed(done, store.key, removed)
            done.removed[store.key] += removed
    return done.removed.total() - before


def _note_removed(done: TenantReplay, store: str, removed: int) -> None:
    if removed:
        note_removed(done.restore_id, store=store, removed=removed)


def _authorise(tenant_id: TenantId, parts: Sequence[Target], reasons: Mapping[Target, str]) -> dict[Target, UUID]:
    """Authorise the removal of the returned parts of events in the log. Returns: each part with its event, yet to be
    sealed.
    """
    there: list[Target] = []
    for some in _parts(parts, _BATCH):
        with open_scope(tenant=tenant_id, reason=_REASON):
            ids = {target.id for target in some}
            rows = set(Payload.objects.filter(event_id__in=ids).values_list("event_id", "group"))
            sealed = set(Leaf.objects.filter(event_id__in=ids).values_list("event_id", flat=True))
        there += [target for target in some if (target.id, target.part) in rows and target.id in sealed]
    named = _find_authorised(tenant_id, there)
    by_reason: dict[str, list[Target]] = defaultdict(list)
    for target in there:
        if target not in named:
            by_reason[reasons[target]].append(target)
    for reason, waiting in by_reason.items():
        for some in _parts(waiting, MOST_REMOVALS):
            removals = [Removal(event_id=target.id, group=target.part) for target in some]
            with open_scope(tenant=tenant_id, reason=_REASON):
                event = payload_erase(removals=removals, reason_code=RemovalReason(reason))
            named |= dict.fromkeys(some, event.id)
    return named


def _find_authorised(tenant_id: TenantId, parts: Sequence[Target]) -> dict[Target, UUID]:
    """Return those parts that an event of the log authorises already, because an interrupted replay wrote it."""
    found: dict[Target, UUID] = {}
    for some in _parts(parts, _BATCH):
        by_term = {f"{REMOVAL}:{target.id}:{target.part}": target for target in some}
        with open_scope(tenant=tenant_id, reason=_REASON):
            rows = dict(
                Payload.objects.filter(group=Group.CORE, terms__overlap=list(by_term)).values_list("event_id", "terms")
            )
            authorising = Event.objects.filter(id__in=rows, action=ERASED).values_list("id", flat=True)
            for event_id in authorising:
                found |= {by_term[term]: event_id for term in rows[event_id] if term in by_term}
    return found


def _erase(done: TenantReplay, authorised: Mapping[Target, UUID]) -> None:
    for some in _parts(sorted(authorised), _BATCH):
        removed = 0
        with open_scope(tenant=done.tenant_id, reason=_REASON), connection.cursor() as cursor:
            for target in some:
                cursor.execute("SELECT audit_erase(%s, %s, %s)", [target.id, target.part, authorised[target]])
                removed += bool(cursor.fetchone()[0])
            _note_removed(done, _PAYLOADS, removed)
        done.removed[_PAYLOADS] += removed


def _judge(done: TenantReplay, targets: Sequence[Target], strict: frozenset[Target]) -> None:
    """Check that everything of finished runs is gone, and count what stayed of others. Raises: BackupError."""
    must_be_gone = [target for target in targets if target in strict]
    with open_scope(tenant=done.tenant_id, reason=_REASON):
        left = {store.key: store.count(must_be_gone) for store in stores()}
        left[_PAYLOADS] = sum(_is_there(target) for target in must_be_gone)
        left = {key: count for key, count in left.items() if count}
        if left:
            raise BackupError("audit.replay_incomplete", tenant=done.tenant_id, stores=", ".join(sorted(left)))
        others = [target for target in targets if target not in strict]
        done.stayed = {store.key: count for store in stores() if others and (count := store.count(others))}


def _parts(items: Sequence[Target], size: int) -> Iterator[Sequence[Target]]:
    for start in range(0, len(items), size):
        yield items[start : start + size]


def _is_there(target: Target) -> bool:
    if target.type is not TargetType.EVENT_GROUP:
        return False
    return Payload.objects.filter(event_id=target.id, group=target.part).exists()


def _end(done: TenantReplay, through: int) -> None:
    with open_scope(tenant=done.tenant_id, reason=_REASON):
        note_done(
            done.restore_id,
            through=through,
            removed=done.removed,
            targets=done.targets,
            kept=done.kept,
            stayed=done.stayed,
        )
