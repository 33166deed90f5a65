"""Look up where passages stand by their ids. The text itself stays on the document's page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from apps.corpus.models import Chunk
from apps.retrieval.contracts import ChunkId, DocumentId


@dataclass(frozen=True, slots=True, kw_only=True)
class PassagePlace:
    """The place of a passage. Pages count from 1; char_start and char_end count characters of that page."""

    document_id: DocumentId
    document_title: str
    document_version: int
    kind: str
    page: int
    section: str
    char_start: int
    char_end: int


def passage_places(chunk_ids: Iterable[ChunkId]) -> Mapping[ChunkId, PassagePlace]:
    """Return where the passages stand, within the open scope, without those that were removed. Costs one query."""
    chunks = Chunk.objects.filter(id__in=set(chunk_ids)).select_related("document").defer("text")
    return {
        ChunkId(chunk.id): PassagePlace(
            document_id=DocumentId(chunk.document_id),
            document_title=chunk.document.title,
            document_version=chunk.document.version,
            kind=chunk.kind,
            page=chunk.page_start,
            section=chunk.section,
            char_start=chunk.char_start,
            char_end=chunk.char_end,
        )
        for chunk in chunks
    }
