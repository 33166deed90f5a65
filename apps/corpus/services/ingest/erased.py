"""Refuse the upload of a document that was erased at somebody's request."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.audit.models import Outcome
from apps.corpus.contents import documents_of
from apps.corpus.models import Document
from apps.corpus.services.ingest.errors import ErasedDocumentError
from apps.corpus.services.ingest.events import REFUSED
from apps.erasure.contracts import DigestKind, Target, TargetType
from apps.erasure.tombstones.chain import Refusal, is_tombstoned
from apps.tenants.context import record_failure
from apps.tenants.ids import ScopeId

_AT_ONCE = 1_000


def digests_of_documents(targets: Sequence[Target]) -> Iterator[tuple[DigestKind, str]]:
    """Yield the digests that identify the documents of the targets and target scopes if they are uploaded again."""
    ids = [each.id for each in (*targets, *documents_of(targets)) if each.type is TargetType.DOCUMENT]
    for start in range(0, len(ids), _AT_ONCE):
        # Without the model's default order: the eraser may read no other column.
        rows = Document.objects.order_by().filter(id__in=ids[start : start + _AT_ONCE])
        for content_sha256, external_id in rows.values_list("content_sha256", "external_id"):
            yield DigestKind.CONTENT, content_sha256
            if external_id:
                yield DigestKind.EXTERNAL_ID, external_id


def refuse_erased(document: Document) -> None:
    """Refuse a document whose bytes were erased in this tenant, or whose external id is that of an erased document.

    An external id is accepted while a version with that id still exists. This lets a redacted document follow the
    erased one.
    Raises: ErasedDocumentError; TombstonesUnavailableError, TombstonesDamagedError: the tombstones can't be checked.
    """
    refusal = is_tombstoned(DigestKind.CONTENT, document.content_sha256)
    if refusal is not None:
        raise _refused(document, refusal, DigestKind.CONTENT)
    if document.external_id:
        refusal = is_tombstoned(DigestKind.EXTERNAL_ID, document.external_id)
        if refusal is not None and not Document.objects.filter(external_id=document.external_id).exists():
            raise _refused(document, refusal, DigestKind.EXTERNAL_ID)


def _refused(document: Document, refusal: Refusal, by: DigestKind) -> ErasedDocumentError:
    # Record this although the upload is rolled back: somebody tried to bring back an erased document.
    record_failure(
        action=REFUSED,
        core={"kind": document.kind, "run_id": str(refusal.run_id), "told_by": str(by)},
        outcome=Outcome.REFUSED,
        subject_type="removal_run",
        subject_id=refusal.run_id,
        scopes=[ScopeId(document.scope_id)],
    )
    is_content = by is DigestKind.CONTENT
    return ErasedDocumentError(
        filename=document.filename,
        same="it is the same file as one" if is_content else "its external id is that of a document",
        erased_on=refusal.at.date().isoformat(),
        run=refusal.run_id,
        advice="" if is_content else ", with an external id of its own",
    )
