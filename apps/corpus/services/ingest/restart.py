"""Restart a job that has failed or waits for its next attempt."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from apps.corpus.models import PUBLISHED, Document, DocumentStatus, IngestJob, JobState
from apps.corpus.services.ingest.errors import JobNotRetryableError
from apps.corpus.services.ingest.events import RESTARTED, record_document_event
from apps.tenants.context import current_scope
from apps.tenants.leased_jobs import enqueue
from apps.tenants.roles import Permission
from config.operations import request_id


def job_restart(*, job: IngestJob) -> IngestJob:
    """Restart a failed or waiting job now, from the stage that it had reached. The principal becomes the job's actor.

    Raises: PermissionDeniedError; JobNotRetryableError: the job runs, is pending, or has succeeded.
    """
    current_scope().principal.require(Permission.JOB_RETRY)
    with transaction.atomic():
        locked: IngestJob = IngestJob.objects.select_for_update().get(id=job.id)
        if locked.state not in (JobState.FAILED, JobState.RETRY):
            raise JobNotRetryableError(status=locked.get_state_display().lower())
        restart(locked, Document.objects.get(id=locked.document_id))
    return locked


def restart(job: IngestJob, document: Document) -> None:
    """Make a job pending again with no attempts counted, in the current transaction."""
    principal = current_scope().principal
    record_document_event(
        RESTARTED, document, job_id=str(job.id), stage=str(job.stage), error_code=job.error_code or None
    )
    job.state = JobState.PENDING
    job.attempts = 0
    job.next_attempt_at = timezone.now() + IngestJob.resend_after
    job.lease_owner, job.lease_until = "", None
    job.error_code = job.error_detail = ""
    job.finished_at = None
    job.actor_kind = principal.kind.value
    job.actor_id = principal.id
    job.actor_key_id = principal.key_id
    job.actor_label = principal.label[:255]
    job.request_id = request_id.current()
    job.save()
    if document.status not in PUBLISHED:
        document.status = DocumentStatus.PROCESSING if job.chunks_total else DocumentStatus.RECEIVED
        document.error_code = document.error_detail = ""
        document.save(update_fields=["status", "error_code", "error_detail"])
    enqueue(job)
