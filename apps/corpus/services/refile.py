"""File a document as another kind. Its kind decides which questions reach it, so both must be the person's to correct.

As with every correction of a searchable document (correct.py), the same bytes become the next version. It is read and
indexed anew, and replaces the current one when it is ready; until then, and for questions as of an earlier date, the
document is found under its old kind.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import transaction

from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.kinds import Right
from apps.corpus.models import Document, DocumentStatus, SourceFile
from apps.corpus.services.ingest.document import document_ingest, serialise
from apps.corpus.services.ingest.errors import NotCurrentError, RemovalPendingError
from apps.corpus.services.ingest.events import CORRECTED, record_document_event
from apps.corpus.services.ingest.kind import require_right, require_usable
from apps.corpus.services.ingest.metadata import metadata_of
from apps.corpus.services.removals import proposal_of
from apps.errors import ApplicationError
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission


@dataclass(frozen=True, slots=True, kw_only=True)
class Refiled:
    """What became of one document. made: its next version; None where it was refused, or is of the kind already."""

    document: Document
    made: Document | None = None
    refusal: str = ""


def document_refile(*, document_id: UUID, kind: str) -> Document:
    """File a searchable document as another kind, and record the event, in one transaction.

    Returns: its next version, which a job makes searchable; the document itself if it is of this kind already.
    Raises:  PermissionDeniedError; DocumentNotFoundError; UnknownKindError, RetiredKindError: of the new kind;
             KindNotYoursError: of the new kind or the present one; NotCurrentError: it is not searchable, or has a
             newer version; RemovalPendingError; what document_ingest raises.
    """
    current_scope().principal.require(Permission.DOCUMENT_ADD)
    with transaction.atomic():
        there: Document | None = Document.objects.filter(id=document_id).first()
        if there is None:
            raise DocumentNotFoundError(document=document_id)
        serialise(ScopeId(there.scope_id), there.content_sha256, there.external_id or there.title)
        document: Document | None = Document.objects.select_for_update().filter(id=document_id).first()
        if document is None:
            raise DocumentNotFoundError(document=document_id)
        require_right(document.kind, Right.CORRECT)
        require_usable(kind, right=Right.CORRECT)
        if document.kind == kind:
            return document
        newer = Document.objects.filter(series_id=document.series_id, version__gt=document.version)
        if document.status != DocumentStatus.READY or newer.exclude(status=DocumentStatus.FAILED).exists():
            raise NotCurrentError(document=document_id)
        if (removal := proposal_of(document_id)) is not None:
            raise RemovalPendingError(document=document_id, run=removal.id)
        made = document_ingest(
            content=bytes(SourceFile.objects.get(document=document).content),
            filename=document.filename,
            scope_id=ScopeId(document.scope_id),
            kind=kind,
            metadata=metadata_of(document),
            replaces=document.id,
            same_bytes_again=True,
            corrects=True,
        ).document
        record_document_event(CORRECTED, document, fields="kind", corrected_by=str(made.id))
    return made


def documents_refile(documents: Sequence[Document], *, kind: str) -> list[Refiled]:
    """File each document as another kind, or return why it was refused. A refused one does not affect the others."""
    outcomes = []
    for document in documents:
        try:
            with transaction.atomic():
                made = document_refile(document_id=document.id, kind=kind)
        except ApplicationError as error:
            outcomes.append(Refiled(document=document, refusal=error.detail))
        else:
            outcomes.append(Refiled(document=document, made=made if made.id != document.id else None))
    return outcomes
