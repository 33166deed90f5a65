"""What an inventory reads from documents and does with them, in the open scope: names, previews, redacted versions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState, Page
from apps.corpus.redaction.text import Preview, Span, previews, redact
from apps.corpus.registry import kind_names, name_of
from apps.corpus.services.ingest.restart import job_restart
from apps.corpus.services.redact import REDACTED_FIELDS, document_redact, older_versions
from apps.erasure.contracts import Target
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

_LABELS = {"title": "Title", "company": "Company", "ticker": "Ticker", "external_id": "Id in its source"}
_IN_PROGRESS_PERCENT = 5
_FIELD_CHARS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Spot:
    """A confirmed stretch of a document's text, in a page (by its number) or in a field (`part` is its name)."""

    page: int | None
    part: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Passage:
    """A passage before and after redaction, in pieces: (text, whether this piece changes)."""

    where: str
    before: tuple[tuple[str, bool], ...]
    after: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFacts:
    """A document as the screen names it. is_current: whether retrieval searches this version; only it can be redacted.

    detail: kind, scope, version and status in English. kind, status: their codes, for texts in another
            language. kind_name: the firm's name of the kind.
    """

    id: UUID
    name: str
    detail: str
    kind: str
    kind_name: str
    scope: str
    version: int
    status: str
    scope_id: UUID
    is_current: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class RedactedState:
    """The progress of a redacted version.

    number: which version of its document it is, from 1. ready_at: when its text became searchable.
    """

    number: int
    is_ready: bool
    is_failed: bool
    percent: int
    ready_at: datetime | None = None
    error_code: str = ""


def facts_of(ids: Iterable[UUID]) -> Mapping[UUID, DocumentFacts]:
    documents = Document.objects.filter(id__in=list(ids)).select_related("scope")
    names = kind_names()
    return {
        document.id: DocumentFacts(
            id=document.id,
            name=document.title,
            detail=f"{name_of(document.kind, names)}, {document.scope}, version {document.version}, "
            f"{document.get_status_display().lower()}",
            kind=document.kind,
            kind_name=name_of(document.kind, names),
            scope=str(document.scope),
            version=document.version,
            status=document.status,
            scope_id=document.scope_id,
            is_current=document.status == DocumentStatus.READY,
        )
        for document in documents
    }


def previews_of(document_id: UUID, spots: Sequence[Spot]) -> Sequence[Passage]:
    """Return what the document will read like, passage by passage."""
    document: Document | None = Document.objects.filter(id=document_id).first()
    if document is None:
        return ()
    found = []
    for name, spans in sorted(_of_fields(spots).items()):
        found += [_passage(_LABELS[name], each) for each in previews(getattr(document, name), spans)]
    of_pages = _of_pages(spots)
    pages = Page.objects.filter(document_id=document_id, number__in=of_pages).order_by("number")
    for number, text in pages.values_list("number", "text"):
        found += [_passage(f"Page {number}", each) for each in previews(text, of_pages[number])]
    return found


def redact_document(document_id: UUID, spots: Sequence[Spot]) -> UUID:
    """Make the document's next version without these stretches; the worker makes it searchable.

    Takes as long as reading the file does. Repeating the call gives the same version.

    Returns: the id of the redacted version. Raises: ApplicationError.
    """
    document: Document | None = Document.objects.filter(id=document_id).first()
    fields = {}
    for name, spans in _of_fields(spots).items() if document else ():
        # Cut to the field's maximum length: the redaction mark is longer than some names.
        fields[name] = redact(getattr(document, name), spans).text[:_FIELD_CHARS]
    if "ticker" in fields:
        # A ticker is too short for a mark.
        fields["ticker"] = ""
    pages = _of_pages(spots)
    if document is not None and spots and not pages and not fields:
        # All places are in the file's name or in what is derived from the pages. The next version keeps neither.
        fields["title"] = document.title
    made = document_redact(document_id=document_id, spans=pages, fields=fields)
    return UUID(str(made.document.id))


def redacted_states(ids: Iterable[UUID]) -> Mapping[UUID, RedactedState]:
    wanted = list(ids)
    jobs = {job.document_id: job for job in IngestJob.objects.filter(document_id__in=wanted).order_by("requested_at")}
    return {document.id: _state(document, jobs.get(document.id)) for document in Document.objects.filter(id__in=wanted)}


def restart_redaction(id: UUID) -> None:
    """Put a redacted version whose making failed back to work."""
    context = current_scope()
    context.principal.require(Permission.PRIVACY_MANAGE)
    job: IngestJob | None = IngestJob.objects.filter(document_id=id).order_by("-requested_at").first()
    if job is not None and job.state == JobState.FAILED:
        # A DPO may not restart jobs, so the platform restarts this one on the DPO's behalf, as it made the version.
        with open_scope(tenant=context.tenant_id, scopes=[ScopeId(job.scope_id)], reason="redaction of a document"):
            job_restart(job=job)


def versions_before(ids: Iterable[UUID]) -> Sequence[Target]:
    """Return all versions that are older than one of these versions of the same document. Costs: two queries."""
    return older_versions(Document.objects.filter(id__any_of=set(ids)))


def _of_fields(spots: Sequence[Spot]) -> dict[str, list[Span]]:
    found: dict[str, list[Span]] = defaultdict(list)
    for spot in spots:
        if spot.page is None and spot.part in REDACTED_FIELDS:
            found[spot.part].append(Span(spot.start, spot.end))
    return dict(found)


def _of_pages(spots: Sequence[Spot]) -> dict[int, list[Span]]:
    found: dict[int, list[Span]] = defaultdict(list)
    for spot in spots:
        if spot.page is not None:
            found[spot.page].append(Span(spot.start, spot.end))
    return dict(found)


def _passage(where: str, preview: Preview) -> Passage:
    return Passage(
        where=where,
        before=_pieces(preview.before, preview.removed),
        after=_pieces(preview.after, preview.marks),
    )


def _pieces(text: str, spans: Sequence[Span]) -> tuple[tuple[str, bool], ...]:
    pieces, done = [], 0
    for span in spans:
        pieces += [(text[done : span.start], False), (text[span.start : span.end], True)]
        done = span.end
    return tuple(piece for piece in (*pieces, (text[done:], False)) if piece[0])


def _state(document: Document, job: IngestJob | None) -> RedactedState:
    is_ready = document.status in (DocumentStatus.READY, DocumentStatus.SUPERSEDED)
    embedded = 100 * job.chunks_embedded // job.chunks_total if job is not None and job.chunks_total else 0
    return RedactedState(
        number=document.version,
        is_ready=is_ready,
        ready_at=job.finished_at if is_ready and job is not None else None,
        is_failed=document.status == DocumentStatus.FAILED,
        percent=100 if is_ready else max(_IN_PROGRESS_PERCENT, min(99, embedded)),
        error_code=document.error_code,
    )
