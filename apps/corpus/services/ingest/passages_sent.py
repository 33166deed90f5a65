"""Record which passages of a document leave for an embedding provider, before they leave."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from apps.corpus.models import Chunk
from apps.corpus.providers.base.exchange import Exchange
from apps.corpus.providers.base.receivers import Model, Purpose
from apps.corpus.providers.recording import RecordedRequest, RecordingProvider
from apps.corpus.providers.registry import ResidencyBoundProvider
from apps.corpus.services.ingest.lease import Lease, holding
from apps.erasure.holds.restrictions import restricted_among
from apps.erasure.runs.in_flight import keep_removals_waiting
from apps.tenants import leased_jobs


def recording_passages(provider: ResidencyBoundProvider, lease: Lease, passages: Sequence[Chunk]) -> RecordingProvider:
    """Return the provider for one batch of a job's passages, all of which go into one request."""

    @contextmanager
    def begin(to: Model, purpose: Purpose, timeout_seconds: float) -> Iterator[None]:
        request = RecordedRequest(to=to, purpose=purpose, exchange=Exchange(timeout_seconds=timeout_seconds))
        with holding(lease) as job:
            _require_unrestricted(lease)
            request.attempt = job.attempts
            request.record_called(
                hits=[
                    {
                        "chunk_id": str(each.id),
                        "document_id": str(each.document_id),
                        "kind": each.kind,
                        "content_sha256": each.content_sha256,
                    }
                    for each in passages
                ],
                document_id=lease.document_id,
            )
        with request.sending():
            yield

    return RecordingProvider(provider, begin, documents=Purpose.EMBED_PASSAGES)


def _require_unrestricted(lease: Lease) -> None:
    """Require that the document is not restricted, and keep removals waiting until the event that names it is there.

    Otherwise a removal could look for the document's events just before that one is written.

    Raises: LeaseLostError: the job then waits, as that of a restricted document does.
    """
    keep_removals_waiting()
    # A person no longer sees the job of a restricted document; the system sees the restriction.
    leased_jobs.hold(lease.held)
    if restricted_among([lease.document_id]):
        raise leased_jobs.LeaseLostError(job=lease.job_id)
