"""Who verifies: one worker at a time, known by its lease. What it finds is kept only while the lease is its own."""

from __future__ import annotations

import os
import socket
import uuid
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import F, Q
from django.utils import timezone

from apps.audit.models import Verification, VerificationState
from apps.audit.verify.errors import VerificationLeaseLostError
from apps.tenants.beside import beside
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.sweeping import is_past

REASON = "verify the log"


@dataclass(frozen=True, slots=True, kw_only=True)
class VerificationPolicy:
    """How patient the runner is. lease_s must outlast the longest single query of a verification."""

    lease_s: float = 300.0
    told_every_s: float = 2.0
    max_attempts: int = 3
    retry_after_s: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    owner: str
    verification_id: UUID
    tenant_id: TenantId
    attempts: int
    started_at: datetime
    policy: VerificationPolicy


def claim(*, tenant_id: TenantId, verification_id: UUID, policy: VerificationPolicy) -> Lease | None:
    """Take one that waits, or whose worker died, and begin it anew; None where there is nothing to take."""
    with open_scope(tenant=tenant_id, reason=REASON):
        now = timezone.now()
        owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex}"
        is_free = Q(state=VerificationState.WAITING) | (
            Q(state=VerificationState.RUNNING) & is_past("lease_until", now)
        )
        taken = Verification.objects.filter(is_free, id=verification_id).update(
            state=VerificationState.RUNNING,
            attempts=F("attempts") + 1,
            lease_owner=owner,
            lease_until=now + timedelta(seconds=policy.lease_s),
            next_attempt_at=None,
            started_at=now,
            done=0,
            total=0,
            error_code="",
        )
        if not taken:
            return None
        return Lease(
            owner=owner,
            verification_id=verification_id,
            tenant_id=tenant_id,
            attempts=Verification.objects.values_list("attempts", flat=True).get(id=verification_id),
            started_at=now,
            policy=policy,
        )


def held(lease: Lease, **changes: Any) -> None:
    """Change the row in the open scope, and make the lease last. Raises: VerificationLeaseLostError."""
    until = timezone.now() + timedelta(seconds=lease.policy.lease_s)
    mine = Verification.objects.filter(
        id=lease.verification_id, lease_owner=lease.owner, state=VerificationState.RUNNING
    )
    if not mine.update(**{"lease_until": until, **changes}):
        raise VerificationLeaseLostError(verification=lease.verification_id)


def told(lease: Lease, *, done: int, total: int) -> None:
    """How far it is, while the snapshot of the verification is open: on a connection of its own."""
    with beside(), open_scope(tenant=lease.tenant_id, reason=REASON):
        held(lease, done=done, total=total)
