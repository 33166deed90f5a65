"""Let the eraser remove again what no run of a restored database names: the owner of the tables names it.

The eraser changes only what an executing run covers or what authz.repeated_removal lists, and authorises in the log
only the removal of that (apps/tenants/sql/authz.sql). Only the owner writes to that table, with the platform's own
scope token of the tenant; the password of the eraser or of a serving role does not suffice. The table is in no backup,
and its rows are deleted when the tenant's removals are repeated. Rows that a killed process left there are renewed by
the next one, or expire after a day.
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

# Rows that a killed process left: what they name may be under a hold by now, and a row must last as long as this replay
# takes.
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
# The name that audit_record looks for (apps/audit/sql/recording.sql).
_RESTORE: Final = "restore"
_END: Final = "DELETE FROM authz.repeated_removal WHERE tenant_id = %s"


@contextmanager
def repeat_removal(
    tenant_id: TenantId, targets: Sequence[Target], *, database: str, reason: str, restore_id: UUID | None = None
) -> Iterator[None]:
    """Let the eraser remove these targets of the tenant until the block ends. No transaction may be open.

    Args: targets: parts of events also need a sealed event, which the eraser can write only for these targets.
          database: see acting_as.
          restore_id: the restore for which the eraser may record removals.
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
    """Return whether a store holds any of these targets of the tenant. If none does, nothing needs to be named.

    In that case the rows that a killed process left are deleted, too. So a replay writes nothing if there is nothing to
    do, and one that is killed repeatedly gets further each time. Costs: one or a few queries for each store.
    """
    with as_owner(tenant_id, database, reason) as cursor:
        if targets and any(store.count(targets) for store in stores()):
            return True
        cursor.execute(_END, [tenant_id])
        return False


@contextmanager
def as_owner(tenant_id: TenantId, database: str, reason: str) -> Iterator[CursorWrapper]:
    """Open one transaction as the owner, with the platform's scope of the tenant."""
    with (
        acting_as(OWNER, database=database),
        open_scope(tenant=tenant_id, reason=reason),
        connection.cursor() as cursor,
    ):
        yield cursor
