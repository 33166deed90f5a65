"""Removing a document, and handing out its original."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BinaryField, Func

from apps.audit.erasure.contracts import Target, TargetType
from apps.audit.holds.errors import ItemHeldError
from apps.audit.holds.selectors import held
from apps.audit.models import Outcome
from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.events import DELETED, EXPORT_CUT_SHORT, EXPORTED
from apps.corpus.models import (
    Chunk,
    Document,
    Embedding384,
    Embedding1536,
    IngestJob,
    Page,
    Posting,
    SourceFile,
)
from apps.corpus.services.ingest_events import record_document_event
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import IdempotentRequest
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

    Raises:  PermissionDeniedError; DocumentNotFoundError: there is none, or not for this principal; ItemHeldError: it
             is under a legal hold, which the database holds to as well.
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


def document_export(document: Document) -> Iterator[bytes]:
    """The original bytes in parts, and an event that says who took them.

    The event is in the open transaction; the parts are made later, when the response is sent (see scoped_stream).

    Raises: DocumentNotFoundError: removed meanwhile; also in the middle of the parts.
    """
    principal = current_scope().principal
    with transaction.atomic():
        if not SourceFile.objects.filter(document=document).exists():
            raise DocumentNotFoundError(document=document.id)
        record_document_event(EXPORTED, document, byte_size=document.byte_size)

    def cut_short(error: ApplicationError, sent_bytes: int) -> None:
        record_document_event(
            EXPORT_CUT_SHORT,
            document,
            outcome=Outcome.FAILED,
            byte_size=document.byte_size,
            sent_bytes=sent_bytes,
            error_code=error.code,
            reader_kind=principal.kind.value,
            reader_id=str(principal.id) if principal.id else None,
        )

    return scoped_stream(
        principal,
        [partial(_part, document, start) for start in range(0, document.byte_size, PART_BYTES)],
        scopes=[ScopeId(document.scope_id)],
        permission=Permission.DOCUMENT_VIEW,
        cut_short=cut_short,
    )


def _part(document: Document, start: int) -> bytes:
    # Stored EXTERNAL, uncompressed, so that a part of it is read without the rest. Counted from 1.
    content = Func("content", start + 1, PART_BYTES, function="SUBSTR", output_field=BinaryField())
    part = SourceFile.objects.filter(document=document).annotate(part=content).values_list("part", flat=True).first()
    if part is None:
        raise DocumentNotFoundError(document=document.id)
    return bytes(part)
