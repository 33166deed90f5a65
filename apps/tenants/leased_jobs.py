"""Send, claim, hold and sweep the jobs of every kind (models/leased_job.py).

A worker that claims a job gets a lease. Each transaction of the worker checks and prolongs the lease in one statement,
so that a worker that lost its lease writes nothing more. If a lease runs out, its worker has died, and another worker
may begin the job.
"""

from __future__ import annotations

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Generic, Self, TypeVar
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, DatabaseError, connection, connections, transaction
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.selectors.tenants import active_tenants
from apps.tenants.sweeping import each_tenant
from apps.tenants.waiting import Count

logger = logging.getLogger("glassbox.jobs")

Job = TypeVar("Job", bound=LeasedJob)


class LeaseLostError(ApplicationError):
    """The worker no longer holds the job. It must stop and write nothing more. Data: job."""

    code = "jobs.lease_lost"
    status = 409
    message = "The job {job} is no longer held by this worker."


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease(Generic[Job]):
    """The hold of one worker on one job.

    attempts: how often the job was begun, this time included.
    lease_s: for how many seconds each step prolongs the lease.
    """

    kind: type[Job]
    job_id: UUID
    tenant_id: TenantId
    owner: str
    attempts: int
    started_at: datetime
    lease_s: float


def new_owner(host: str | None = None) -> str:
    """Return a new name for one worker's hold on one job. Args: host: replaces the name of this host."""
    return f"{host or socket.gethostname()[:60]}:{os.getpid()}:{uuid.uuid4().hex}"


def claim(kind: type[Job], *, tenant_id: TenantId, job_id: UUID, lease_s: float, **changes: Any) -> Lease[Job] | None:
    """Take a free job and begin it; return None if the job is not free.

    Args: changes: further column values for the row.
    """
    with open_scope(tenant=tenant_id, reason=kind.reason):
        job = lock_free(kind, job_id)
        return None if job is None else begin(job, lease_s=lease_s, **changes)


def lock_free(kind: type[Job], job_id: UUID) -> Job | None:
    """Lock and return a job of the open scope that a worker may take; return None if it is not free.

    A message may have been sent before its tenant was suspended: unless the kind goes on, its job waits.
    """
    begun_for = {} if kind.in_suspended else {"tenant__status": TenantStatus.ACTIVE}
    jobs = kind.objects.select_for_update(skip_locked=True, no_key=True, of=("self",))
    job: Job | None = jobs.filter(kind.free(timezone.now()), id=job_id, **begun_for).first()
    return job


def begin(job: Job, *, lease_s: float, host: str | None = None, **changes: Any) -> Lease[Job]:
    """Begin a locked job, in the open transaction. Args: host: as for new_owner; changes: as for claim."""
    now, kind = timezone.now(), type(job)
    begun = {
        "state": kind.running,
        "attempts": job.attempts + 1,
        "lease_owner": new_owner(host),
        "lease_until": now + timedelta(seconds=lease_s),
        "next_attempt_at": None,
        "started_at": now,
        **changes,
    }
    kind.objects.filter(id=job.id).update(**begun)
    for name, value in begun.items():
        setattr(job, name, value)
    return Lease(
        kind=kind,
        job_id=job.id,
        tenant_id=TenantId(job.tenant_id),
        owner=job.lease_owner,
        attempts=job.attempts,
        started_at=now,
        lease_s=lease_s,
    )


def hold(lease: Lease[Job], **changes: Any) -> None:
    """Change the job's row in the open scope, and prolong the lease. Raises: LeaseLostError."""
    until = timezone.now() + timedelta(seconds=lease.lease_s)
    mine = lease.kind.objects.filter(id=lease.job_id, lease_owner=lease.owner, state=lease.kind.running)
    if not mine.update(**{"lease_until": until, **changes}):
        raise LeaseLostError(job=lease.job_id)


@contextmanager
def holding(lease: Lease[Job], *, scopes: Iterable[ScopeId] | None = None, **changes: Any) -> Iterator[Job]:
    """Open one transaction of the job, as the system. The worker holds the lease until the transaction commits.

    Args:    scopes: the scopes to open; None for all of the tenant's.
             changes: new column values for the job's row, such as its progress.
    Raises:  LeaseLostError: nothing was written.
    """
    with open_scope(tenant=lease.tenant_id, scopes=scopes, reason=lease.kind.reason):
        hold(lease, **changes)
        job: Job = lease.kind.objects.get(id=lease.job_id)
        yield job


