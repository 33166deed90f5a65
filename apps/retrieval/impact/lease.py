"""Who computes a preview: one worker at a time, known by its lease."""

from __future__ import annotations

import os
import socket
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.utils import timezone

from apps.intents.models import PolicyVersion
from apps.retrieval.errors import ImpactLeaseLostError, ImpactOutdatedError
from apps.retrieval.models import ImpactState, PolicyImpact
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.sweeping import has_come

REASON = "compute the impact of a policy version"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactPolicy:
    """How patient the runner is. lease_seconds must outlast one question under one policy."""

    lease_seconds: float = 120.0
    max_attempts: int = 3
    batch_events: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What the holder needs to know of its job; it begins at the start, whatever an earlier worker had done."""

    owner: str
    impact_id: UUID
    tenant_id: TenantId
    version_id: UUID
    number: int
    revision: int
    attempts: int
    requested_at: datetime
    policy: ImpactPolicy


def claim(*, tenant_id: TenantId, impact_id: UUID, policy: ImpactPolicy) -> Lease | None:
    """Take a preview that waits, or whose worker died; None where there is nothing to take."""
    with open_scope(tenant=tenant_id, reason=REASON):
        impact: PolicyImpact | None = (
            PolicyImpact.objects.select_for_update(skip_locked=True).filter(id=impact_id).first()
        )
        now = timezone.now()
        if impact is None or not _is_free(impact, now):
            return None
        impact.state = ImpactState.RUNNING
        impact.attempts += 1
        impact.lease_owner = f"{socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex}"
        impact.lease_until = now + timedelta(seconds=policy.lease_seconds)
        impact.next_attempt_at = None
        impact.started_at, impact.finished_at = now, None
        impact.done = impact.total = 0
        impact.save()
        return Lease(
            owner=impact.lease_owner,
            impact_id=impact.id,
            tenant_id=tenant_id,
            version_id=impact.version_id,
            number=PolicyVersion.objects.get(id=impact.version_id).number,
            revision=impact.revision,
            attempts=impact.attempts,
            requested_at=impact.requested_at,
            policy=policy,
        )


def _is_free(impact: PolicyImpact, now: datetime) -> bool:
    match impact.state:
        case ImpactState.QUEUED:
            return True
        case ImpactState.RUNNING:
            return impact.lease_until is None or has_come(impact.lease_until, now)
        case _:
            return False


@contextmanager
def holding(
    lease: Lease, *, done: int | None = None, scopes: Iterable[ScopeId] | None = None
) -> Iterator[PolicyImpact]:
    """One transaction of the job, as the system; the lease is ours until it commits, and the progress is saved with it.

    Args:   scopes: to stay within; all of the tenant's when None.
    Raises: ImpactLeaseLostError; ImpactOutdatedError: the draft was changed since.
    """
    with held(lease, done=done, scopes=scopes) as impact:
        if not PolicyVersion.objects.filter(id=lease.version_id, revision=lease.revision).exists():
            raise ImpactOutdatedError(number=lease.number)
        yield impact


@contextmanager
def held(lease: Lease, *, done: int | None = None, scopes: Iterable[ScopeId] | None = None) -> Iterator[PolicyImpact]:
    """The same whatever became of the version: to write down how it ended."""
    with open_scope(tenant=lease.tenant_id, scopes=scopes, reason=REASON):
        until = timezone.now() + timedelta(seconds=lease.policy.lease_seconds)
        mine = PolicyImpact.objects.filter(id=lease.impact_id, lease_owner=lease.owner, state=ImpactState.RUNNING)
        progress = {} if done is None else {"done": done}
        if not mine.update(lease_until=until, **progress):
            raise ImpactLeaseLostError(impact_id=lease.impact_id)
        impact: PolicyImpact = mine.get()
        yield impact
