"""End a job: its document is ready (and supersedes the previous version), or the job waits to try again, or it failed.

A document that was ready before the job keeps its state in each case: such a job only adds vectors.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

from django.utils import timezone

from apps.audit.models import Outcome
from apps.corpus.kinds import Right
from apps.corpus.models import PUBLISHED, Document, DocumentStatus, IngestJob, JobStage, JobState
from apps.corpus.providers.errors import ProviderError
from apps.corpus.services.ingest.errors import AttemptsExhaustedError, NotReplaceableError
from apps.corpus.services.ingest.events import FAILED, READY, REEMBEDDED, SUPERSEDED, record_document_event
from apps.corpus.services.ingest.kind import has_right
from apps.corpus.services.ingest.lease import Lease, holding, holding_as_system
from apps.corpus.services.ingest.reembed import await_configuration, reembed
from apps.corpus.services.restricted import with_restricted
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.selectors.tenants import current_tenant


def finish(lease: Lease, *, model: str) -> None:
    """End the job in one transaction: make its document searchable, or record that it has the new vectors too.

    If the tenant's provider changed while the job ran, create another job for the document at once.
    """
    with holding(lease) as job:
        await_configuration(lease.actor.tenant_id)
        document: Document = Document.objects.get(id=job.document_id)
        if document.status in PUBLISHED:
            record_document_event(
                REEMBEDDED,
                document,
                chunk_count=document.chunk_count,
                embedding_profile=lease.profile,
                embedding_model=model,
            )
        else:
            _publish(document, lease, model=model)
        _close(job, JobState.SUCCEEDED)
        job.stage = JobStage.DONE
        job.attempts = 0
        job.error_code = job.error_detail = ""
        job.save()
        profile = current_tenant().embedding_profile
        if profile != lease.profile and document.status == DocumentStatus.READY:
            reembed([document], principal=current_scope().principal, profile=profile)


def _publish(document: Document, lease: Lease, *, model: str) -> None:
    """Make the document searchable and end the version that it replaces.

    If a newer version became ready first, this version is superseded at once. So is an earlier version that was moved
    along, whatever became of the later ones: what it says was replaced where it comes from, and no question of this
    scope may be answered from it as if it were current. It ends as it begins, so that questions as of no date find it.
    Restricted versions of the series take part in this as well, so that at most one version of a series is in force.
    A version that becomes current also takes the place of earlier ones that are not read yet, or failed: published
    later, they would be superseded at once.
    Raises: NotReplaceableError: the job's actor may not replace one of them (apps/intents/sql/replacing.sql).
    """
    now = timezone.now()
    with with_restricted(ScopeId(document.scope_id)):
        series = {
            version.version: version
            for version in Document.objects.select_for_update()
            .filter(series_id=document.series_id, status=DocumentStatus.READY)
            .order_by("version")
        }
        of_series = Document.objects.filter(series_id=document.series_id, version__lt=document.version)
        unread = list(of_series.exclude(status__in=PUBLISHED))
    newer = next((version for number, version in sorted(series.items()) if number > document.version), None)
    earlier = [version for number, version in series.items() if number < document.version]
    if document.replaced_there_at is not None:
        earlier = []
    if newer is not None or document.replaced_there_at is not None:
        unread = []
    _require_replaceable(document, [*earlier, *unread])
    with with_restricted(ScopeId(document.scope_id)):
        Document.objects.filter(id__in=[version.id for version in earlier]).update(
            status=DocumentStatus.SUPERSEDED, valid_to=now
        )
    for version in earlier:
        record_document_event(SUPERSEDED, version, superseded_by=str(document.id))
    document.valid_from = document.valid_from or (newer.valid_from if newer else now)
    document.status = DocumentStatus.READY
    if newer is not None or document.replaced_there_at is not None:
        document.status = DocumentStatus.SUPERSEDED
        document.valid_to = document.valid_from
    document.save(update_fields=["status", "valid_from", "valid_to"])
    record_document_event(
        READY,
        document,
        page_count=document.page_count,
        chunk_count=document.chunk_count,
        embedding_profile=lease.profile,
        embedding_model=model,
    )
    if document.status == DocumentStatus.SUPERSEDED:
        record_document_event(SUPERSEDED, document, superseded_by=str(newer.id) if newer else None)


def _require_replaceable(document: Document, replaced: Sequence[Document]) -> None:
    """Require that the open scope's principal may still replace these versions by this one.

    What the uploader may be has changed since, or the policy in force. They may be restricted: the error names none.
    Raises: NotReplaceableError.
    """
    of_bytes = {each.content_sha256 for each in replaced}
    rights = [Right.CORRECT] if document.content_sha256 in of_bytes else []
    if replaced and (document.content_sha256, document.filename) not in {
        (each.content_sha256, each.filename) for each in replaced
    }:
        rights.append(Right.UPLOAD)
    kinds = {document.kind, *(each.kind for each in replaced)}
    if not all(has_right(kind, right) for right in rights for kind in sorted(kinds)):
        raise NotReplaceableError(document=document.id)


def wait_or_fail(lease: Lease, error: ProviderError) -> bool:
    """Postpone a job after a provider's error; the sweeper sends it again when it is due.

    Returns: False if another attempt is pointless or the attempts are used up, and the job has failed.
    """
    with holding_as_system(lease) as job:
        attempts = job.attempts
        if error.retryable and attempts < lease.policy.max_attempts:
            pause = lease.policy.backoff_seconds(attempts, asked=error.retry_after_seconds)
            job.state = JobState.RETRY
            job.next_attempt_at = timezone.now() + timedelta(seconds=pause)
            job.lease_owner, job.lease_until = "", None
            job.error_code, job.error_detail = error.code, error.detail
            job.save()
            return True
    fail(lease, AttemptsExhaustedError(attempts=attempts, reason=error.detail) if error.retryable else error)
    return False


def fail(lease: Lease, error: ApplicationError) -> None:
    """End the job as failed, with the error on its row, and on the document's row unless the document was ready before.

    The job can be started again from the stage that it reached.
    """
    with holding_as_system(lease) as job:
        document: Document = Document.objects.get(id=job.document_id)
        published = document.status in PUBLISHED
        if not published:
            document.status = DocumentStatus.FAILED
            document.error_code, document.error_detail = error.code, error.detail
            document.save(update_fields=["status", "error_code", "error_detail"])
        _close(job, JobState.FAILED)
        job.error_code, job.error_detail = error.code, error.detail
        job.save()
        record_document_event(
            REEMBEDDED if published else FAILED,
            document,
            outcome=Outcome.FAILED,
            error_code=error.code,
            stage=str(job.stage),
            attempts=job.attempts,
        )


def _close(job: IngestJob, state: JobState) -> None:
    job.state = state
    job.lease_owner, job.lease_until = "", None
    job.next_attempt_at = None
    job.finished_at = timezone.now()
