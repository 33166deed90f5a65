"""The text of found chunks, with the facts of their documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from uuid import UUID

import numpy as np
from django.db.models import Q, QuerySet

from apps.corpus.extraction.statements import Statement
from apps.corpus.models import EMBEDDING_MODELS, Chunk, Document, Posting
from apps.corpus.terms import statement_term
from apps.retrieval.contracts import ChunkId, DocumentFacts, DocumentId, FloatVector, SearchBounds, StoredChunk
from apps.retrieval.errors import UnsupportedEmbeddingDimensionError
from apps.retrieval.retrievers.documents import live


class CorpusChunkStore:
    """Loads child chunks of live documents, within the same scopes and kinds as the search."""

    def load(self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> tuple[StoredChunk, ...]:
        """Load chunks by id, ordered by id.

        Returns: those that are still there; one that was removed or superseded since the search is not.
        Costs:   two queries.
        """
        return _stored(Q(id__in=list(chunk_ids)), within, order=("id",))

    def on_statements(
        self, document_ids: Sequence[DocumentId], statements: Sequence[Statement], *, within: SearchBounds, most: int
    ) -> tuple[StoredChunk, ...]:
        """The passages of live documents whose page prints one of the statements, by the terms that they bear.

        Returns: by document in the order given, then by number; at most `most`, each with the statements it bears.
        Costs:   three queries.
        """
        postings = Posting.objects.filter(
            tenant_id=within.tenant_id,
            scope_id__in=within.scope_ids,
            kind__in=within.kinds,
            document_id__in=list(document_ids),
            term__in=[statement_term(each.value) for each in statements],
        )
        borne: dict[tuple[UUID, int], list[Statement]] = {}
        terms = {statement_term(each.value): each for each in statements}
        for document_id, term, numbers in postings.order_by("term").values_list("document_id", "term", "chunk_numbers"):
            for number in numbers:
                borne.setdefault((document_id, number), []).append(terms[term])
        place = {document_id: position for position, document_id in enumerate(document_ids)}
        wanted = sorted(borne, key=lambda key: (place[DocumentId(key[0])], key[1]))[:most]
        if not wanted:
            return ()
        of_each = (
            Q(document_id=document_id, number__in=[number for found, number in wanted if found == document_id])
            for document_id in {document_id for document_id, _ in wanted}
        )
        chunks = _stored(reduce(or_, of_each), within, order=("number",))
        marked = (replace(chunk, statements=tuple(borne[chunk.document.document_id, chunk.number])) for chunk in chunks)
        return tuple(sorted(marked, key=lambda chunk: (place[chunk.document.document_id], chunk.number)))

    def around(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[StoredChunk, ...]]:
        """Of each of these chunks the others of its parent, of live documents, within the same scopes and kinds.

        Returns: chunk id -> the others, in reading order; a chunk without a parent, or alone in it, is left out.
        Costs:   three queries; none for no chunks.
        """
        if not chunk_ids:
            return {}
        children = _children(Q(), within)
        parents = children.filter(id__in=list(chunk_ids), parent_id__isnull=False)
        parent_of = dict(
            children.filter(parent_id__in=parents.values("parent_id")).values_list("id", "parent_id"),
        )
        by_parent: dict[UUID | None, list[StoredChunk]] = defaultdict(list)
        for chunk in _stored(Q(id__in=list(parent_of)), within, order=("number", "id")):
            by_parent[parent_of[chunk.chunk_id]].append(chunk)
        wanted = (chunk_id for chunk_id in chunk_ids if chunk_id in parent_of)
        found = {
            chunk_id: tuple(each for each in by_parent[parent_of[chunk_id]] if each.chunk_id != chunk_id)
            for chunk_id in wanted
        }
        return {chunk_id: others for chunk_id, others in found.items() if others}

    def vectors(
        self, chunk_ids: Sequence[ChunkId], *, model: str, dimension: int, within: SearchBounds
    ) -> Mapping[ChunkId, FloatVector]:
        """The stored vectors of chunks of live documents, within the same scopes and kinds as the search.

        Args:    model, dimension: of the embedding; vectors of two models are never compared.
        Returns: chunk id -> (dimension,) float32, unit norm; a chunk without a vector of that model is left out.
        Raises:  UnsupportedEmbeddingDimensionError: no table holds vectors of that length.
        Costs:   one query.
        """
        if dimension not in EMBEDDING_MODELS:
            supported = ", ".join(str(each) for each in sorted(EMBEDDING_MODELS))
            raise UnsupportedEmbeddingDimensionError(dimension=dimension, supported=supported)
        visible = Document.objects.filter(
            live(within), tenant_id=within.tenant_id, scope_id__in=within.scope_ids, kind__in=within.kinds
        )
        rows = EMBEDDING_MODELS[dimension].objects.filter(
            tenant_id=within.tenant_id,
            scope_id__in=within.scope_ids,
            kind__in=within.kinds,
            model=model,
            chunk_id__in=list(chunk_ids),
            document_id__in=visible.values("id"),
        )
        return {ChunkId(row.chunk_id): _unit(row.vector) for row in rows}


def _children(which: Q, within: SearchBounds) -> QuerySet[Chunk]:
    return Chunk.objects.filter(
        which, tenant_id=within.tenant_id, scope_id__in=within.scope_ids, kind__in=within.kinds, is_parent=False
    )


def _stored(which: Q, within: SearchBounds, *, order: tuple[str, ...]) -> tuple[StoredChunk, ...]:
    """Child chunks of live documents, with their facts."""
    found = list(_children(which, within).order_by(*order))
    documents = {
        document.id: document
        for document in Document.objects.filter(
            live(within),
            tenant_id=within.tenant_id,
            scope_id__in=within.scope_ids,
            id__in={chunk.document_id for chunk in found},
        )
    }
    facts = {document_id: _facts(document) for document_id, document in documents.items()}
    return tuple(
        StoredChunk(
            chunk_id=ChunkId(chunk.id),
            document=facts[chunk.document_id],
            number=chunk.number,
            text=chunk.text,
            context_header=chunk.context_header,
            page_start=chunk.page_start,
            page_end=chunk.page_end,
            char_start=chunk.char_start,
            section=chunk.section or chunk.sec_item,
            language=documents[chunk.document_id].language,
            content_sha256=chunk.content_sha256,
        )
        for chunk in found
        if chunk.document_id in facts
    )


def _unit(stored: list[float]) -> FloatVector:
    """Stored with half the digits, a vector is no longer of unit norm to the last one."""
    vector = np.asarray(stored, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def _facts(document: Document) -> DocumentFacts:
    return DocumentFacts(
        document_id=DocumentId(document.id),
        slug=document.slug,
        title=document.title,
        version=document.version,
        kind=document.kind,
        company=document.company,
        document_type=document.document_type,
        fiscal_year=document.fiscal_year,
        fiscal_quarter=document.fiscal_quarter,
        published_on=document.published_on,
        jurisdictions=tuple(document.jurisdictions),
    )
