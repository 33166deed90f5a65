"""The texts of documents, for the search for a person: what is known about each, its chunks' headers, its pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from uuid import UUID

from apps.audit.erasure.contracts import Target, TargetType
from apps.audit.erasure.searched import Place, SearchedText
from apps.corpus.chunking.context import SEPARATOR
from apps.corpus.models import Chunk, Document, Page

DOCUMENTS, CHUNKS, PAGES = "corpus.documents", "corpus.chunks", "corpus.pages"
FIELDS = ("title", "filename", "company", "external_id", "error_detail")
# Documents that are read at once: their texts are in memory together.
_BATCH_PAGES = 2_000
_BATCH_DOCUMENTS = 500


class DocumentTexts:
    """Every version of every document that the scope shows, a document at a time."""

    stores: tuple[str, ...] = (DOCUMENTS, CHUNKS, PAGES)
    label = "Documents"

    def count(self) -> int:
        pages: int = Page.objects.count()
        return pages + int(Document.objects.count())

    def texts(self) -> Iterator[SearchedText]:
        for batch in _batches():
            ids = [document_id for document_id, *_ in batch]
            headers, pages = _headers(ids), _pages(ids)
            for document_id, _, *fields in batch:
                target = Target(type=TargetType.DOCUMENT, id=document_id)
                for part, text in zip(FIELDS, fields, strict=True):
                    if text:
                        yield SearchedText(
                            place=Place(store=DOCUMENTS, item_id=document_id, part=part, target=target), text=text
                        )
                for chunk_id, header in headers.get(document_id, ()):
                    yield SearchedText(
                        place=Place(store=CHUNKS, item_id=chunk_id, part="header", target=target), text=header
                    )
                for page_id, number, text in pages.get(document_id, ()):
                    yield SearchedText(place=Place(store=PAGES, item_id=page_id, target=target, page=number), text=text)

    def text_of(self, place: Place) -> str | None:
        text: str | None
        if place.store == PAGES:
            text = _first(Page.objects.filter(id=place.item_id).values_list("text", flat=True))
        elif place.store == CHUNKS:
            found = _first(Chunk.objects.filter(id=place.item_id).values_list("context_header", "section"))
            text = None if found is None else _header_text(*found)
        elif place.part not in FIELDS:
            raise ValueError(f"documents have no searched part {place.part!r}")
        else:
            text = _first(Document.objects.filter(id=place.item_id).values_list(place.part, flat=True))
        return text

    def scopes_of(self, places: Sequence[Place]) -> Mapping[Place, tuple[UUID, ...]]:
        ids = {place.target.id for place in places if place.target}
        found = dict(Document.objects.filter(id__in=ids).values_list("id", "scope_id"))
        return {place: (found[place.target.id],) for place in places if place.target and place.target.id in found}


def _batches() -> Iterator[list[Any]]:
    batch: list[Any] = []
    pages = 0
    for row in Document.objects.order_by("id").values_list("id", "page_count", *FIELDS):
        if batch and (pages + row[1] > _BATCH_PAGES or len(batch) == _BATCH_DOCUMENTS):
            yield batch
            batch, pages = [], 0
        batch.append(row)
        pages += row[1]
    if batch:
        yield batch


def _headers(ids: Sequence[UUID]) -> dict[UUID, list[tuple[UUID, str]]]:
    """The different headers of each document's passages: a few, since those of a section share theirs."""
    found: dict[UUID, dict[str, UUID]] = defaultdict(dict)
    rows = Chunk.objects.filter(document_id__in=ids).order_by("document_id", "is_parent", "number")
    for chunk_id, document_id, header, section in rows.values_list("id", "document_id", "context_header", "section"):
        if text := _header_text(header, section):
            found[document_id].setdefault(text, chunk_id)
    return {document_id: [(id, text) for text, id in texts.items()] for document_id, texts in found.items()}


def _header_text(header: str, section: str) -> str:
    """Without the page, which is all that tells most headers of a section apart."""
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
