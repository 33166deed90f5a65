"""The corpus' part in the inventory of a request for erasure: how a person is found, and what becomes of documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from uuid import UUID

from apps.audit.erasure.contracts import Target
from apps.audit.inventory.contracts import (
    DocumentFacts,
    Mentioned,
    Passage,
    Progress,
    RedactedState,
    Spot,
    Stretch,
)
from apps.audit.requests.details import Details
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobStatus, Page
from apps.corpus.people.contracts import PersonDescription, PersonName
from apps.corpus.people.redaction import Preview, Span, previews, redact
from apps.corpus.people.same_places import same_places
from apps.corpus.people.search import PersonSearch, person_search
from apps.corpus.services.ingest_restart import job_restart
from apps.corpus.services.redact import REDACTED_FIELDS, document_redact, older_versions
from apps.tenants.context import current_scope, open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

_IBAN_CHARS = range(15, 35)
_LEAST_ACCOUNT_CHARS = 4
_LABELS = {"title": "Title", "company": "Company", "ticker": "Ticker", "external_id": "Id in its source"}
_IN_PROGRESS_PERCENT = 5
_FIELD_CHARS = 200


def described(details: Details) -> PersonDescription:
    """Whom a DPO described, as the search takes it: numbers by what they look like."""
    ibans, accounts, words = [], [], []
    for number in details.identifiers:
        letters = "".join(char for char in number if char.isalnum())
        if letters[:2].isalpha() and letters[2:4].isdigit() and len(letters) in _IBAN_CHARS:
            ibans.append(number)
        elif len(letters) >= _LEAST_ACCOUNT_CHARS and any(char.isdigit() for char in letters):
            accounts.append(number)
        else:
            words.append(number)
    return PersonDescription(
        names=tuple(PersonName(full=name) for name in details.names),
        aliases=details.aliases,
        emails=details.emails,
        phones=details.phones,
        ibans=tuple(ibans),
        accounts=tuple(accounts),
        words=tuple(words),
    )


class FoundPerson:
    """A search, mention by mention. See apps.audit.inventory.contracts.Search."""

    def __init__(self, search: PersonSearch) -> None:
        self._search = search

    @property
    def done(self) -> int:
        return self._search.done

    @property
    def total(self) -> int:
        return self._search.total

    @property
    def unreadable(self) -> int:
        return self._search.unreadable

    def __iter__(self) -> Iterator[Mentioned]:
        for hits in self._search:
            yield from hits.mentions


def find_person(details: Details, *, progress: Progress) -> FoundPerson:
    return FoundPerson(person_search(person=described(details), progress=progress))


class InventoryDocuments:
    """See apps.audit.inventory.contracts.Documents."""

    def facts(self, ids: Iterable[UUID]) -> Mapping[UUID, DocumentFacts]:
        documents = Document.objects.filter(id__in=list(ids)).select_related("scope")
        return {
            document.id: DocumentFacts(
                id=document.id,
                name=document.title,
                detail=f"{document.get_kind_display()}, {document.scope}, version {document.version}, "
                f"{document.get_status_display().lower()}",
                kind=document.kind,
                scope=str(document.scope),
                version=document.version,
                status=document.status,
                scope_id=document.scope_id,
                is_current=document.status == DocumentStatus.READY,
            )
            for document in documents
        }

    def previews(self, document_id: UUID, spots: Sequence[Spot]) -> Sequence[Passage]:
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

    def redact(self, document_id: UUID, spots: Sequence[Spot]) -> UUID:
        document: Document | None = Document.objects.filter(id=document_id).first()
        fields = {}
        for name, spans in _of_fields(spots).items() if document else ():
            # As long as it may be: a mark is longer than some names.
            fields[name] = redact(getattr(document, name), spans).text[:_FIELD_CHARS]
        if "ticker" in fields:
            # It is too short for a mark.
            fields["ticker"] = ""
        pages = _of_pages(spots)
        if document is not None and spots and not pages and not fields:
            # Found in the file's name or in what is made of the pages alone: a next version has neither.
            fields["title"] = document.title
        made = document_redact(document_id=document_id, spans=pages, fields=fields)
        return UUID(str(made.document.id))

    def redacted(self, ids: Iterable[UUID]) -> Mapping[UUID, RedactedState]:
        wanted = list(ids)
        jobs = {job.document_id: job for job in IngestJob.objects.filter(document_id__in=wanted).order_by("created_at")}
        return {
            document.id: _state(document, jobs.get(document.id)) for document in Document.objects.filter(id__in=wanted)
        }

    def try_again(self, id: UUID) -> None:
        context = current_scope()
        context.principal.require(Permission.PRIVACY_MANAGE)
        job: IngestJob | None = IngestJob.objects.filter(document_id=id).order_by("-created_at").first()
        if job is not None and job.status == JobStatus.FAILED:
            # Starting jobs again is not a DPO's right; this one is the platform's, on the DPO's word, as making it was.
            with open_scope(tenant=context.tenant_id, scopes=[ScopeId(job.scope_id)], reason="redaction of a document"):
                job_restart(job=job)

    def versions_before(self, ids: Iterable[UUID]) -> Sequence[Target]:
        return older_versions(Document.objects.filter(id__any_of=set(ids)))

    def same_places(
        self, *, before: Sequence[Stretch], removed: Sequence[Stretch], after: Sequence[Stretch]
    ) -> Mapping[Stretch, Stretch]:
        return same_places(before=before, removed=removed, after=after)


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
