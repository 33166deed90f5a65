"""Send, claim, hold and sweep the jobs of every kind (models/leased_job.py).

A worker that claims a job gets a lease. Each transaction of the worker checks and prolongs the lease in one statement,
so that a worker that lost its lease writes nothing more. If a lease runs out, its worker has died, and another worker
may begin the job.
"""

from __future__ import annotations

import logging
import os
import socket
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Generic, TypeVar
from uuid import UUID

from django.db import transaction
from django.db.models import Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from apps.errors import ApplicationError
from apps.tenants.beside import beside
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models.leased_job import LeasedJob
from apps.tenants.selectors.tenants import active_tenants
from apps.tenants.sweeping import each_tenant, is_past
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


def free(kind: type[LeasedJob], now: datetime) -> Q:
    """Return the filter for jobs that a worker may take: waiting jobs, and jobs whose worker died."""
    is_lost = Q(lease_until__isnull=True) | is_past("lease_until", now)
    return Q(state__in=kind.waiting) | (Q(state=kind.running) & is_lost)


def due(now: datetime) -> Q:
    """Return the filter for jobs whose message was not sent, or was sent so long ago that it is sent again."""
    return Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now)


def claim(kind: type[Job], *, tenant_id: TenantId, job_id: UUID, lease_s: float, **changes: Any) -> Lease[Job] | None:
    """Take a free job and begin it; return None if the job is not free.

    Args: changes: further column values for the row.
    """
    with open_scope(tenant=tenant_id, reason=kind.reason):
        now = timezone.now()
        found = kind.objects.select_for_update(skip_locked=True, no_key=True).filter(free(kind, now), id=job_id)
        attempts = found.values_list("attempts", flat=True).first()
        if attempts is None:
            return None
        lease = Lease(
            kind=kind,
            job_id=job_id,
            tenant_id=tenant_id,
            owner=new_owner(),
            attempts=attempts + 1,
            started_at=now,
            lease_s=lease_s,
        )
        kind.objects.filter(id=job_id).update(
            state=kind.running,
            attempts=lease.attempts,
            lease_owner=lease.owner,
            lease_until=now + timedelta(seconds=lease_s),
            next_attempt_at=None,
            started_at=now,
            **changes,
        )
        return lease


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


def enqueue(job: LeasedJob, *, after_s: float = 0) -> None:
    """Send the job's message when the current transaction commits. If the broker loses it, the sweep sends it again."""
    send_later(job.task, job.tenant_id, job.id, after_s=after_s)


def send_later(task: str, tenant_id: UUID, id: UUID, *, after_s: float = 0) -> None:
    """Send a task the two ids, and nothing else, when the current transaction commits."""
    transaction.on_commit(partial(_send, task, [str(tenant_id), str(id)], after_s))


def sweep_all() -> int:
    """Send the messages of due jobs again, of every kind and in every tenant. Returns: how many were sent.

    Due jobs are those whose message was lost, and those whose worker died.
    """
    return sum(sweep_kind(kind) for kind in LeasedJob.kinds())


def sweep_kind(kind: type[LeasedJob]) -> int:
    """Do the same for one kind of job."""
    seen = None if kind.work is None else Count(kind.work)
    tenants = None if kind.in_suspended else active_tenants()
    sent = each_tenant(partial(sweep_tenant, kind, seen), doing=kind.sweep(), tenants=tenants)
    if seen is not None:
        seen.note()
    return sent


def sweep_tenant(kind: type[LeasedJob], seen: Count | None, tenant_id: TenantId) -> int:
    """Send one tenant's due jobs again. Returns: how many were sent. Args: seen: counts jobs that wait for a worker."""
    with open_scope(tenant=tenant_id, reason=kind.reason):
        return send_again(kind, seen)


def send_again(kind: type[LeasedJob], seen: Count | None = None) -> int:
    """Send the due jobs of the open scope again. Args and result as for sweep_tenant."""
    now = timezone.now()
    if seen is not None:
        seen.add(kind.objects.filter(free(kind, now)).values_list("requested_at", flat=True))
    jobs = kind.objects.select_for_update(skip_locked=True, no_key=True).filter(free(kind, now), due(now))
    found = list(jobs.order_by("requested_at"))
    for job in found:
        kind.objects.filter(id=job.id).update(next_attempt_at=now + kind.resend_after)
        enqueue(job)
    return len(found)


def _send(task: str, arguments: list[str], after_s: float) -> None:
    send(task, *arguments, what=f"{task} {arguments[1]}", after_s=after_s)


def send(task: str, *arguments: str, what: str, after_s: float = 0) -> None:
    """Send a message now. If the broker loses it, the sweep sends it again.

    Args: what: names the message in the log if it can't be sent.
    """
    # Imported here, because config.celery names Celery's settings, and this module is loaded while Django's settings
    # are still being read.
    from config.celery import app

    try:
        app.send_task(task, args=list(arguments), countdown=after_s or None)
    except OperationalError as error:
        logger.warning("%s waits for the sweep: the broker said %s", what, type(error).__name__)
