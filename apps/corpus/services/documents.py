"""Removing a document by one alone, where that may be, and handing out its original. See removals.py."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BinaryField, Func

from apps.audit.models import Event, Outcome
from apps.corpus.errors import DocumentNotFoundError, RemovalByTwoError
from apps.corpus.events import DELETED, EXPORT_CUT_SHORT, EXPORTED
from apps.corpus.models import (
    PUBLISHED,
    Chunk,
    Document,
    Embedding384,
    Embedding1536,
    IngestJob,
    Page,
    Posting,
    SourceFile,
)
from apps.corpus.services.ingest_events import RECEIVED, record_document_event
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.errors import ItemHeldError
from apps.erasure.holds.selectors import held
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import IdempotentRequest
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission
from apps.tenants.streaming import scoped_stream

# Everything that hangs on a document, what points at others before what is pointed at.
BELOW = (Embedding384, Embedding1536, Posting, Chunk, Page, SourceFile, IngestJob)
# How much of a file is in memory at once while it is handed out.
PART_BYTES = 1024 * 1024


def document_delete(*, document_id: UUID) -> None:
    """Remove one version of a document with everything below it, and record that, in one transaction.

    Other versions stay what they are: a superseded one does not come back by itself, since nobody said that it should.

    A worker that is on the document holds its job's row while it writes. This waits for that transaction, removes what
    it wrote, and the worker then finds its lease gone and stops. Jobs are locked before the document because the
    worker does it in this order too; the other way round the two could wait for each other.

    Of the platform itself (`manage.py evaluate`), any; of everybody else, their own upload that never was searchable:
    nobody could read it or answer from it, and there is nothing that somebody else would look at. All else is removed
    by an approved run (removals.py); the database holds that, too.

    Raises:  PermissionDeniedError; DocumentNotFoundError: there is none, or not for this principal; ItemHeldError: it
             is under a legal hold, which the database holds to as well; RemovalByTwoError.
    Costs:   one query a table, whatever the size of the document.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_DELETE)
    with transaction.atomic():
        # First of all: from here on no hold is placed on it.
        target = Target(type=TargetType.DOCUMENT, id=document_id)
        ground = held([target]).get(target)
        job_ids = list(
            IngestJob.objects.select_for_update().filter(document_id=document_id).values_list("id", flat=True)
        )
        document: Document | None = Document.objects.select_for_update().filter(id=document_id).first()
        if document is None:
            raise DocumentNotFoundError(document=document_id)
        if ground is not None:
            raise ItemHeldError(type="document", item=document_id, hold=ground.partition(":")[2])
        if not may_discard(document):
            raise RemovalByTwoError(document=document_id)
        record_document_event(
            DELETED,
            document,
            status=document.status,
            page_count=document.page_count,
            chunk_count=document.chunk_count,
            byte_size=document.byte_size,
        )
        # What was answered to the upload repeats the title.
        IdempotentRequest.objects.filter(subject_id__in=[document_id, *job_ids]).delete()
        with connection.cursor() as cursor:
            # Plain statements: the ORM would read every passage in order to delete it.
            for model in BELOW:
                cursor.execute(
                    f"DELETE FROM {model._meta.db_table} WHERE tenant_id = %s AND scope_id = %s "  # noqa: S608
                    "AND document_id = %s",
                    [context.tenant_id, document.scope_id, document_id],
                )
            cursor.execute(
                f"DELETE FROM {Document._meta.db_table} WHERE tenant_id = %s AND scope_id = %s AND id = %s",  # noqa: S608
                [context.tenant_id, document.scope_id, document_id],
            )


def may_discard(document: Document) -> bool:
    """Whether who acts removes it alone: an upload of theirs that never was searchable. One query at most."""
    principal = current_scope().principal
    if principal.kind is PrincipalKind.SYSTEM:
        return True
    if document.status in PUBLISHED or document.valid_from is not None:
        return False
    # Who starts a job again becomes its actor; the log says who brought the document.
    brought = Event.objects.filter(action=RECEIVED, subject_id=document.id)
    return brought.filter(actor_kind=principal.kind.value, actor_id=principal.id).exists()


def document_export(document: Document, span: range | None = None) -> Iterator[bytes]:
    """The original bytes in parts, and an event that says who took them and how many.

    The event is in the open transaction; the parts are made later, when the response is sent (see scoped_stream).

    Args:   span: of which bytes, counted from 0; all of them unless told.
    Raises: DocumentNotFoundError: removed meanwhile; also in the middle of the parts.
    """
    wanted = range(document.byte_size) if span is None else span
    principal = current_scope().principal
    with transaction.atomic():
        if not SourceFile.objects.filter(document=document).exists():
            raise DocumentNotFoundError(document=document.id)
        record_document_event(EXPORTED, document, byte_size=len(wanted))

    def cut_short(error: ApplicationError, sent_bytes: int) -> None:
        record_document_event(
            EXPORT_CUT_SHORT,
            document,
            outcome=Outcome.FAILED,
            byte_size=len(wanted),
            sent_bytes=sent_bytes,
            error_code=error.code,
            reader_kind=principal.kind.value,
            reader_id=str(principal.id) if principal.id else None,
        )

    return scoped_stream(
        principal,
        [
            partial(_part, document, start, min(PART_BYTES, wanted.stop - start))
            for start in range(wanted.start, wanted.stop, PART_BYTES)
        ],
        scopes=[ScopeId(document.scope_id)],
        permission=Permission.DOCUMENT_VIEW,
        cut_short=cut_short,
    )


def _part(document: Document, start: int, length: int) -> bytes:
    # Stored EXTERNAL, uncompressed, so that a part of it is read without the rest. Counted from 1.
    content = Func("content", start + 1, length, function="SUBSTR", output_field=BinaryField())
    part = SourceFile.objects.filter(document=document).annotate(part=content).values_list("part", flat=True).first()
    if part is None:
        raise DocumentNotFoundError(document=document.id)
    return bytes(part)
