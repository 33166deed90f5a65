"""What the log authorises and still holds, whoever authorised it: removed by the clock."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalTarget
from apps.erasure.stores.log_store import authorised_and_there, erase_named
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import Sweep, each_by_itself, each_tenant

_REASON: Final = "remove what the log authorises"
_BATCH: Final = 1_000
_UNDER_WAY: Final = (RunState.APPROVED, RunState.EXECUTING, RunState.VERIFYING, RunState.FAILED)


def remove_leftovers_all() -> int:
    """As glassbox_eraser. Returns: how many parts of events. One tenant's trouble keeps no other waiting."""
    return each_tenant(remove_leftovers, doing=Sweep.LEFTOVERS)


def remove_leftovers(tenant_id: TenantId) -> int:
    """Remove, in one tenant, what sealed events name and nothing keeps. A transaction for each of these events."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        authorising = set(authorised_and_there())
        # A run counts what it removes itself.
        of_runs = RemovalTarget.objects.filter(authorised_by__in=authorising, run__state__in=_UNDER_WAY)
        authorising -= set(of_runs.values_list("authorised_by", flat=True))
    return each_by_itself(
        sorted(authorising), lambda id: _erase(tenant_id, id), doing="remove what an event authorises"
    )


def _erase(tenant_id: TenantId, event_id: UUID) -> int:
    with open_scope(tenant=tenant_id, reason=_REASON):
        return erase_named(event_id, limit=_BATCH)
