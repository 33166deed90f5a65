"""What lets the eraser remove again what no run of a restored database names: it is said by the owner of the tables.

The eraser changes nothing, and authorises in the log the removal of nothing, but what an executing run covers, or what
stands in authz.repeated_removal (apps/tenants/sql/authz.sql). There the owner alone writes, with the platform's own
scope token of the tenant: who has the password of the eraser, or of a role that serves, can't. It is in no backup, and
taken away when the tenant's removals are repeated; what a process that was killed left there is said again, or ends a
day later by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.backends.utils import CursorWrapper

from apps.erasure.contracts import Target
from apps.erasure.registry import stores
from apps.operations.backup.acting import OWNER, acting_as
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId

# Left by a process that was killed: what it named may be held by now, and must last as long as this one takes.
_STALE: Final = """
    DELETE FROM authz.repeated_removal
     WHERE tenant_id = %s
       AND (until < now() + interval '12 hours'
            OR (type, item_id) NOT IN (SELECT type, id FROM unnest(%s::text[], %s::uuid[]) AS named (type, id)))
"""
_SAY: Final = """
    INSERT INTO authz.repeated_removal (tenant_id, type, item_id)
    SELECT %s, named.type, named.id FROM unnest(%s::text[], %s::uuid[]) AS named (type, id)
    ON CONFLICT DO NOTHING
"""
# As audit_record asks for it (apps/audit/sql/recording.sql).
_RESTORE: Final = "restore"
_END: Final = "DELETE FROM authz.repeated_removal WHERE tenant_id = %s"


@contextmanager
def repeated(
    tenant_id: TenantId, targets: Sequence[Target], *, database: str, reason: str, restore_id: UUID | None = None
) -> Iterator[None]:
    """The eraser may remove these targets of the tenant, until the block ends. Without an open transaction.

    Args: targets: parts of events still take a sealed event, which the eraser writes of these alone.
          database: see acting_as.
          restore_id: which restore the eraser may say that it removes for.
    """
    types = [f"{target.type}:{target.part}" if target.part else str(target.type) for target in targets]
    ids = [target.id for target in targets]
    if restore_id is not None:
        types, ids = [*types, _RESTORE], [*ids, restore_id]
    with as_owner(tenant_id, database, reason) as cursor:
        cursor.execute(_STALE, [tenant_id, types, ids])
        cursor.execute(_SAY, [tenant_id, types, ids])
    try:
        yield
    finally:
        with as_owner(tenant_id, database, reason) as cursor:
            cursor.execute(_END, [tenant_id])


def is_anything_left(tenant_id: TenantId, targets: Sequence[Target], *, database: str, reason: str) -> bool:
    """Whether a store holds something of these targets of the tenant: nothing needs to be said where none does.

    Then what a process that was killed left there is taken away, too. So a replay writes nothing where there is nothing
    to do, and one that is killed over and over gets further each time. Costs: a query or a few for each store.
    """
    with as_owner(tenant_id, database, reason) as cursor:
        if targets and any(store.count(targets) for store in stores()):
            return True
        cursor.execute(_END, [tenant_id])
        return False


@contextmanager
def as_owner(tenant_id: TenantId, database: str, reason: str) -> Iterator[CursorWrapper]:
    """One transaction of the owner's, with the platform's scope of the tenant."""
    with (
        acting_as(OWNER, database=database),
        open_scope(tenant=tenant_id, reason=reason),
        connection.cursor() as cursor,
    ):
        yield cursor
