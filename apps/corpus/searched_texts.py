"""The texts of documents in which a person is searched for: metadata, chunk headers and pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from apps.corpus.chunking.context import SEPARATOR
from apps.corpus.models import Chunk, Document, Page
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import SearchedText, TextLocation, leaves

DOCUMENTS, CHUNKS, PAGES = "corpus.documents", "corpus.chunks", "corpus.pages"
FIELDS = ("title", "filename", "slug", "company", "ticker", "external_id", "error_detail", "warnings")
# The limits for one batch of documents, whose texts are in memory at the same time.
_BATCH_PAGES = 2_000
_BATCH_DOCUMENTS = 500


class DocumentTexts:
    """The texts of every version of every document in the open scope, one document after another."""

    stores: tuple[str, ...] = (DOCUMENTS, CHUNKS, PAGES)
    label = "Documents"
    columns = frozenset(
        [f"corpus_document.{name}" for name in FIELDS]
        + ["corpus_chunk.context_header", "corpus_chunk.section", "corpus_page.text"]
    )

    def count(self) -> int:
        pages: int = Page.objects.count()
        return pages + int(Document.objects.count())

    def texts(self) -> Iterator[SearchedText]:
        yield from self._texts(_batches(Document.objects.order_by("id")))

    def texts_of(self, document_id: UUID) -> Iterator[SearchedText]:
        """Yield the texts of one document."""
        yield from self._texts(_batches(Document.objects.filter(id=document_id)))

    def _texts(self, batches: Iterable[list[Any]]) -> Iterator[SearchedText]:
        for batch in batches:
            ids = [document_id for document_id, *_ in batch]
            headers, pages = _headers(ids), _pages(ids)
            for document_id, _, *fields in batch:
                target = Target(type=TargetType.DOCUMENT, id=document_id)
                for part, value in zip(FIELDS, fields, strict=True):
                    if text := leaves(value):
                        yield SearchedText(
                            place=TextLocation(store=DOCUMENTS, item_id=document_id, part=part, target=target),
                            text=text,
                        )
                for chunk_id, header in headers.get(document_id, ()):
                    yield SearchedText(
                        place=TextLocation(store=CHUNKS, item_id=chunk_id, part="header", target=target), text=header
                    )
                for page_id, number, text in pages.get(document_id, ()):
                    yield SearchedText(
                        place=TextLocation(store=PAGES, item_id=page_id, target=target, page=number), text=text
                    )

    def text_of(self, place: TextLocation) -> str | None:
        text: str | None
        if place.store == PAGES:
            text = _first(Page.objects.filter(id=place.item_id).values_list("text", flat=True))
        elif place.store == CHUNKS:
            found = _first(Chunk.objects.filter(id=place.item_id).values_list("context_header", "section"))
            text = None if found is None else _header_text(*found)
        elif place.part not in FIELDS:
            raise ValueError(f"documents have no searched part {place.part!r}")
        else:
            rows = Document.objects.filter(id=place.item_id).values_list(place.part, flat=True)
            text = leaves(rows[0]) if rows else None
        return text

    def scopes_of(self, places: Sequence[TextLocation]) -> Mapping[TextLocation, tuple[UUID, ...]]:
        ids = {place.target.id for place in places if place.target}
        found = dict(Document.objects.filter(id__in=ids).values_list("id", "scope_id"))
        return {place: (found[place.target.id],) for place in places if place.target and place.target.id in found}


def _batches(documents: Any) -> Iterator[list[Any]]:
    batch: list[Any] = []
    pages = 0
    for row in documents.values_list("id", "page_count", *FIELDS):
        if batch and (pages + row[1] > _BATCH_PAGES or len(batch) == _BATCH_DOCUMENTS):
            yield batch
            batch, pages = [], 0
        batch.append(row)
        pages += row[1]
    if batch:
        yield batch


def _headers(ids: Sequence[UUID]) -> dict[UUID, list[tuple[UUID, str]]]:
    """Return the distinct headers of each document's passages; they are few, since a section's passages share one."""
    found: dict[UUID, dict[str, UUID]] = defaultdict(dict)
    rows = Chunk.objects.filter(document_id__in=ids).order_by("document_id", "is_parent", "number")
    for chunk_id, document_id, header, section in rows.values_list("id", "document_id", "context_header", "section"):
        if text := _header_text(header, section):
            found[document_id].setdefault(text, chunk_id)
    return {document_id: [(id, text) for text, id in texts.items()] for document_id, texts in found.items()}


def _header_text(header: str, section: str) -> str:
    """Return the header and the section without the page, in which most headers of a section only differ."""
    parts = header.split(SEPARATOR)
    if parts[-1].startswith("page"):
        parts.pop()
    return "\n".join(part for part in (SEPARATOR.join(parts), section) if part)


def _pages(ids: Sequence[UUID]) -> dict[UUID, list[tuple[UUID, int, str]]]:
    found: dict[UUID, list[tuple[UUID, int, str]]] = defaultdict(list)
    rows = Page.objects.filter(document_id__in=ids).order_by("document_id", "number")
    for page_id, document_id, number, text in rows.values_list("id", "document_id", "number", "text"):
        found[document_id].append((page_id, number, text))
    return found


def _first(rows: Any) -> Any:
    return next(iter(rows[:1]), None)
