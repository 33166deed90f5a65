"""After a restore: what was erased since the backup is removed again, and shown to be gone; then the database is open.

By roles in turn (acting.py), tenant by tenant:

1. Each log says that it was put back, and what of it is lost (log/epochs.py). What waits is sealed.
2. Every store removes what the tombstones name, in parts, as the eraser, whom repeating.py lets at it, each part with
   the event that says so; parts of events are authorised anew in the log, as what authorised them first is not in it
   any more, sealed, and removed by audit_erase as ever.
3. Every store is asked. What a run that had ended removed must count zero; else nothing is opened.
4. The database marks that it has all tombstones, and the place outside that it may be served.

Killed anywhere, it is begun again and passes over what is done; what is said of it is said once (noting.py). What a
legal hold of the restored database keeps, stays: whatever is held is restricted, so that nobody is shown it, and it is
named. A hold is no reason to keep the database closed, and one that was released meanwhile is released again by a
person. What else stands in the way of a removal does not count here: a request that was open at the time of the backup
may be the one carried out since.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.backup.acting import ERASER, OWNER, WORKER, acting_as
from apps.audit.backup.errors import ReplayIncompleteError
from apps.audit.backup.gate import database_state, forget, judged
from apps.audit.backup.noting import note_done, note_removed, note_restore, restore_id_of
from apps.audit.backup.repeating import is_anything_left, repeated
from apps.audit.erasing import ERASED, MOST_REMOVALS, Removal, RemovalReason, payload_erase
from apps.audit.erasure.contracts import Target, TargetType
from apps.audit.erasure.registry import kept, stores, types_of
from apps.audit.keys.data_keys import cache
from apps.audit.log.sequencer import seal_tenant
from apps.audit.models import Event, Leaf, Payload
from apps.audit.registry import Group
from apps.audit.terms import REMOVAL
from apps.audit.tombstones.chain import tombstones
from apps.audit.tombstones.place import tombstone_place
from apps.audit.tombstones.record import Kind, Tombstone
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants

_REASON: Final = "repeat what was removed before the restore"
_HOLD: Final = "hold:"
_PAYLOADS: Final = "audit.payloads"
_BATCH: Final = 1_000
_MOST_TURNS: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """What the tombstones say of one tenant. strict: of the targets, those of runs that had come to their end."""

    targets: Mapping[Target, str]
    strict: frozenset[Target]


@dataclass(slots=True, kw_only=True)
class TenantReplay:
    """removed: by store, now. kept: by a hold. stayed: by store, what can't be removed, of runs that never ended."""

    tenant_id: TenantId
    restore_id: UUID
    targets: int = 0
    removed: Counter[str] = field(default_factory=Counter)
    kept: int = 0
    stayed: dict[str, int] = field(default_factory=dict)
    lost_leaves: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """through: the number of the last tombstone. was_closed: whether the database could not be served before."""

    through: int
    was_closed: bool
    tenants: tuple[TenantReplay, ...]


def replay(*, database: str = "", backup_id: UUID | None = None) -> Replay:
    """Repeat every removal that the tombstones tell of, show that it is done, and open the database.

    Args:   database: on the configured server; the configured one by default.
            backup_id: what was put back, for the log; None where nobody knows.
    Raises: TombstonesDamagedError, TombstonesUnavailableError: nothing was removed; CheckpointExportError;
            ReplayIncompleteError: something is there still. The database stays closed.
    """
    place = tombstone_place()
    known = list(tombstones(place))
    through = known[-1].number if known else 0
    work = _work(known)
    with acting_as(WORKER, database=database):
        state = database_state()
        was_closed = bool(judged(state, place))
        restore_id = restore_id_of(state.identity, through)
        done = [TenantReplay(tenant_id=TenantId(tenant.id), restore_id=restore_id) for tenant in all_tenants()]
        for each in done:
            # This process may remember keys of the database whose place this one takes.
            cache.forget(each.tenant_id)
            with open_scope(tenant=each.tenant_id, reason=_REASON):
                each.lost_leaves = note_restore(restore_id, place=place, was_closed=was_closed, backup_id=backup_id)
            seal_tenant(each.tenant_id, waits=True)
    for each in done:
        todo = work.get(each.tenant_id)
        if todo is not None:
            _repeat(each, todo, database)
    with acting_as(WORKER, database=database):
        for each in done:
            _end(each, through)
        place.serve(state.identity)
    forget()
    return Replay(through=through, was_closed=was_closed, tenants=tuple(done))


