"""Close the scopes and tenants of an erasure to new content, from its approval on.

What came into them between the proposal and the approval joins the frozen targets in the transaction of the approval
(came_since). It is then searched for, covered by a tombstone and refused when it comes again, like every other target.
A transaction that writes something for a scope waits for an approval in progress and then checks again (require_open).
So the approval finds what was committed before it, and what comes after it is refused.
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
from apps.sql_files import read_statements
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope

_SQL: Final = read_statements(__file__)
_REASON: Final = "what was added to a scope since its erasure was proposed"
_AT_ONCE: Final = 5_000
_CLOSED: Final = _SQL["closed"]


def closed_among(scope_ids: Collection[ScopeId]) -> frozenset[ScopeId]:
    """Return those of the scopes whose erasure, or whose tenant's erasure, was approved. Costs: one query."""
    if not scope_ids:
        return frozenset()
    with connection.cursor() as cursor:
        cursor.execute(_CLOSED, {"tenant": current_scope().tenant_id, "asked": list(scope_ids)})
        return frozenset(ScopeId(row[0]) for row in cursor.fetchall())


def require_open(scope_ids: Collection[ScopeId]) -> None:
    """Require that the scopes are open. Call this before writing for them, in the transaction that writes.

    No erasure is approved or begun until that transaction ends. Raises: ScopeClosedError. Costs: two queries.
    """
    keep_removals_waiting()
    if closed_among(scope_ids):
        raise ScopeClosedError


def no_scope_below_a_closed_one(parent: Scope) -> None:
    """Refuse a new scope below a closed one; see registry.register_before_scope. Raises: ScopeClosedError."""
    require_open([ScopeId(parent.id)])


def came_since(run: RemovalRun) -> tuple[Target, ...]:
    """Return what the scopes and the tenant of a run for a request contain now and is not among its targets yet.

    It looks at all scopes, whatever scopes the caller has open, and returns only ids. For a run that names no scope and
    no tenant it returns nothing. Costs: as expanded.
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
    """Add what came since the proposal to the targets, in the approving transaction. Other writers wait meanwhile.

    The database accepts these targets only while the run is a proposal (removal_targets.sql). Returns: what was added.
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
