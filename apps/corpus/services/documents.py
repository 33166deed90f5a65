"""Delete a document that one person may remove alone, and export its original file. See removals.py."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from uuid import UUID

from django.db import connection, transaction
from django.db.models import BinaryField, Func, Model

from apps.audit.models import Event, Outcome
from apps.corpus.errors import DocumentNotFoundError, RemovalByTwoError
from apps.corpus.events import DELETED, EXPORT_CUT_SHORT, EXPORTED
from apps.corpus.models import (
    PUBLISHED,
    Chunk,
    Document,
    Embedding384,
    Embedding768,
    Embedding1536,
    IngestJob,
    Page,
    Posting,
    SourceFile,
)
from apps.corpus.services.ingest.events import RECEIVED, record_document_event
from apps.corpus.services.page_image_cache import forget
from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.errors import HoldError
from apps.erasure.holds.selectors import held
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import IdempotentRequest
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Permission
from apps.tenants.streaming import scoped_stream

# Every table of this room with rows of a document. A table that refers to another comes before the table that it
# refers to. The jobs come first: the database lets go of what a document holds only when no job is left that could
# publish the rest (sql/contents.sql).
BELOW = (IngestJob, Embedding384, Embedding768, Embedding1536, Posting, Chunk, Page, SourceFile)
# How much of a file is in memory at once during an export.
PART_BYTES = 1024 * 1024


def tables_below() -> tuple[type[Model], ...]:
    """Return every table with rows of a document: the jobs, those of higher rooms, to which nothing below refers, then
    the rest."""
    related = [
        relation.related_model
        for relation in Document._meta.get_fields(include_hidden=True)
        if relation.auto_created and (relation.one_to_many or relation.one_to_one)
    ]
    jobs, *contents = BELOW
    return (jobs, *(each for each in related if each is not None and each not in BELOW), *contents)


def document_delete(*, document_id: UUID) -> None:
    """Delete one version of a document with all its rows, and record the event, in one transaction.

    Other versions do not change: a superseded version does not come back into force, since nobody decided that.
    A worker that processes the document locks its job's row while it writes. This function waits for that transaction
    and deletes what it wrote; the worker then finds its lease gone and stops. The worker locks the job before the
    document, so this function does too: the opposite order could deadlock.

    The platform itself (`manage.py evaluate`) may delete any document. Everybody else may delete only their own upload
    that was never searchable: nobody could read it or get an answer from it, so a second person has nothing to review.
    All other documents are removed by an approved run (removals.py). The database enforces this rule too.

    Raises:  PermissionDeniedError; DocumentNotFoundError: there is no such document, or the principal can't see it;
             HoldError: it is under a legal hold, which the database enforces as well; RemovalByTwoError: its
             removal needs an approved run.
    Costs:   one query per table, whatever the size of the document.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_DELETE)
    with transaction.atomic():
        # This comes first: it keeps anybody from placing a hold on the document from here on.
        target = Target(type=TargetType.DOCUMENT, id=document_id)
        ground = held([target]).get(target)
        job_ids = list(
            IngestJob.objects.select_for_update().filter(document_id=document_id).values_list("id", flat=True)
        )
        document: Document | None = Document.objects.select_for_update().filter(id=document_id).first()
        if document is None:
            raise DocumentNotFoundError(document=document_id)
        if ground is not None:
            raise HoldError("audit.item_held", type="document", item=document_id, hold=ground.partition(":")[2])
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
        # The stored response to the upload contains the title.
        IdempotentRequest.objects.filter(subject_id__in=[document_id, *job_ids]).delete()
        with connection.cursor() as cursor:
            # Plain statements: the ORM would read every passage in order to delete it.
            for model in tables_below():
                cursor.execute(
                    f"DELETE FROM {model._meta.db_table} WHERE tenant_id = %s AND scope_id = %s "  # noqa: S608
                    "AND document_id = %s",
                    [context.tenant_id, document.scope_id, document_id],
                )
            cursor.execute(
                f"DELETE FROM {Document._meta.db_table} WHERE tenant_id = %s AND scope_id = %s AND id = %s",  # noqa: S608
                [context.tenant_id, document.scope_id, document_id],
            )
        transaction.on_commit(partial(forget, tenant_id=context.tenant_id, document_id=document_id))


def may_discard(document: Document) -> bool:
    """Return whether the principal may delete the document alone.

    The system may. Anybody else may if they uploaded it and it was never searchable. One query at most.
    """
    principal = current_scope().principal
    if principal.kind is PrincipalKind.SYSTEM:
        return True
    if document.status in PUBLISHED or document.valid_from is not None:
        return False
    # The job's actor may be the person who restarted it, so the audit log has to say who uploaded the document.
    brought = Event.objects.filter(action=RECEIVED, subject_id=document.id)
    return brought.filter(actor_kind=principal.kind.value, actor_id=principal.id).exists()


def document_export(document: Document, span: range | None = None) -> Iterator[bytes]:
    """Return the original bytes in parts, and record who exported them and how many.

    The event is recorded in the open transaction. The parts are read later, when the response is sent (see
    scoped_stream).

    Args:   span: the bytes to export, counted from 0; all of them by default.
    Raises: DocumentNotFoundError: the document was removed meanwhile; this can also happen between two parts.
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
    # The column is stored EXTERNAL, without compression, so PostgreSQL reads a part without the rest. SUBSTR counts
    # from 1.
    content = Func("content", start + 1, length, function="SUBSTR", output_field=BinaryField())
    part = SourceFile.objects.filter(document=document).annotate(part=content).values_list("part", flat=True).first()
    if part is None:
        raise DocumentNotFoundError(document=document.id)
    return bytes(part)
