"""Correct what is said of a document: its kind, title, company, period and the like. Its scope: see move.py.

The row of a published document does not change (sql/kept_by_two.sql). Its correction is a new version with the same
bytes. The passages, postings and vectors of that version are made from the corrected metadata, so the index and the
citations use the correction as soon as the version is ready. Until then searches find the previous version; afterwards
only questions as of an earlier date find it. A document that was never searchable is corrected in its own row, and its
file is read again if it was read already.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.extraction.cleaning import one_line
from apps.corpus.kinds import Right
from apps.corpus.metadata_values import (
    date_of,
    document_type_of,
    invalid,
    jurisdictions_of,
    language_of,
    quarter_of,
    source_type_of,
    text_of,
    year_of,
)
from apps.corpus.models import PUBLISHED, Document, DocumentStatus, IngestJob, JobStage, JobState, SourceFile
from apps.corpus.registry import kinds_in_force
from apps.corpus.services.ingest.document import document_ingest, serialise
from apps.corpus.services.ingest.errors import (
    ExternalIdTakenError,
    NotCurrentError,
    RemovalPendingError,
    RestrictedContentError,
)
from apps.corpus.services.ingest.events import CORRECTED, record_document_event
from apps.corpus.services.ingest.kind import require_right, require_usable
from apps.corpus.services.ingest.metadata import (
    CORRECTABLE,
    DocumentMetadata,
    external_id_in_force,
    metadata_of,
    source_as_refiled,
    store_metadata,
)
from apps.corpus.services.removals import proposal_of
from apps.erasure.holds.restrictions import restricted_among
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.leased_jobs import enqueue
from apps.tenants.roles import Permission


def document_correct(*, document_id: UUID, changes: Mapping[str, object], kind: str | None = None) -> Document:
    """Correct the kind and the metadata of a document and record the event, in one transaction.

    A corrected value is final, even an empty one: a later reading of the file does not fill the field in.

    Args:    changes: new values by the names of CORRECTABLE; None, "" or an empty list clears a field, but not a title
                 or a type.
             kind: the key of the kind that it is of; None leaves it. It decides which questions reach the document, so
                 the principal must have the right to correct both kinds. The source follows it where it said it.
    Returns: the document that has the values: a new version, which a job makes searchable; or the same row, where the
             document was not searchable yet or has these values already.
    Raises:  PermissionDeniedError; DocumentNotFoundError; InvalidFieldError: a value that can't be understood or
             stored; NotCurrentError: a newer version is in force, or on its way; RemovalPendingError;
             KindNotYoursError: the policy in force lets others correct documents of one of these kinds;
             UnknownKindError, RetiredKindError: of the new kind; ExternalIdTakenError; RestrictedContentError: the
             document is restricted. Only the platform sees a restricted document; people get DocumentNotFoundError.
    """
    current_scope().principal.require(Permission.DOCUMENT_ADD)
    said = _read(changes)
    with transaction.atomic():
        there: Document | None = Document.objects.filter(id=document_id).first()
        if there is None:
            raise DocumentNotFoundError(document=document_id)
        # Uploads of the same file or external id take the same advisory locks, and take them before any row lock.
        named = said.get("external_id") or there.external_id
        serialise(ScopeId(there.scope_id), there.content_sha256, str(named or said.get("title") or there.title))
        # Lock the jobs' rows next, as their worker does: from here on no worker reads the file with the old values.
        jobs = list(IngestJob.objects.select_for_update().filter(document_id=document_id).order_by("id"))
        document: Document | None = Document.objects.select_for_update().filter(id=document_id).first()
        if document is None:
            raise DocumentNotFoundError(document=document_id)
        if kind is not None:
            require_right(document.kind, Right.CORRECT)
            filed_as = require_usable(kind, right=Right.CORRECT)
        stored = metadata_of(document)
        changed = [name for name in said if getattr(stored, name) != said[name]]
        of_kind = document.kind if kind is None else kind
        if of_kind != document.kind and "source_type" not in said:
            before = next((each for each in kinds_in_force() if each.kind == document.kind), None)
            stored = replace(stored, source_type=source_as_refiled(document, before, filed_as))
        if not changed and of_kind == document.kind:
            return document
        wanted = _completed(stored, {name: said[name] for name in changed})
        if "external_id" in changed:
            _require_free(document, wanted.external_id)
        if document.status not in PUBLISHED:
            return _correct_in_place(document, jobs, wanted, changed, of_kind)
        newer = Document.objects.filter(series_id=document.series_id, version__gt=document.version)
        if document.status != DocumentStatus.READY or newer.exclude(status=DocumentStatus.FAILED).exists():
            raise NotCurrentError(document=document_id)
        if (removal := proposal_of(document_id)) is not None:
            raise RemovalPendingError(document=document_id, run=removal.id)
        made = document_ingest(
            content=bytes(SourceFile.objects.get(document=document).content),
            filename=document.filename,
            scope_id=ScopeId(document.scope_id),
            kind=of_kind,
            metadata=wanted,
            replaces=document.id,
            same_bytes_again=True,
            corrects=True,
        ).document
        _record(document, _with_kind(changed, document, of_kind), corrected_by=str(made.id))
    return made


def _with_kind(changed: list[str], document: Document, kind: str) -> list[str]:
    return changed if kind == document.kind else [*changed, "kind"]


def _read(changes: Mapping[str, object]) -> dict[str, Any]:
    """Return the changes as values that can be stored. Raises: InvalidFieldError."""
    if unknown := changes.keys() - set(CORRECTABLE):
        raise ValueError(f"not what a correction changes: {', '.join(sorted(unknown))}")
    return {name: _value(name, value) for name, value in changes.items()}


def _value(name: str, value: object) -> Any:
    match name:
        case "title":
            title = one_line(_text(name, value))
            if not title:
                raise invalid(name, value, "a text of at least one letter")
            return title
        case "document_type":
            return document_type_of(value)
        case "source_type":
            return source_type_of(value)
        case "fiscal_year":
            return None if value is None else year_of(value)
        case "fiscal_quarter":
            return None if value is None else quarter_of(value)
        case "published_on":
            return None if value in (None, "") else date_of(value)
        case "jurisdictions":
            return jurisdictions_of(value or ())
        case "language":
            return language_of(value) if value else ""
        case "ticker":
            return _text(name, value).upper()
        case _:
            return _text(name, value)


def _text(name: str, value: object) -> str:
    text = text_of("" if value is None else value, field=name)
    most: int | None = getattr(Document._meta.get_field(name), "max_length", None)
    if most is not None and len(text) > most:
        raise invalid(name, value, f"a text of at most {most} characters")
    return text


def _completed(stored: DocumentMetadata, changes: Mapping[str, Any]) -> DocumentMetadata:
    """Return the stored metadata with the changes, marked as corrected so that no reading fills them in.

    Raises: InvalidFieldError: a changed period has a quarter without a year.
    """
    wanted = replace(stored, **changes, corrected=tuple(sorted({*stored.corrected, *changes})))
    if wanted.fiscal_quarter is not None and wanted.fiscal_year is None and changes.keys() & _PERIOD:
        raise invalid("fiscal_quarter", wanted.fiscal_quarter, "a quarter of a fiscal_year; state that too, or neither")
    return wanted


_PERIOD = frozenset({"fiscal_year", "fiscal_quarter"})


def _require_free(document: Document, external_id: str) -> None:
    """Raise ExternalIdTakenError if another document of the scope has this external id.

    Otherwise the next upload with that id could become a version of the other document.
    """
    others = external_id_in_force(ScopeId(document.scope_id), external_id).exclude(series_id=document.series_id)
    if external_id and (other := others.order_by("-created_at", "-id").first()) is not None:
        raise ExternalIdTakenError(external_id=external_id, document=other.id)


def _correct_in_place(
    document: Document, jobs: list[IngestJob], wanted: DocumentMetadata, changed: list[str], kind: str
) -> Document:
    if restricted_among([document.id]):
        raise RestrictedContentError
    require_right(document.kind, Right.CORRECT)
    changed = _with_kind(changed, document, kind)
    # The jobs first: the database changes no kind of what a job has read (sql/kind_with_contents.sql).
    for job in jobs:
        _read_again(job)
    store_metadata(document, wanted)
    document.kind = kind
    # A document that gets another kind may get the source of that kind.
    document.save(update_fields=[*{*changed, "source_type"}, "corrected_fields"])
    _record(document, changed)
    return document


def _read_again(job: IngestJob) -> None:
    """Set the job back to reading the file, because what a worker has read or is reading has the old values.

    A worker that is running the job loses its lease and stops.
    """
    if job.stage == JobStage.EXTRACT and job.state != JobState.RUNNING:
        return
    job.stage = JobStage.EXTRACT
    job.chunks_embedded = 0
    if job.state == JobState.RUNNING:
        job.state = JobState.PENDING
        job.lease_owner, job.lease_until = "", None
        job.next_attempt_at = timezone.now() + IngestJob.resend_after
        enqueue(job)
    job.save()


def _record(document: Document, changed: list[str], *, corrected_by: str | None = None) -> None:
    record_document_event(CORRECTED, document, fields=",".join(sorted(changed)), corrected_by=corrected_by)
