"""Who carries out a run: one process at a time, known by its lease, and found out when it dies."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from apps.erasure.contracts import RunState
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import tell
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import Lease, begin, lock_free
from apps.tenants.tokens import Identity

REASON: Final = RemovalRun.reason
# Every store has counted zero, and nobody looks at the disk any more: apps/erasure/runs/unproven.py.
_TO_END: Final = Q(state=RunState.VERIFYING, unproven_agreed_by__isnull=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EnginePolicy:
    """How the eraser goes about it.

    batch: about how many items go in one transaction. turn_seconds: after which other runs have their turn.
    most_waits: how often in a row a run is looked at without anything having moved, before it counts as failed.
    """

    lease_seconds: float = 120.0
    batch: int = 1_000
    turn_seconds: float = 60.0
    wait_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    most_waits: int = 20
    retry_seconds: float = 60.0
    longest_retry_seconds: float = 3_600.0

    def wait(self, attempts: int) -> timedelta:
        return timedelta(seconds=min(self.longest_wait_seconds, self.wait_seconds * 2.0 ** min(attempts, 20)))

    def retry(self, attempts: int) -> timedelta:
        return timedelta(seconds=min(self.longest_retry_seconds, self.retry_seconds * 2.0 ** min(attempts, 20)))


def claim(*, tenant_id: TenantId, run_id: UUID, policy: EnginePolicy) -> Lease[RemovalRun] | None:
    """Take a run that is due, or whose process died; None where there is nothing to take."""
    with open_scope(tenant=tenant_id, reason=REASON):
        run = lock_free(RemovalRun, run_id)
        if run is None:
            return None
        was_executing = run.state == RunState.EXECUTING
        attempts = run.attempts
        if run.state == RunState.APPROVED:
            attempts = 0
        elif run.lease_owner:
            # Whoever had it did not come to its end.
            attempts += 1
        started_at = run.started_at or timezone.now()
        lease = begin(run, lease_s=policy.lease_seconds, attempts=attempts, error_code="", started_at=started_at)
        if not was_executing:
            tell(run)
        return lease


def tenants_with_due_runs() -> tuple[TenantId, ...]:
    """Costs: one query, whatever is due."""
    with open_identity(Identity(all_tenants=True)):
        found = RemovalRun.objects.filter(RemovalRun.free(timezone.now()) | _TO_END).order_by("tenant_id").distinct()
        return tuple(TenantId(each) for each in found.values_list("tenant_id", flat=True))


def due_runs(tenant_id: TenantId) -> tuple[UUID, ...]:
    """Those that were approved first, first."""
    with open_scope(tenant=tenant_id, reason=REASON):
        return tuple(
            RemovalRun.objects.filter(RemovalRun.free(timezone.now()) | _TO_END)
            .order_by("approved_at", "id")
            .values_list("id", flat=True)
        )
