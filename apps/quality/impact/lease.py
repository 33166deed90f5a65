"""The lease on a preview: one worker at a time computes it, and holds its lease."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.intents.models import PolicyVersion
from apps.quality.errors import ImpactOutdatedError
from apps.quality.models import PolicyImpact
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.leased_jobs import Lease as JobLease
from apps.tenants.leased_jobs import claim
from apps.tenants.leased_jobs import holding as holding_job


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactPolicy:
    """Limits of the runner. lease_seconds must be longer than one question takes under one policy."""

    lease_seconds: float = 120.0
    max_attempts: int = 3
    batch_events: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """What the lease's holder needs to know of its job. It starts from the beginning, even after an earlier worker."""

    job: JobLease[PolicyImpact]
    version_id: UUID
    number: int
    revision: int
    requested_at: datetime
    policy: ImpactPolicy

    @property
    def tenant_id(self) -> TenantId:
        return self.job.tenant_id


def claim_impact(*, tenant_id: TenantId, impact_id: UUID, policy: ImpactPolicy) -> Lease | None:
    """Claim a preview that waits, or whose worker died; return None if there is nothing to claim."""
    fresh = {"finished_at": None, "done": 0, "total": 0}
    job = claim(PolicyImpact, tenant_id=tenant_id, job_id=impact_id, lease_s=policy.lease_seconds, **fresh)
    if job is None:
        return None
    with open_scope(tenant=tenant_id, reason=PolicyImpact.reason):
        impact: PolicyImpact = PolicyImpact.objects.select_related("version").get(id=impact_id)
    return Lease(
        job=job,
        version_id=impact.version_id,
        number=impact.version.number,
        revision=impact.revision,
        requested_at=impact.requested_at,
        policy=policy,
    )


@contextmanager
def holding(
    lease: Lease, *, done: int | None = None, scopes: Iterable[ScopeId] | None = None
) -> Iterator[PolicyImpact]:
    """Open one transaction of the job, as the system. Hold the lease until it commits, and save the progress with it.

    Args:   scopes: the scopes to open; all of the tenant's when None.
    Raises: LeaseLostError; ImpactOutdatedError: the draft was changed since.
    """
    with held(lease, done=done, scopes=scopes) as impact:
        if not PolicyVersion.objects.filter(id=lease.version_id, revision=lease.revision).exists():
            raise ImpactOutdatedError(number=lease.number)
        yield impact


@contextmanager
def held(lease: Lease, *, done: int | None = None, scopes: Iterable[ScopeId] | None = None) -> Iterator[PolicyImpact]:
    """Do the same without checking the version, to store how the job ended."""
    progress = {} if done is None else {"done": done}
    with holding_job(lease.job, scopes=scopes, **progress) as impact:
        yield impact
