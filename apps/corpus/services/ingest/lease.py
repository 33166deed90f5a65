"""Leases on jobs: one worker at a time holds a job, and another may take it when the worker dies and the lease ends."""

from __future__ import annotations

import logging
import os
import random
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Self
from uuid import UUID

from django.db import DatabaseError, connection
from django.utils import timezone

from apps.corpus.models import PUBLISHED, Document, DocumentStatus, IngestJob, JobStage, JobStatus
from apps.corpus.services.ingest.actor import Actor, acting_as
from apps.erasure.holds.restrictions import restricted_among
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.leased_jobs import LeaseLostError, new_owner
from apps.tenants.models import Tenant
from apps.tenants.principals import PrincipalKind
from apps.tenants.sweeping import has_come

logger = logging.getLogger("glassbox.corpus")


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
    """A worker's claim on a job, with what the worker needs to know; all other values are read when needed."""

    owner: str
    job_id: UUID
    document_id: UUID
    actor: Actor
    stage: JobStage
    attempts: int
    worker_was_lost: bool
    profile: str
    policy: RunPolicy
    is_published: bool
    request_id: str


def worker_name() -> str:
    """Return the host and the id of the parent process: the Celery worker, each of whose children runs a job."""
    return f"{socket.gethostname()[:60]}:{os.getppid()}"


def claim(*, tenant_id: TenantId, job_id: UUID, policy: RunPolicy) -> Lease | None:
    """Take a job that waits, is due, or whose worker died; return None if the job can't be taken.

    The job of a restricted document is not taken: it waits and goes on when the restriction is lifted.
    """
    with open_scope(tenant=tenant_id, reason="take an ingest job"):
        job: IngestJob | None = IngestJob.objects.select_for_update(skip_locked=True).filter(id=job_id).first()
        now = timezone.now()
        if job is None or not _is_free(job, now) or restricted_among([job.document_id]):
            return None
        worker_was_lost = job.status == JobStatus.RUNNING
        job.status = JobStatus.RUNNING
        job.attempts += 1
        job.lease_owner = new_owner(worker_name())
        job.lease_until = now + timedelta(seconds=policy.lease_seconds)
        job.next_attempt_at = None
        job.started_at = job.started_at or now
        # The tenant may have changed its provider since, and questions are embedded by the current one.
        job.embedding_profile = Tenant.objects.get(id=tenant_id).embedding_profile
        job.save()
        # A published document that is embedded again stays searchable, so its status does not change.
        unpublished = Document.objects.filter(id=job.document_id).exclude(status__in=PUBLISHED)
        is_published = not unpublished.update(status=DocumentStatus.PROCESSING)
        return Lease(
            owner=job.lease_owner,
            job_id=job.id,
            document_id=job.document_id,
            actor=Actor(
                kind=PrincipalKind(job.actor_kind),
                id=job.actor_id,
                key_id=job.actor_key_id,
                label=job.actor_label,
                tenant_id=tenant_id,
                scope_id=ScopeId(job.scope_id),
            ),
            stage=JobStage(job.stage),
            attempts=job.attempts,
            worker_was_lost=worker_was_lost,
            profile=job.embedding_profile,
            policy=policy,
            is_published=is_published,
            request_id=job.request_id,
        )


def _is_free(job: IngestJob, now: datetime) -> bool:
    match job.status:
        case JobStatus.PENDING:
            return True
        case JobStatus.RETRY:
            return job.next_attempt_at is None or has_come(job.next_attempt_at, now)
        case JobStatus.RUNNING:
            return job.lease_until is None or has_come(job.lease_until, now)
        case _:
            return False


@contextmanager
def holding(lease: Lease) -> Iterator[IngestJob]:
    """Open one transaction of the job in the actor's scope, in which this worker holds the lease until the commit.

    The statement that checks the lease also prolongs it, so a worker that lost the lease writes nothing. No user may
    change the rows of a published document, so the system embeds it again, as long as the actor has the grants.

    Raises: LeaseLostError, ActorRevokedError.
    """
    with acting_as(lease.actor):
        if not lease.is_published:
            yield _held(lease)
            return
    with holding_as_system(lease, reason="embed a published document again") as job:
        yield job


@contextmanager
def holding_as_system(lease: Lease, *, reason: str) -> Iterator[IngestJob]:
    """Open the same transaction as the system, to record how a job ended even if its actor lost the grants."""
    with open_scope(tenant=lease.actor.tenant_id, scopes=[lease.actor.scope_id], reason=reason):
        yield _held(lease)


def _held(lease: Lease) -> IngestJob:
    until = timezone.now() + timedelta(seconds=lease.policy.lease_seconds)
    held = IngestJob.objects.filter(id=lease.job_id, lease_owner=lease.owner, status=JobStatus.RUNNING)
    if not held.update(lease_until=until):
        raise LeaseLostError(job=lease.job_id)
    job: IngestJob = held.get()
    return job


def give_back(lease: Lease, *, reason: str) -> None:
    """Return the job to the queue so that another worker can take it at once, for example after a shutdown."""
    with holding_as_system(lease, reason=reason) as job:
        job.status = JobStatus.PENDING
        job.attempts = max(0, job.attempts - 1)
        job.lease_owner, job.lease_until = "", None
        job.next_attempt_at = timezone.now()
        job.save()


class Heartbeat:
    """A thread that prolongs the lease while the worker computes. If the process dies, the lease runs out."""

    def __init__(self, lease: Lease) -> None:
        self._lease = lease
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"lease {lease.job_id}", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._stopped.wait(self._lease.policy.lease_seconds / 4):
                self._beat()
        finally:
            connection.close()

    def _beat(self) -> None:
        try:
            with holding_as_system(self._lease, reason="prolong an ingest job's lease"):
                pass
        except LeaseLostError:
            # The worker itself notices in its next transaction.
            self._stopped.set()
        except DatabaseError as error:
            logger.warning("the lease of job %s was not prolonged: %s", self._lease.job_id, type(error).__name__)
