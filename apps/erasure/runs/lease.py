"""Who carries out a run: one process at a time, known by its lease, and found out when it dies."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from apps.erasure.contracts import Proof, RunState
from apps.erasure.errors import RunLeaseLostError
from apps.erasure.models import RemovalRun
from apps.erasure.runs.runs import tell
from apps.tenants.context import open_identity, open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import is_past
from apps.tenants.tokens import Identity

REASON: Final = "carry out a removal"
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    owner: str
    tenant_id: TenantId
    run_id: UUID
    policy: EnginePolicy


def claim(*, tenant_id: TenantId, run_id: UUID, policy: EnginePolicy) -> Lease | None:
    """Take a run that is due, or whose process died; None where there is nothing to take."""
    with open_scope(tenant=tenant_id, reason=REASON):
        now = timezone.now()
        due = RemovalRun.objects.select_for_update(skip_locked=True, no_key=True).filter(_due(now), id=run_id)
        run: RemovalRun | None = due.first()
        if run is None:
            return None
        was_executing = run.state == RunState.EXECUTING
        if run.state == RunState.APPROVED:
            run.attempts = 0
        elif run.lease_owner:
            # Whoever had it did not come to its end.
            run.attempts += 1
        run.state = RunState.EXECUTING
        run.lease_owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex}"
        run.lease_until = now + timedelta(seconds=policy.lease_seconds)
        run.next_attempt_at, run.error_code = None, ""
        run.started_at = run.started_at or now
        run.save(
            update_fields=[
                "state",
                "attempts",
                "lease_owner",
                "lease_until",
                "next_attempt_at",
                "error_code",
                "started_at",
            ]
        )
        if not was_executing:
            tell(run)
        return Lease(owner=run.lease_owner, tenant_id=tenant_id, run_id=run.id, policy=policy)


@contextmanager
def holding(lease: Lease) -> Iterator[RemovalRun]:
    """One transaction of the run, in all of the tenant's scopes: the lease is ours until it commits, and prolonged.

    Raises: RunLeaseLostError: another process has it; nothing was written.
    """
    with open_scope(tenant=lease.tenant_id, reason=REASON):
        held = RemovalRun.objects.filter(id=lease.run_id, lease_owner=lease.owner, state=RunState.EXECUTING)
        if not held.update(lease_until=timezone.now() + timedelta(seconds=lease.policy.lease_seconds)):
            raise RunLeaseLostError(run=lease.run_id)
        yield held.get()


def tenants_with_due_runs() -> tuple[TenantId, ...]:
    """Costs: one query, whatever is due."""
    with open_identity(Identity(all_tenants=True)):
        found = RemovalRun.objects.filter(_due(timezone.now()) | _TO_END).order_by("tenant_id").distinct()
        return tuple(TenantId(each) for each in found.values_list("tenant_id", flat=True))


def due_runs(tenant_id: TenantId) -> tuple[UUID, ...]:
    """Those that were approved first, first."""
    with open_scope(tenant=tenant_id, reason=REASON):
        return tuple(
            RemovalRun.objects.filter(_due(timezone.now()) | _TO_END)
            .order_by("approved_at", "id")
            .values_list("id", flat=True)
        )


def _due(now: datetime) -> Q:
    is_time = Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now)
    # Nothing goes before it is known what will be looked for afterwards, and that looking finds it.
    is_prepared = Q(proof=Proof.COUNTS) | Q(prepared_at__isnull=False) | Q(unproven_agreed_by__isnull=False)
    return (
        Q(state=RunState.APPROVED) & is_time & is_prepared
        | Q(state=RunState.FAILED) & is_past("next_attempt_at", now)
        | Q(state=RunState.EXECUTING) & is_time & (Q(lease_until__isnull=True) | is_past("lease_until", now))
    )