class Progress:
    """A callback that writes a job's progress every few seconds, on a second connection beside the job's transaction.

    Each write also prolongs the lease, even if the job makes no progress for long. Raises: LeaseLostError.
    """

    def __init__(self, lease: Lease[Job], *, every_s: float, at_once: bool = False) -> None:
        self._lease, self._every_s = lease, every_s
        self._next = time.monotonic() + (0 if at_once else every_s)

    def __call__(self, done: int, total: int) -> None:
        if time.monotonic() >= self._next:
            with beside(), open_scope(tenant=self._lease.tenant_id, reason=self._lease.kind.reason):
                hold(self._lease, done=done, total=total)
            self._next = time.monotonic() + self._every_s


class Heartbeat:
    """A thread that prolongs a lease while the worker computes. If the process dies, the lease runs out."""

    def __init__(self, lease: Lease[Job], *, scopes: Iterable[ScopeId] | None = None) -> None:
        self._lease: Lease[Any] = lease
        self._scopes = None if scopes is None else [*scopes]
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
            while not self._stopped.wait(self._lease.lease_s / 4):
                self._beat()
        finally:
            connection.close()

    def _beat(self) -> None:
        try:
            with holding(self._lease, scopes=self._scopes):
                pass
        except LeaseLostError:
            # The worker itself notices in its next transaction.
            self._stopped.set()
        except DatabaseError as error:
            logger.warning("the lease of job %s was not prolonged: %s", self._lease.job_id, type(error).__name__)


def enqueue(job: LeasedJob, *, after_s: float = 0) -> None:
    """Send the job's message when the current transaction commits. If the broker loses it, the sweep sends it again."""
    arguments = [str(job.tenant_id), str(job.id)] if job.names_itself else []
    transaction.on_commit(partial(send, job.task, arguments, after_s))


def send_later(task: str, tenant_id: UUID, id: UUID) -> None:
    """Send a task the two ids, and nothing else, when the current transaction commits."""
    transaction.on_commit(partial(send, task, [str(tenant_id), str(id)], 0))


def sweep_all() -> int:
    """Send the messages of due jobs again, of every kind that does not sweep itself, in every tenant.


    Due jobs are those whose message was lost, and those whose worker died.
    """
    return sum(sweep_kind(kind) for kind in LeasedJob.kinds() if not kind.sweeps_itself)


def sweep_kind(kind: type[LeasedJob]) -> int:
    """Do the same for one kind of job."""
    seen = Count(kind) if kind.counted_as else None
    tenants = None if kind.in_suspended else active_tenants()
    sent = each_tenant(partial(sweep_tenant, kind, seen=seen), doing=kind.sweep(), tenants=tenants)
    if seen is not None:
        seen.note()
    return sent


def sweep_tenant(kind: type[LeasedJob], tenant_id: TenantId, *, seen: Count | None = None) -> int:
    """Send one tenant's due jobs again. Returns: how many were due. Args: seen: counts jobs that wait for a worker."""
    with open_scope(tenant=tenant_id, reason=kind.reason):
        now = timezone.now()
        jobs = kind.objects.select_for_update(skip_locked=True, no_key=True).filter(kind.free(now), kind.due(now))
        found = list(jobs.order_by("requested_at"))
        for job in found:
            # The lease of a dead worker stays: the next worker must see that the previous one was lost.
            is_over = {"state": kind.waiting[0]} if job.state in kind.postponed else {}
            kind.objects.filter(id=job.id).update(next_attempt_at=now + kind.resend_after, **is_over)
        for job in found[: kind.messages_at_once]:
            enqueue(job)
        if seen is not None:
            seen.add(kind.in_line(now).values_list("requested_at", flat=True))
        return len(found)


def send(task: str, arguments: Sequence[str] = (), after_s: float = 0) -> None:
    """Send a task now."""
    # Imported here, because config.celery names Celery's settings, and this module is loaded while Django's settings
    # are still being read.
    from config.celery import app

    try:
        app.send_task(task, args=[*arguments], countdown=after_s or None)
    except OperationalError as error:
        logger.warning("%s waits for the sweep: the broker said %s", " ".join([task, *arguments]), type(error).__name__)


@contextmanager
def beside() -> Iterator[None]:
    """Use another connection in this thread within the block, as the same role. The caller opens a scope in it.

    The writes are committed whatever happens to the outer transaction, whose snapshot does not see them.
    Costs: a connection from the pool, or a new one.
    """
    ordinary = connections[DEFAULT_DB_ALIAS]
    other = ordinary.copy()
    connections[DEFAULT_DB_ALIAS] = other
    try:
        yield
    finally:
        connections[DEFAULT_DB_ALIAS] = ordinary
        other.close()
