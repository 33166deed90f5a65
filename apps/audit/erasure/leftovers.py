"""What the log authorises and still holds, whoever authorised it: removed by the clock."""

from __future__ import annotations

import logging
from typing import Final

from apps.audit.erasure.contracts import RunState
from apps.audit.erasure.log_store import authorised_and_there, erase_named
from apps.audit.models import RemovalTarget
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import all_tenants

logger = logging.getLogger("glassbox.audit")

_REASON: Final = "remove what the log authorises"
_BATCH: Final = 1_000
_UNDER_WAY: Final = (RunState.APPROVED, RunState.EXECUTING, RunState.VERIFYING, RunState.FAILED)


def remove_leftovers_all() -> int:
    """As glassbox_eraser. Returns: how many parts of events. One tenant's trouble keeps no other waiting."""
    removed = 0
    for tenant in all_tenants():
        try:
            removed += remove_leftovers(TenantId(tenant.id))
        except Exception as error:  # noqa: BLE001 - the next run tries again
            # Not its message: a database's may quote a row.
            logger.error("removals of tenant %s were not executed: %s", tenant.id, type(error).__name__)  # noqa: TRY400
    return removed


def remove_leftovers(tenant_id: TenantId) -> int:
    """Remove, in one tenant, what sealed events name and nothing keeps. A transaction for each of these events."""
    with open_scope(tenant=tenant_id, reason=_REASON):
        authorising = set(authorised_and_there())
        # A run counts what it removes itself.
        of_runs = RemovalTarget.objects.filter(authorised_by__in=authorising, run__state__in=_UNDER_WAY)
        authorising -= set(of_runs.values_list("authorised_by", flat=True))
    removed = 0
    for event_id in sorted(authorising):
        with open_scope(tenant=tenant_id, reason=_REASON):
            removed += erase_named(event_id, limit=_BATCH)
    return removed
