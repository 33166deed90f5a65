"""Count the terms of stored documents again where an older analysis counted them (`TERMS_VERSION`).

The terms are counted from the stored passages: no file is read, chunked or embedded again, and no passage gets another
id. A document under a legal hold may be counted again (a hold keeps text, not term statistics). A restricted document
is skipped until its restriction is lifted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from enum import StrEnum
from uuid import UUID

from django.db import transaction

from apps.corpus.models import Chunk, Document, IngestJob, Posting
from apps.corpus.reader.reading import packed, searched_text
from apps.corpus.selectors import outdated_documents
from apps.corpus.services.ingest.events import REINDEXED, record_document_event
from apps.corpus.services.ingest.store import store_postings
from apps.corpus.terms import STATEMENT_MARK, TERMS_VERSION, term_frequencies
from apps.erasure.holds.restrictions import restricted_among
from apps.tenants.context import current_scope, renew_scope
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission


class Reindexed(StrEnum):
    """The outcome for a document. GONE: it was removed, or its removal has begun. CURRENT: it was up to date."""

    DONE = "done"
    CURRENT = "current"
    RESTRICTED = "restricted"
    GONE = "gone"


def documents_to_reindex() -> Sequence[UUID]:
    """Return the documents in the open scope whose terms an older analysis counted, oldest first. One query.

    The result includes documents that are not searched now: questions as of an earlier date search earlier versions,
    and a document that failed at its embedding can continue from that stage.
    """
    return list(outdated_documents().order_by("created_at", "id").values_list("id", flat=True))


def document_reindex(*, document_id: UUID) -> Reindexed:
    """Rebuild a document's postings from its stored passages and record the event, in one transaction.

    Ingest would make the same postings from the same passages. The marks of financial statements are copied from the
    old postings, because only the file shows whether a page prints a statement.
    A worker that processes the document locks its job's row while it writes, and an erasure begins with the jobs.
    Locking the jobs first, as document_delete does, keeps both out until this transaction ends. A document without a
    job is being removed, so this function adds nothing to it.
    Raises: PermissionDeniedError: the principal may not add documents.
    Costs:  eight queries, and about 4 ms of computing per passage.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_ADD)
    with transaction.atomic():
        jobs = IngestJob.objects.select_for_update().filter(document_id=document_id).values_list("id", flat=True)
        if not list(jobs):
            return Reindexed.GONE
        document: Document | None = Document.objects.select_for_update().filter(id=document_id).first()
        if document is None:
            return Reindexed.GONE
        if restricted_among([document_id]):
            return Reindexed.RESTRICTED
        before = document.terms_version
        if before >= TERMS_VERSION:
            return Reindexed.CURRENT
        counted = _counted(document)
        if context.principal.kind is PrincipalKind.SYSTEM:
            # Counting thousands of passages takes a good part of the minute that a scope stays open.
            renew_scope()
        store_postings(document, packed(counted))
        document.term_count = sum(terms.total() for terms in counted.values())
        document.terms_version = TERMS_VERSION
        document.save(update_fields=["term_count", "terms_version"])
        record_document_event(
            REINDEXED,
            document,
            chunk_count=document.chunk_count,
            terms_version=TERMS_VERSION,
            terms_version_before=before,
        )
    return Reindexed.DONE


def _counted(document: Document) -> dict[int, Counter[str]]:
    passages = Chunk.objects.filter(document=document, is_parent=False).order_by("number")
    counted = {
        passage.number: term_frequencies(searched_text(passage), document.language)
        for passage in passages.only("number", "text", "context_header")
    }
    marks = Posting.objects.filter(document=document, term__startswith=STATEMENT_MARK)
    for mark, numbers in marks.values_list("term", "chunk_numbers"):
        for number in numbers:
            counted[number][mark] += 1
    return counted
