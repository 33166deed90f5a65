"""The sequencer: gives the events that wait their places in the tenant's log. One at a time, as glassbox_worker.

A batch is one transaction: the leaves, the roots of the subtrees that they complete, and the rows by which the events
waited. Killed before its commit, nothing of it is there and the same events wait; after it, they do not wait any more.
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
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_identity, open_scope, tenant_scope_ids
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal, system_principal
from apps.tenants.sweeping import Sweep, each_tenant
from apps.tenants.tally import counted
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.audit")

# Four of the smallest subtrees: a transaction costs a dozen ways to the database and back, however much is in it.
# With 256, one sealer fell behind 32 writers on two cores.
BATCH: Final = 1_024
# Batches of one tenant before the next one has its turn: a fraction of a second.
TURN: Final = 4
_REASON: Final = "seal the log"

_SEAL: Final = """
    WITH sealed AS (
        INSERT INTO audit_leaf (tenant_id, event_id, index, hash)
        SELECT %(tenant)s, leaf.event_id, leaf.index, leaf.hash
          FROM unnest(%(events)s::uuid[], %(indices)s::bigint[], %(hashes)s::bytea[]) AS leaf (event_id, index, hash)
    )
    DELETE FROM audit_unsealed WHERE tenant_id = %(tenant)s AND event_id = ANY (%(events)s::uuid[])
"""
_Leaf = tuple[UUID, bytes]
# One way to the database: what waits longest, whether it has its leaf already, and what its leaf is made of. One look
# into each index an event (LATERAL, kept apart by OFFSET 0), whatever the planner knows of a table that is filling.
_NEXT: Final = f"""
    SELECT waiting.event_id,
           EXISTS (SELECT FROM audit_leaf l WHERE l.tenant_id = %(tenant)s AND l.event_id = waiting.event_id),
           event.*
      FROM (SELECT event_id FROM audit_unsealed WHERE tenant_id = %(tenant)s AND event_id > %(after)s
             ORDER BY event_id LIMIT %(most)s) AS waiting
      LEFT JOIN LATERAL (
          SELECT {COLUMNS} FROM audit_event e WHERE e.tenant_id = %(tenant)s AND e.id = waiting.event_id OFFSET 0
      ) AS event ON true
     ORDER BY waiting.event_id
"""  # noqa: S608
# One step from tenant to tenant, however many events of each wait.
_WAITING: Final = """
    WITH RECURSIVE waiting (tenant_id) AS (
        (SELECT tenant_id FROM audit_unsealed ORDER BY tenant_id LIMIT 1)
        UNION ALL
        SELECT (SELECT u.tenant_id FROM audit_unsealed u WHERE u.tenant_id > w.tenant_id
                 ORDER BY u.tenant_id LIMIT 1)
          FROM waiting w WHERE w.tenant_id IS NOT NULL
    )
    SELECT tenant_id FROM waiting WHERE tenant_id IS NOT NULL
"""


def tenants_that_wait() -> tuple[TenantId, ...]:
    """Tenants with events that have no leaf. Costs: one query, whatever waits."""
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(_WAITING)
        return tuple(TenantId(row[0]) for row in cursor.fetchall())


def seal_all_waiting() -> int:
    """Seal what waits in every tenant, by turns: a long queue of one keeps the others waiting for one turn at most.

    Returns: how many events. A tenant whose log can't be sealed is logged and tried again the next time; no other waits
    for it.
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
    """Seal what waits in one tenant's log, batch by batch. Returns: how many events.

    It stops at once where another sequencer is at it, unless it waits for that one: what had to be sealed is, then,
    by one of them. A process that was killed is one as well, until the server has noticed.

    Args: batches: at most so many; None for all.
    """
    sealed = done = 0
    # Read once a turn: an event of a scope that is made meanwhile has its turn in a second.
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
    """One batch in a transaction of its own. Returns: how many; None where another sequencer has the lock.

    It is read after the lock is held, so what the last holder committed is seen.
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
    """Until the end of the transaction."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [advisory_key("seal", tenant_id)])
        return bool(cursor.fetchone()[0])


def _await_other(principal: Principal) -> None:
    """Until whoever has the lock is done with the batch."""
    with (
        open_scope(tenant=principal.tenant_id, principal=principal, reason=_REASON),
        connection.cursor() as cursor,
    ):
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("seal", principal.tenant_id)])


def _next_leaves(tenant_id: TenantId) -> list[_Leaf]:
    """The events that have waited longest with their leaves, by their ids, which ascend with the time.

    An event may wait and not be visible, when its scope was made after the sequencer had read which scopes there are,
    or when somebody took the event away: the others do not wait for it.
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
    """Take events off the queue that have a leaf already.

    Nothing of the application queues an event twice; whoever can write to the queue could, and a second leaf for one
    event, which the database refuses, would keep all the others waiting for ever.
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
    """Subtrees whose last leaf is among the new ones, the lowest level first. The new leaves are stored already."""
    made: list[Subtree] = []
    level, new_from, new = 1, after, list[bytes]()
    while (first := before // ARITY**level) < (last := after // ARITY**level):
        # Above the leaves, what was made this moment is not stored yet: it follows what is.
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