def _work(known: Iterable[Tombstone]) -> dict[TenantId, _Work]:
    going: dict[tuple[TenantId, UUID], dict[Target, str]] = defaultdict(dict)
    has_ended: dict[tuple[TenantId, UUID], bool] = {}
    for each in known:
        run = (each.tenant_id, each.run_id)
        has_ended[run] = each.kind is Kind.ENDED
        for target in each.targets:
            if each.kind is Kind.BEGUN:
                going[run][target] = each.reason_code
            else:
                # It stayed after all, such as under a hold: what was not removed is not removed now.
                going[run].pop(target, None)
    found: dict[TenantId, _Work] = {}
    for tenant_id in {tenant_id for tenant_id, _ in going}:
        own = {run: targets for run, targets in going.items() if run[0] == tenant_id}
        found[tenant_id] = _Work(
            targets={target: reason for targets in own.values() for target, reason in targets.items()},
            strict=frozenset(target for run, targets in own.items() if has_ended[run] for target in targets),
        )
    return found


def _repeat(done: TenantReplay, todo: _Work, database: str) -> None:
    with acting_as(WORKER, database=database), open_scope(tenant=done.tenant_id, reason=_REASON):
        held = {target for target, ground in kept(sorted(todo.targets)).items() if ground.startswith(_HOLD)}
    targets = sorted(todo.targets.keys() - held)
    done.targets, done.kept = len(targets), len(held & todo.targets.keys())
    parts = [target for target in targets if target.type is TargetType.EVENT_GROUP]
    whole = [target for target in targets if target.type is not TargetType.EVENT_GROUP]
    if is_anything_left(done.tenant_id, whole, database=database, reason=_REASON):
        with repeated(done.tenant_id, whole, database=database, reason=_REASON):
            _remove(done, whole, database)
    with acting_as(WORKER, database=database):
        authorised = _authorise(done.tenant_id, parts, todo.targets)
    with acting_as(ERASER, database=database):
        _erase(done, authorised)
    with acting_as(OWNER, database=database):
        _judge(done, targets, todo.strict)


def _remove(done: TenantReplay, targets: Sequence[Target], database: str) -> None:
    for _ in range(_MOST_TURNS):
        with acting_as(ERASER, database=database):
            removed = _clear(done, targets)
        # A tenant's log goes once the event that says so is sealed.
        with acting_as(WORKER, database=database):
            if not (seal_tenant(done.tenant_id, waits=True) or removed):
                break


def _clear(done: TenantReplay, targets: Sequence[Target]) -> int:
    """Returns: how many items were removed, of all stores."""
    before = done.removed.total()
    types = {target.type for target in targets}
    for store in stores():
        # One that does not say what it may hold something of is asked.
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
    """Name the parts of events that came back in the log, and have that sealed. Returns: each with its event."""
    there: list[Target] = []
    for some in _parts(parts, _BATCH):
        with open_scope(tenant=tenant_id, reason=_REASON):
            ids = {target.id for target in some}
            rows = set(Payload.objects.filter(event_id__in=ids).values_list("event_id", "group"))
            sealed = set(Leaf.objects.filter(event_id__in=ids).values_list("event_id", flat=True))
        there += [target for target in some if (target.id, target.part) in rows and target.id in sealed]
    named = _named(tenant_id, there)
    by_reason: dict[str, list[Target]] = defaultdict(list)
    for target in there:
        if target not in named:
            by_reason[reasons[target]].append(target)
    for reason, waiting in by_reason.items():
        for some in _parts(waiting, MOST_REMOVALS):
            removals = [Removal(event_id=target.id, group=Group(target.part)) for target in some]
            with open_scope(tenant=tenant_id, reason=_REASON):
                event = payload_erase(removals=removals, reason_code=RemovalReason(reason))
            named |= dict.fromkeys(some, event.id)
    seal_tenant(tenant_id, waits=True)
    return named


def _named(tenant_id: TenantId, parts: Sequence[Target]) -> dict[Target, UUID]:
    """Of the parts, those that an event of the log authorises already: a replay that broke off wrote it."""
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
    """Raises: ReplayIncompleteError."""
    must_be_gone = [target for target in targets if target in strict]
    with open_scope(tenant=done.tenant_id, reason=_REASON):
        left = {store.key: store.count(must_be_gone) for store in stores()}
        left[_PAYLOADS] = sum(_is_there(target) for target in must_be_gone)
        left = {key: count for key, count in left.items() if count}
        if left:
            raise ReplayIncompleteError(tenant=done.tenant_id, stores=", ".join(sorted(left)))
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
