"""Run one ingest job: read, embed, finish. Every step can be repeated, and resumes where the last attempt ended.

    claim -> [extract: pages, passages, postings, in one transaction]
          -> [embed: one transaction per batch, only passages that lack a vector and that no other version has alike]
          -> [finish: ready, the previous version superseded, the event, in one transaction]

Between these steps no scope and no transaction is open, so a long file or a slow provider does not keep one open.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from enum import StrEnum
from uuid import UUID

from django.db import DataError, IntegrityError
from django.db.models import Exists, OuterRef

from apps.corpus.description import InvalidFieldError
from apps.corpus.errors import IngestError
from apps.corpus.extraction import ExtractionError
from apps.corpus.models import EMBEDDING_MODELS, Chunk, Document, JobStage, SourceFile
from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.registry import ResidencyBoundProvider, provider_for
from apps.corpus.reader.reading import searched_text
from apps.corpus.services.ingest.errors import (
    NotStorableError,
    UnsupportedDimensionError,
    WorkerLostError,
)
from apps.corpus.services.ingest.finish import fail, finish, wait_or_fail
from apps.corpus.services.ingest.lease import Lease, RunPolicy, claim, give_back, holding
from apps.corpus.services.ingest.metadata import fill_in
from apps.corpus.services.ingest.passages_sent import recording_passages
from apps.corpus.services.ingest.read import read_file, warnings_of
from apps.corpus.services.ingest.store import reuse_vectors, store_reading, store_vectors
from apps.corpus.services.ingest.turns import take_next
from apps.corpus.terms import TERMS_VERSION
from apps.tenants.ids import TenantId
from apps.tenants.leased_jobs import LeaseLostError
from apps.tenants.selectors.tenants import current_tenant
from config.operations import request_id

logger = logging.getLogger("glassbox.corpus")


class RunOutcome(StrEnum):
    NOT_CLAIMED = "not_claimed"
    SUCCEEDED = "succeeded"
    WAITING = "waiting"
    FAILED = "failed"
    LOST = "lost"


def job_run(*, job_id: UUID, tenant_id: TenantId, policy: RunPolicy | None = None) -> RunOutcome:
    """Run a job until it ends or has to wait. Safe to call twice, concurrently, and after a crash at any point.

    Returns: NOT_CLAIMED if another worker has the job or there is nothing to do; LOST if the lease or the document was
             lost meanwhile. For WAITING and FAILED the reason is on the job's row.
    """
    lease = claim(tenant_id=tenant_id, job_id=job_id, policy=policy or RunPolicy())
    return RunOutcome.NOT_CLAIMED if lease is None else _run_held(lease)


def next_run(*, policy: RunPolicy | None = None) -> tuple[UUID, RunOutcome] | None:
    """Run the next job by the rules of services/ingest/turns.py. Returns: None if no job may be taken now."""
    lease = take_next(policy or RunPolicy())
    return None if lease is None else (lease.job_id, _run_held(lease))


def _run_held(lease: Lease) -> RunOutcome:
    try:
        # The message that starts this run may come from another request, so log under the job's own request id.
        with request_id.named(lease.request_id or request_id.current()), lease.heartbeat():
            return _run(lease)
    except LeaseLostError:
        logger.warning("ingest job %s was taken over or removed", lease.job_id)
        return RunOutcome.LOST
    except (KeyboardInterrupt, SystemExit):
        give_back(lease)
        raise


def _run(lease: Lease) -> RunOutcome:
    try:
        if lease.worker_was_lost and lease.held.attempts > lease.policy.max_lost_workers:
            raise WorkerLostError(attempts=lease.held.attempts - 1)
        if lease.stage is JobStage.EXTRACT:
            _read(lease)
        finish(lease, model=_embed(lease))
    except (ExtractionError, IngestError, InvalidFieldError) as error:
        fail(lease, error)
        return RunOutcome.FAILED
    except ProviderError as error:
        return RunOutcome.WAITING if wait_or_fail(lease, error) else RunOutcome.FAILED
    return RunOutcome.SUCCEEDED


def _read(lease: Lease) -> None:
    with holding(lease) as job:
        document: Document = Document.objects.get(id=job.document_id)
        content = bytes(SourceFile.objects.get(document=document).content)
    read = read_file(content, document=document)
    with holding(lease) as job:
        document = Document.objects.get(id=job.document_id)
        document.media_type = read.media_type
        fill_in(document, read.about)
        document.warnings = warnings_of(read)
        document.page_count = job.pages_total = len(read.pages)
        document.chunk_count = job.chunks_total = len(read.children)
        document.term_count = read.term_count
        document.terms_version = TERMS_VERSION
        try:
            store_reading(document, read)
            document.save()
        except (DataError, IntegrityError) as error:
            raise NotStorableError(filename=document.filename) from error
        job.stage = JobStage.EMBED
        job.chunks_embedded = 0
        job.save()


def _embed(lease: Lease) -> str:
    """Embed the passages that lack a vector, longest first, so that the passages of a batch have similar lengths.

    Returns: the model's name.
    """
    with holding(lease):
        provider = _provider(lease)
    for chunk_ids in _batches(lease, provider):
        with holding(lease):
            provider = _provider(lease)
            chunks = Chunk.objects.in_bulk(chunk_ids)
        batch = [chunks[chunk_id] for chunk_id in chunk_ids]
        vectors = recording_passages(provider, lease, batch).embed_documents([searched_text(chunk) for chunk in batch])
        with holding(lease) as job:
            document: Document = Document.objects.get(id=job.document_id)
            store_vectors(document, model=provider.model, chunk_ids=chunk_ids, vectors=vectors)
            job.chunks_embedded += len(chunk_ids)
            job.attempts = 1
            job.error_code = job.error_detail = ""
            job.save(update_fields=["chunks_embedded", "attempts", "error_code", "error_detail"])
    return provider.model


def _batches(lease: Lease, provider: ResidencyBoundProvider) -> Iterator[Sequence[UUID]]:
    table = EMBEDDING_MODELS.get(provider.dimension)
    if table is None:
        raise UnsupportedDimensionError(
            profile=lease.profile, dimension=provider.dimension, known=", ".join(map(str, EMBEDDING_MODELS))
        )
    with holding(lease) as job:
        document: Document = Document.objects.get(id=job.document_id)
        if document.version > 1:
            reuse_vectors(document, model=provider.model, dimension=provider.dimension)
        vector = table.objects.filter(chunk=OuterRef("pk"), model=provider.model)
        missing = list(
            Chunk.objects.filter(document_id=job.document_id, is_parent=False)
            .filter(~Exists(vector))
            .order_by("-token_count", "number")
            .values_list("id", flat=True)
        )
        job.chunks_embedded = job.chunks_total - len(missing)
        job.save(update_fields=["chunks_embedded"])
    size, profile = lease.policy.batch_chunks, provider.profile
    if profile.is_remote:
        # One request each, so that its event names the passages that it sends.
        size = min(size, profile.inputs_at_once)
    for start in range(0, len(missing), size):
        yield missing[start : start + size]


def _provider(lease: Lease) -> ResidencyBoundProvider:
    """Return the tenant's provider under its current residency rule, which is read again for every batch."""
    tenant = current_tenant()
    return provider_for(lease.profile, tenant_region=tenant.residency_region, tenant_strict=tenant.residency_strict)
