"""What is ingest's own of a lease: the actor's grants, the limits of a run, and restricted documents."""

from __future__ import annotations

import os
import random
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from uuid import UUID

from django.utils import timezone

from apps.corpus.models import PUBLISHED, Document, DocumentStatus, IngestJob, JobStage, JobState
from apps.corpus.services.ingest.actor import Actor, acting_as
from apps.erasure.holds.restrictions import restricted_among
from apps.tenants import leased_jobs
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Tenant
from apps.tenants.principals import PrincipalKind


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPolicy:
    """The limits of the runner. Attempts count consecutive ones without progress; storing a batch resets the count."""

    lease_seconds: float = 60.0
    max_attempts: int = 10
    max_lost_workers: int = 3
    batch_chunks: int = 256
    backoff_base_seconds: float = 5.0
    backoff_cap_seconds: float = 600.0
    longest_wait_seconds: float = 3600.0

    def backoff_seconds(self, attempts: int, *, asked: float | None) -> float:
        """Return how long to wait after this many attempts.

        The wait doubles with each attempt up to a cap and varies at random by half. It is at least what the provider
        asked for, up to longest_wait_seconds.
        """
        doubled = min(self.backoff_cap_seconds, self.backoff_base_seconds * 2.0 ** min(attempts - 1, 30))
        return max(doubled * random.uniform(0.5, 1.5), min(asked or 0.0, self.longest_wait_seconds))  # noqa: S311 - spreads load, guards nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """A worker's hold on a job, with what the worker needs to know; all other values are read when needed."""

    held: leased_jobs.Lease[IngestJob]
    document_id: UUID
    actor: Actor
    stage: JobStage
    worker_was_lost: bool
    profile: str
    policy: RunPolicy
    is_published: bool
    request_id: str

    @property
    def job_id(self) -> UUID:
        return self.held.job_id

    def heartbeat(self) -> leased_jobs.Heartbeat:
        return leased_jobs.Heartbeat(self.held, scopes=[self.actor.scope_id])


def worker_name() -> str:
    """Return the host and the id of the parent process: the Celery worker, each of whose children runs a job."""
    return f"{socket.gethostname()[:60]}:{os.getppid()}"


def claim(*, tenant_id: TenantId, job_id: UUID, policy: RunPolicy) -> Lease | None:
    """Take a job that waits, is due, or whose worker died; return None if the job can't be taken.

    The job of a restricted document is not taken: it waits and goes on when the restriction is lifted.
    """
    with open_scope(tenant=tenant_id, reason="take an ingest job"):
        job = leased_jobs.lock_free(IngestJob, job_id)
        if job is None or restricted_among([job.document_id]):
            return None
        worker_was_lost = job.state == JobState.RUNNING
        held = leased_jobs.begin(
            job,
            lease_s=policy.lease_seconds,
            host=worker_name(),
            started_at=job.started_at or timezone.now(),
            # The tenant may have changed its provider since, and questions are embedded by the current one.
            embedding_profile=Tenant.objects.get(id=tenant_id).embedding_profile,
        )
        # A published document that is embedded again stays searchable, so its status does not change.
        unpublished = Document.objects.filter(id=job.document_id).exclude(status__in=PUBLISHED)
        is_published = not unpublished.update(status=DocumentStatus.PROCESSING)
        return Lease(
            held=held,
            document_id=job.document_id,
            actor=Actor(
                kind=PrincipalKind(job.actor_kind),
                id=job.actor_id,
                key_id=job.actor_key_id,
                label=job.actor_label,
                tenant_id=tenant_id,
                scope_id=ScopeId(job.scope_id),
                document_id=job.document_id,
            ),
            stage=JobStage(job.stage),
            worker_was_lost=worker_was_lost,
            profile=job.embedding_profile,
            policy=policy,
            is_published=is_published,
            request_id=job.request_id,
        )


@contextmanager
def holding(lease: Lease) -> Iterator[IngestJob]:
    """Open one transaction of the job in the actor's scope, in which this worker holds the lease until the commit.

    No user may change the rows of a published document, so the system embeds it again, as long as the actor has the
    grants.

    Raises: LeaseLostError, ActorRevokedError.
    """
    with acting_as(lease.actor):
        if not lease.is_published:
            leased_jobs.hold(lease.held)
            job: IngestJob = IngestJob.objects.get(id=lease.job_id)
            yield job
            return
    with holding_as_system(lease) as job:
        yield job


@contextmanager
def holding_as_system(lease: Lease) -> Iterator[IngestJob]:
    """Open the same transaction as the system, to record how a job ended even if its actor lost the grants."""
    with leased_jobs.holding(lease.held, scopes=[lease.actor.scope_id]) as job:
        yield job


def give_back(lease: Lease) -> None:
    """Return the job to the queue so that another worker can take it at once, for example after a shutdown."""
    with holding_as_system(lease) as job:
        job.state = JobState.PENDING
        job.attempts = max(0, job.attempts - 1)
        job.lease_owner, job.lease_until = "", None
        job.next_attempt_at = timezone.now()
        job.save()
