"""Scopes and tenants that are erased take in nothing more, from the approval on: nothing can come between.

What came into them between the proposal and the approval joins the frozen targets in the approval's own transaction
(came_since), so that it is looked for, buried by a tombstone and refused when it comes again like everything else.
Whoever takes something in for a scope waits for an approval that goes on, and looks once more (require_open): what was
committed before is found by the approval, what comes after is refused.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final
from uuid import UUID

from django.db import connection

from apps.erasure.contracts import WHOLE, Origin, Target, TargetType
from apps.erasure.errors import ScopeClosedError
from apps.erasure.models import RemovalRun, RemovalTarget
from apps.erasure.runs.expansion import expanded
from apps.erasure.runs.in_flight import keep_records_out, keep_removals_waiting
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope

_REASON: Final = "what came into a scope since its erasure was proposed"
_AT_ONCE: Final = 5_000
# Of a tenant that is erased, every scope. A scope that was made below one that is erased is closed with it.
_CLOSED: Final = """
    WITH RECURSIVE named AS (
        SELECT t.type, t.item_id FROM audit_removaltarget t
          JOIN audit_removalrun r ON r.tenant_id = t.tenant_id AND r.id = t.run_id
         WHERE t.tenant_id = %(tenant)s AND t.type IN ('scope', 'tenant')
           AND r.origin = 'request' AND r.state NOT IN ('proposed', 'rejected')
    ), closed (id) AS (
        SELECT item_id FROM named WHERE type = 'scope'
        UNION
        SELECT s.id FROM tenants_scope s JOIN closed c ON s.parent_id = c.id WHERE s.tenant_id = %(tenant)s
    )
    SELECT asked.id FROM unnest(%(asked)s::uuid[]) AS asked (id)
     WHERE asked.id IN (SELECT id FROM closed) OR EXISTS (SELECT FROM named WHERE type = 'tenant')
"""


def closed_among(scope_ids: Collection[ScopeId]) -> frozenset[ScopeId]:
    """Of these scopes of the open tenant, those whose erasure, or whose tenant's, somebody has approved. One query."""
    if not scope_ids:
        return frozenset()
    with connection.cursor() as cursor:
        cursor.execute(_CLOSED, {"tenant": current_scope().tenant_id, "asked": list(scope_ids)})
        return frozenset(ScopeId(row[0]) for row in cursor.fetchall())


def require_open(scope_ids: Collection[ScopeId]) -> None:
    """Before something is written for these scopes, in the transaction that writes it.

    No erasure is approved, and none begins, until that transaction ends. Raises: ScopeClosedError. Costs: two queries.
    """
    keep_removals_waiting()
    if closed_among(scope_ids):
        raise ScopeClosedError


def no_scope_below_a_closed_one(parent: Scope) -> None:
    """See provisioning.on_scope_create. Raises: ScopeClosedError."""
    require_open([ScopeId(parent.id)])


def came_since(run: RemovalRun) -> tuple[Target, ...]:
    """What lies in the scopes and the tenant of a run for a request by now, and is none of its targets yet.

    Over all scopes, whoever asks: ids alone. Nothing for a run that names neither. Costs: as expanded.
    """
    known = {
        Target(type=TargetType(type), id=id, part=part)
        for type, id, part in RemovalTarget.objects.filter(run=run).values_list("type", "item_id", "part")
    }
    wholes = sorted(target for target in known if target.type in WHOLE)
    if run.origin != Origin.REQUEST or not wholes:
        return ()
    with open_scope(tenant=TenantId(run.tenant_id), reason=_REASON):
        return tuple(target for target in expanded(wholes) if target not in known)


def join_what_came(run: RemovalRun) -> tuple[Target, ...]:
    """Add it to the targets, in the transaction that approves the run; whoever takes something in waits meanwhile.

    The database adds it to a proposal alone (removal_targets.sql). Returns: what joined.
    """
    wholes: Iterable[UUID] = RemovalTarget.objects.filter(run=run, type__in=WHOLE).values_list("id", flat=True)[:1]
    if run.origin != Origin.REQUEST or not list(wholes):
        return ()
    keep_records_out()
    new = came_since(run)
    with open_scope(tenant=TenantId(run.tenant_id), reason=_REASON):
        RemovalTarget.objects.bulk_create(
            (
                RemovalTarget(tenant_id=run.tenant_id, run=run, type=target.type, item_id=target.id, part=target.part)
                for target in new
            ),
            batch_size=_AT_ONCE,
        )
    return new
