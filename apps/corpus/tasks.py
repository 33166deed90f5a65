"""The Celery tasks of the corpus. The work itself is in jobs.py, which does not depend on Celery."""

from __future__ import annotations

import logging
import traceback
from datetime import timedelta
from functools import partial

from celery import Task, shared_task
from django.db.models import Q
from django.utils import timezone

from apps.corpus.jobs import next_run
from apps.corpus.models import IngestJob, JobStatus
from apps.corpus.services.ingest.queue import RUN_NEXT_TASK, announce_work, enqueue
from apps.corpus.services.ingest.turns import anything_waits, waiting
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.selectors.tenants import active_tenants
from apps.tenants.sweeping import Sweep, each_tenant, is_past
from apps.tenants.waiting import Count, Work

logger = logging.getLogger("glassbox.corpus")

# Send a job once more if it was not begun this long after it was sent again: the queue may simply be long.
_SEND_AGAIN_AFTER = timedelta(minutes=2)
_MESSAGES_AT_ONCE = 8


class TaskCrashedError(Exception):
    """The error that Celery gets for a crash. The traceback is in our own log, without any text of a document."""


def _run_next() -> None:
    """Run the next ingest job; when it has ended, with success or failure, announce work if more jobs wait.

    Raises: TaskCrashedError: an unexpected exception occurred; the error contains only the name of its class.
    """
    try:
        ran = next_run()
    except Exception as error:  # noqa: BLE001 - it goes on, without its message
        # Celery logs an exception with its message, and the message of a parser or a driver may quote the document.
        crashed_at = "".join(traceback.format_tb(error.__traceback__))
        logger.error("an ingest job crashed: %s at\n%s", type(error).__name__, crashed_at)  # noqa: TRY400
        _announce_the_next()
        raise TaskCrashedError(type(error).__name__) from None
    if ran is not None:
        logger.info("ingest job %s: %s", *ran)
        _announce_the_next()


def _announce_the_next() -> None:
    if anything_waits():
        announce_work("what is next")


def sweep_all() -> int:
    """Send the due jobs of each active tenant again: not begun, waiting for another attempt, or left by a dead worker.

    Returns: how many jobs were sent.
    """
    seen = Count(Work.DOCUMENTS)
    sent = each_tenant(partial(sweep_tenant, seen=seen), doing=Sweep.DOCUMENTS, tenants=active_tenants())
    seen.note()
    return sent


def sweep_tenant(tenant_id: TenantId, *, seen: Count | None = None) -> int:
    """Send one tenant's due jobs again. Args: seen: counts the jobs that wait for a worker. Returns: how many."""
    with open_scope(tenant=tenant_id, reason="send due ingest jobs again"):
        now = timezone.now()
        unfinished = Q(status__in=(JobStatus.PENDING, JobStatus.RETRY)) | (
            Q(status=JobStatus.RUNNING) & is_past("lease_until", now)
        )
        is_due = Q(next_attempt_at__isnull=True) | is_past("next_attempt_at", now)
        due: list[IngestJob] = list(
            IngestJob.objects.select_for_update(skip_locked=True).filter(unfinished & is_due).order_by("created_at")
        )
        for job in due:
            if job.status == JobStatus.RETRY:
                job.status = JobStatus.PENDING
            # Leave the lease of a dead worker: the worker that takes the job must see that the previous one was lost.
            job.next_attempt_at = now + _SEND_AGAIN_AFTER
            job.save(update_fields=["status", "next_attempt_at"])
        # A few messages are enough, because each job that ends announces the next one.
        for job in due[:_MESSAGES_AT_ONCE]:
            enqueue(job)
        if seen is not None:
            seen.add(waiting(now).values_list("created_at", flat=True))
        return len(due)


# Registered by call: Celery has no type hints, and an untyped decorator would hide the types of the functions.
run_next: Task = shared_task(name=RUN_NEXT_TASK, acks_late=True, reject_on_worker_lost=True, ignore_result=True)(
    _run_next
)
sweep: Task = shared_task(name="apps.corpus.tasks.sweep", ignore_result=True)(sweep_all)
