"""Redact a document: make a next version without some of its passages."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from django.conf import settings
from django.db import connection, transaction

from apps.corpus.errors import DocumentNotFoundError, PageNotFoundError
from apps.corpus.events import REDACTED
from apps.corpus.extraction import ExtractionError
from apps.corpus.extraction.contracts import Page as ExtractedPage
from apps.corpus.extraction.rendition import write_rendition
from apps.corpus.models import Document, DocumentStatus, IngestJob, Page, SourceFile
from apps.corpus.reader import pages_contained
from apps.corpus.redaction.errors import NothingToRedactError, NotRedactableError
from apps.corpus.redaction.pages import pages_of_lines, redacted_pages
from apps.corpus.redaction.text import Span
from apps.corpus.services.ingest.document import document_ingest
from apps.corpus.services.ingest.events import record_document_event
from apps.corpus.services.ingest.metadata import DocumentMetadata, metadata_of
from apps.erasure.contracts import Target, TargetType
from apps.tenants.advisory import advisory_key
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

REDACTED_FIELDS = ("title", "company", "ticker", "external_id")


@dataclass(frozen=True, slots=True, kw_only=True)
class Redaction:
    """The result of a redaction: the new version, the job that makes it searchable, and the older versions.

    old: the versions that still hold the removed passages.
    """

    document: Document
    job: IngestJob
    old: tuple[Target, ...]


def document_redact(
    *, document_id: UUID, spans: Mapping[int, Sequence[Span]], fields: Mapping[str, str] | None = None
) -> Redaction:
    """Make the next version of a document, with a mark in place of each span; leave the old versions for an erasure.

    The new version is ingested as usual: this function stores its row, file and job, and the worker makes its chunks,
    postings and vectors. Its file is a text made of the redacted pages, with the same page numbers and blocks and a
    note that says so; it can't be the original bytes, because they still hold the removed passages. The previous
    version stays searchable until the new one is ready, unless it is restricted. `old` names the previous version and
    all before it. Repeating the same redaction returns the version that the first one made.

    Args:    spans: by page number; character ranges of the page's stored text.
             fields: new values of title, company, ticker and external_id, if those hold the person's name too. The
             file's name is always replaced.
    Raises:  PermissionDeniedError, DocumentNotFoundError, PageNotFoundError, NotRedactableError: the document is not
             the version that is searched; NothingToRedactError; ValueError: a span is not within its page;
             ValidationError: a field's value is invalid.
    Costs:   reading the file once more, which for a long PDF takes as long as its ingest did: call it from a worker.
    """
    context = current_scope()
    context.principal.require(Permission.PRIVACY_MANAGE)
    changed = dict(fields or {})
    if unknown := changed.keys() - set(REDACTED_FIELDS):
        raise ValueError(f"not a field that redaction changes: {', '.join(sorted(unknown))}")
    with transaction.atomic():
        _one_at_a_time(document_id)
        document: Document | None = Document.objects.filter(id=document_id).first()
        if document is None:
            raise DocumentNotFoundError(document=document_id)
        if document.status != DocumentStatus.READY:
            raise NotRedactableError(document=document_id, status=document.get_status_display().lower())
        chosen = {page: list(of_page) for page, of_page in spans.items() if of_page}
        if not chosen and not changed:
            raise NothingToRedactError(document=document_id)
        pages = _pages(document)
        if unknown_pages := chosen.keys() - {page.number for page in pages}:
            raise PageNotFoundError(document=document_id, page=min(unknown_pages), pages=document.page_count)
        content = write_rendition(redacted_pages(pages, chosen), note=_note(document, changed))
        scope_id = ScopeId(document.scope_id)
        # A data protection officer has no permission to add documents, so the system adds this one. The event below
        # records the officer's decision.
        with open_scope(tenant=context.tenant_id, scopes=[scope_id], reason="redaction of a document"):
            made = document_ingest(
                content=content,
                filename=f"redacted-{str(document.series_id)[:8]}.txt",
                scope_id=scope_id,
                kind=document.kind,
                metadata=_with(metadata_of(document), changed),
                replaces=document.id,
            )
        record_document_event(
            REDACTED,
            document,
            pages=len(chosen),
            passages=sum(map(len, chosen.values())),
            fields=",".join(sorted(changed)),
            redacted_id=str(made.document.id),
        )
    return Redaction(document=made.document, job=made.job, old=older_versions([made.document]))


def older_versions(documents: Iterable[Document]) -> tuple[Target, ...]:
    """Return all earlier versions of these documents as targets, the oldest of each series first. Costs: one query."""
    newest: dict[tuple[UUID, UUID], int] = {}
    for document in documents:
        series = document.scope_id, document.series_id
        newest[series] = max(document.version, newest.get(series, 0))
    versions = Document.objects.filter(series_id__any_of={series_id for _, series_id in newest})
    rows = versions.order_by("series_id", "version").values_list("id", "version", "scope_id", "series_id")
    return tuple(
        Target(type=TargetType.DOCUMENT, id=id)
        for id, version, scope_id, series_id in rows
        if version < newest.get((scope_id, series_id), 0)
    )


def _note(document: Document, changed: Mapping[str, str]) -> str:
    """Return the note in the redacted file, which contains a digest of the changed fields.

    Two redactions that leave the same text but change other fields so make different files; repeating a redaction
    makes the same file.
    """
    values = "\x1f".join(f"{name}={changed[name]}" for name in sorted(changed))
    digest = hashlib.sha256(values.encode()).hexdigest()[:12]
    return f"Made of version {document.version}; fields {digest if changed else 'as they were'}."


def _one_at_a_time(document_id: UUID) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("redact", document_id)])


def _pages(document: Document) -> list[ExtractedPage]:
    """Return the pages as they are stored, with the blocks that a new reading of the file finds on them."""
    own = Page.objects.filter(document=document)
    stored = list(own.order_by("number").values_list("number", "text", "extracted"))
    recognises = settings.GLASSBOX_OCR and own.filter(ocr_confidence__isnull=False).exists()
    content = bytes(SourceFile.objects.get(document=document).content)
    try:
        read = pages_contained(content, filename=document.filename, recognises=recognises).pages
    except ExtractionError:
        read = ()
    if [(page.number, page.text, page.extracted) for page in read] == stored:
        return list(read)
    # Another release read the file at ingest. The stored text is what was searched and cited, so keep that text.
    return pages_of_lines(stored)


def _with(about: DocumentMetadata, changed: Mapping[str, str]) -> DocumentMetadata:
    return replace(
        about,
        title=changed.get("title", about.title),
        company=changed.get("company", about.company),
        ticker=changed.get("ticker", about.ticker),
        external_id=changed.get("external_id", about.external_id),
    )
