"""Celery's way in. Thin: what is done is in jobs.py, and would be done the same without Celery."""

from __future__ import annotations

import logging
import traceback
from datetime import timedelta
from uuid import UUID

from celery import Task, shared_task
from django.db.models import Q
from django.utils import timezone

from apps.corpus.jobs import job_run
from apps.corpus.models import IngestJob, JobStatus
from apps.corpus.services.ingest_queue import RUN_JOB_TASK, enqueue
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.selectors.tenants import all_tenants

logger = logging.getLogger("glassbox.corpus")

# A job that was sent again and not begun is sent once more after this long: the queue may simply be long.
_SEND_AGAIN_AFTER = timedelta(minutes=2)


class TaskCrashedError(Exception):
    """What Celery is told of a crash: where it was stands in our own log, without any text of a document."""


def _run_job(tenant_id: str, job_id: str, actor_id: str | None = None) -> None:
    """Run one ingest job. The message names who, the row and the grants of this moment say whether they may.

    Raises: TaskCrashedError: something failed that no error of ours tells of; it names the kind and nothing more.
    """
    try:
        outcome = job_run(job_id=UUID(job_id), tenant_id=TenantId(UUID(tenant_id)))
    except Exception as error:  # noqa: BLE001 - it goes on, without its message
        # Celery logs an exception with its message, and a parser's or a driver's may quote the document.
        crashed_at = "".join(traceback.format_tb(error.__traceback__))
        logger.error("ingest job %s crashed: %s at\n%s", job_id, type(error).__name__, crashed_at)  # noqa: TRY400
        raise TaskCrashedError(type(error).__name__) from None
    logger.info("ingest job %s of actor %s: %s", job_id, actor_id or "system", outcome)


def sweep_all() -> int:
    """Send again what is due in each active tenant: not begun, waiting for another attempt, or left by a dead worker.

    Returns: how many jobs were sent.
    """
    return sum(sweep_tenant(TenantId(tenant.id)) for tenant in all_tenants() if tenant.status == TenantStatus.ACTIVE)


def sweep_tenant(tenant_id: TenantId) -> int:
    """Send one tenant's due jobs again. Returns: how many."""
    with open_scope(tenant=tenant_id, reason="send due ingest jobs again"):
        now = timezone.now()
        unfinished = Q(status__in=(JobStatus.PENDING, JobStatus.RETRY)) | Q(
            status=JobStatus.RUNNING, lease_until__lte=now
        )
        is_due = Q(next_attempt_at__isnull=True) | Q(next_attempt_at__lte=now)
        due: list[IngestJob] = list(
            IngestJob.objects.select_for_update(skip_locked=True).filter(unfinished & is_due).order_by("created_at")
        )
        for job in due:
            if job.status == JobStatus.RETRY:
                job.status = JobStatus.PENDING
            # The lease of a dead worker is left as it is: whoever takes the job must see that its worker was lost.
            job.next_attempt_at = now + _SEND_AGAIN_AFTER
            job.save(update_fields=["status", "next_attempt_at"])
            enqueue(job)
        return len(due)


# Registered by call: Celery has no types, and a decorator of unknown type would take those of the functions away.
run_job: Task = shared_task(name=RUN_JOB_TASK, acks_late=True, reject_on_worker_lost=True, ignore_result=True)(_run_job)
sweep: Task = shared_task(name="apps.corpus.tasks.sweep", ignore_result=True)(sweep_all)
