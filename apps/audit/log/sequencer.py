"""The sequencer gives waiting events their places in the tenant's log. One runs at a time, as glassbox_worker.

Each batch is one transaction, which writes the leaves and the roots of the subtrees that they complete, and deletes the
events' rows in the queue. If the process is killed before the commit, nothing is written and the same events still
wait; after the commit, they no longer wait.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from functools import partial
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.log.leaves import COLUMNS, leaf_of_row
from apps.audit.log.storage import ARITY, stored_size
from apps.audit.log.tree import root_of
from apps.audit.models import Leaf, Subtree, Unsealed
from apps.sql_files import read_statements
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_identity, open_scope, tenant_scope_ids
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal, system_principal
from apps.tenants.sweeping import Sweep, each_tenant
from apps.tenants.tally import counted
from apps.tenants.tokens import Identity

_SQL: Final = read_statements(__file__)
logger = logging.getLogger("glassbox.audit")

# Four of the smallest subtrees. A transaction costs a dozen round trips to the database, whatever its size. With 256,
# one sealer fell behind 32 writers on two cores.
BATCH: Final = 1_024
# How many batches of one tenant are sealed before it is the next tenant's turn: a fraction of a second.
TURN: Final = 4
_REASON: Final = "seal the log"

_SEAL: Final = _SQL["seal"]
_Leaf = tuple[UUID, bytes]
_NEXT: Final = _SQL["next"].format(columns=COLUMNS)
_WAITING: Final = _SQL["waiting"]


def tenants_that_wait() -> tuple[TenantId, ...]:
    """Return the tenants with events that have no leaf. Costs: one query, however many events wait."""
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(_WAITING)
        return tuple(TenantId(row[0]) for row in cursor.fetchall())


def seal_all_waiting() -> int:
    """Seal the waiting events of every tenant in turns, so that one long queue delays the others by one turn at most.

    Returns: how many events were sealed. A tenant whose log can't be sealed is logged and tried again at the next run,
             and does not delay the other tenants.
    """
    sealed, is_more = 0, True
    while is_more:
        counts: dict[TenantId, int] = {}
        sealed += each_tenant(partial(_turn, counts), doing=Sweep.SEAL, tenants=tenants_that_wait())
        if any(counts.values()):
            counted("sealed", by=sum(counts.values()))
        is_more = any(count >= TURN * BATCH for count in counts.values())
    return sealed


def seal_tenant(tenant_id: TenantId, *, batches: int | None = None, waits: bool = False) -> int:
    """Seal the waiting events of one tenant's log, batch by batch. Returns: how many events were sealed.

    If another sequencer holds the lock, return at once, or with `waits` wait for it. With `waits`, every event that was
    waiting is sealed on return, by one of the two. A process that was killed counts as holding the lock until the
    server has noticed.

    Args: batches: the most batches to seal; None for all.
    """
    sealed = done = 0
    # Read the scopes once per turn: an event of a scope that is made in the meantime is sealed in a later turn, in a
    # second.
    principal = system_principal(tenant_id=tenant_id, scope_ids=tenant_scope_ids(tenant_id), label=f"system: {_REASON}")
    while batches is None or done < batches:
        count = _seal_batch(principal)
        if count is None and waits:
            _await_other(principal)
            continue
        sealed, done = sealed + (count or 0), done + 1
        if count is None or count < BATCH:
            break
    return sealed


def _turn(counts: dict[TenantId, int], tenant_id: TenantId) -> int:
    counts[tenant_id] = seal_tenant(tenant_id, batches=TURN)
    return counts[tenant_id]


def _seal_batch(principal: Principal) -> int | None:
    """Seal one batch in a separate transaction. Returns: how many events; None if another sequencer has the lock.

    The events are read after the lock is held, so the commits of its last holder are visible.
    """
    tenant_id = principal.tenant_id
    with open_scope(tenant=tenant_id, principal=principal, reason=_REASON):
        if not _locked(tenant_id):
            return None
        leaves = _next_leaves(tenant_id)
        if leaves:
            _append(tenant_id, leaves)
        return len(leaves)


def _locked(tenant_id: TenantId) -> bool:
    """Try to take the sealing lock until the end of the transaction. Returns: whether this transaction holds it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [advisory_key("seal", tenant_id)])
        return bool(cursor.fetchone()[0])


def _await_other(principal: Principal) -> None:
    """Wait until the holder of the lock has finished its batch."""
    with (
        open_scope(tenant=principal.tenant_id, principal=principal, reason=_REASON),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("seal", principal.tenant_id)])


def _next_leaves(tenant_id: TenantId) -> list[_Leaf]:
    """Return the events that have waited longest with their leaves, ordered by id, which ascends with the time.

    A waiting event may be invisible, because its scope was made after the sequencer read the scopes, or because
    somebody removed the event. The other events do not wait for it.
    """
    after = UUID(int=0)
    while True:
        with connection.cursor() as cursor:
            cursor.execute(_NEXT, {"tenant": tenant_id, "after": after, "most": BATCH})
            rows = cursor.fetchall()
        _let_off([row[0] for row in rows if row[1]])
        leaves = [(row[0], leaf_of_row(tenant_id, row[2:])) for row in rows if not row[1] and row[2] is not None]
        if leaves or not rows:
            return leaves
        after = rows[-1][0]


def _let_off(sealed: Sequence[UUID]) -> None:
    """Remove events from the queue that have a leaf already.

    The application never queues an event twice, but an attacker who can write to the queue could. The database refuses
    a second leaf for one event, so such a row would make all other events wait for ever.
    """
    if sealed:
        logger.warning("%d events were queued that have their leaves already", len(sealed))
        Unsealed.objects.filter(event_id__in=sealed).delete()


def _append(tenant_id: TenantId, leaves: Sequence[_Leaf]) -> None:
    size = stored_size()
    with connection.cursor() as cursor:
        cursor.execute(
            _SEAL,
            {
                "tenant": tenant_id,
                "events": [event_id for event_id, _ in leaves],
                "indices": list(range(size, size + len(leaves))),
                "hashes": [hash for _, hash in leaves],
            },
        )
    Subtree.objects.bulk_create(_completed(tenant_id, size, size + len(leaves)))


def _completed(tenant_id: TenantId, before: int, after: int) -> list[Subtree]:
    """Return the subtrees that the new leaves complete, lowest level first. The new leaves must be stored already."""
    made: list[Subtree] = []
    level, new_from, new = 1, after, list[bytes]()
    while (first := before // ARITY**level) < (last := after // ARITY**level):
        # Above the leaves, the new nodes are not stored yet: they follow the stored ones.
        below = _hashes(level - 1, first * ARITY, min(new_from, last * ARITY)) + new
        roots = [root_of(below[start : start + ARITY]) for start in range(0, (last - first) * ARITY, ARITY)]
        made += [
            Subtree(tenant_id=tenant_id, level=level, index=first + place, hash=root)
            for place, root in enumerate(roots)
        ]
        level, new_from, new = level + 1, first, roots
    return made


def _hashes(level: int, start: int, end: int) -> list[bytes]:
    nodes = Subtree.objects.filter(level=level) if level else Leaf.objects.all()
    within = nodes.filter(index__gte=start, index__lt=end).order_by("index")
    return [bytes(hash) for hash in within.values_list("hash", flat=True)]
