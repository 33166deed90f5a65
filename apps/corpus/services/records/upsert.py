"""Take in a structured record: as a new document, as the next version of the one it is stored as, or not at all."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from django.db import transaction

from apps.corpus.extraction.contracts import MediaType
from apps.corpus.extraction.record_file import (
    MAX_RECORD_BYTES,
    RecordFile,
    RecordType,
    body_problems,
    pointer,
    write_record,
)
from apps.corpus.extraction.record_schemas import schema_problems
from apps.corpus.kinds import DocumentType, SourceType
from apps.corpus.models import Document, DocumentStatus, IngestJob
from apps.corpus.services.ingest.document import document_ingest, serialise
from apps.corpus.services.ingest.errors import (
    ExternalIdTakenError,
    InvalidRecordError,
    RecordKindError,
    RecordRemovalPendingError,
    RecordTooLargeError,
    RecordTypeError,
)
from apps.corpus.services.ingest.kind import require_usable
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.corpus.services.ingest.restart import restart
from apps.corpus.services.records.identity import SUFFIX, document_id_of, newest_version, record_of
from apps.corpus.services.removals import proposal_of
from apps.tenants.context import current_scope
from apps.tenants.errors import ScopeNotGrantedError
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

_SOURCES: Final[Mapping[RecordType, SourceType]] = {RecordType.COMPLIANCE_CONFIGURATION: SourceType.POLICY}


class Outcome(StrEnum):
    CREATED = "created"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordResult:
    """document: the version that holds the record now, or will once it is read."""

    document: Document
    job: IngestJob
    outcome: Outcome


def record_upsert(
    *,
    type: RecordType,
    source: str,
    external_id: str,
    body: Any,
    scope_id: ScopeId,
    kind: str,
    metadata: DocumentMetadata | None = None,
) -> RecordResult:
    """Store a record in the open scope, and create the job that makes it searchable.

    The same record (type, body, title and other details) is stored once: sending it again changes nothing. Another body
    or other details make the next version of the same document, which comes into force when it is ready. Concurrent
    calls with one id wait for each other. After the record was removed it starts anew, with version 1.

    Args:   body: JSON's types, numbers as record_file.Number.
            metadata: of its fields, external_id, document_type and source_type are the record's own.
    Raises: what document_ingest raises; InvalidRecordError: the body can't be stored, or is not as its type demands
            (record_schemas.py); RecordTooLargeError; RecordKindError, RecordTypeError: it is stored with another one;
            RecordRemovalPendingError: its removal is proposed, and the record differs; ExternalIdTakenError: a
            document that is no record has its id.
    """
    context = current_scope()
    context.principal.require(Permission.DOCUMENT_ADD)
    if scope_id not in context.scope_ids:
        raise ScopeNotGrantedError(scope=scope_id)
    called = document_id_of(source, external_id)
    if problems := body_problems(body) or schema_problems(type, body):
        place = pointer(problems[0].path)
        raise InvalidRecordError(place=place or "its body", reason=problems[0].reason)
    said = metadata or DocumentMetadata()
    about = replace(
        said,
        title=said.title or f"{type.label} {external_id}",
        external_id=called,
        document_type=DocumentType.RECORD,
        source_type=_SOURCES.get(type, SourceType.INTERNAL),
    )
    record = RecordFile(type=type, source=source, external_id=external_id, about=_about(about), body=body)
    content = write_record(record)
    if len(content) > MAX_RECORD_BYTES:
        raise RecordTooLargeError(size_bytes=len(content), limit_bytes=MAX_RECORD_BYTES)
    content_sha256 = hashlib.sha256(content).hexdigest()
    with transaction.atomic():
        require_usable(kind)
        # The locks of document_ingest, taken before the newest version is read.
        serialise(scope_id, content_sha256, called)
        there = newest_version(scope_id, source, external_id)
        if there is not None:
            _require_same_record(there, record, kind)
            if there.content_sha256 == content_sha256 and there.status != DocumentStatus.SUPERSEDED:
                return _unchanged(there)
            if (run := proposal_of(there.id)) is not None:
                raise RecordRemovalPendingError(run=run.id)
        made = document_ingest(
            content=content,
            filename=external_id + SUFFIX,
            scope_id=scope_id,
            kind=kind,
            metadata=about,
            # The newest version decides, above; an earlier one with these bytes may be in force until that is read.
            same_bytes_again=True,
        )
    outcome = Outcome.CREATED if made.document.version == 1 else Outcome.CHANGED
    return RecordResult(document=made.document, job=made.job, outcome=outcome)


def _require_same_record(there: Document, record: RecordFile, kind: str) -> None:
    """Refuse what would make a version of something else. Of a redacted version nothing is known but the kind."""
    if there.kind != kind:
        raise RecordKindError(document=there.id, kind=there.kind)
    if there.media_type == MediaType.RENDITION:
        return
    stored = record_of(there)
    if stored is None:
        raise ExternalIdTakenError(document=there.id, external_id=there.external_id)
    if stored.type != record.type:
        raise RecordTypeError(document=there.id, type=stored.type.value)


def _unchanged(there: Document) -> RecordResult:
    job: IngestJob = IngestJob.objects.filter(document=there).latest("requested_at")
    if there.status == DocumentStatus.FAILED:
        restart(job, there)
    return RecordResult(document=there, job=job, outcome=Outcome.UNCHANGED)


def _about(metadata: DocumentMetadata) -> dict[str, Any]:
    """Return what is known of the record as JSON's types, without what is empty: a change of it is a new version."""
    known = {
        "title": metadata.title,
        "company": metadata.company,
        "ticker": metadata.ticker,
        "fiscal_year": metadata.fiscal_year,
        "fiscal_quarter": metadata.fiscal_quarter,
        "published_on": metadata.published_on.isoformat() if metadata.published_on else "",
        "language": metadata.language,
        "jurisdictions": list(metadata.jurisdictions),
    }
    return {name: value for name, value in known.items() if value}
