"""Load the text of chunks that were found, with the facts of their documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

import numpy as np
from django.db import connection
from psycopg import sql

from apps.corpus.extraction.statements import Statement
from apps.corpus.models import EMBEDDING_MODELS, Chunk, Document, Posting
from apps.corpus.terms import statement_term
from apps.retrieval.contracts import (
    AskedFigures,
    ChunkId,
    DocumentFacts,
    DocumentId,
    FactCell,
    FloatVector,
    FoundLine,
    SearchBounds,
    StoredChunk,
)
from apps.retrieval.errors import UnsupportedEmbeddingDimensionError
from apps.retrieval.retrievers.documents import (
    GIVEN,
    LIVE,
    OWN_PERIODS,
    given_parameters,
    of_own_periods,
    own_period_parameters,
    reachable,
)
from apps.retrieval.retrievers.fact_rows import find_fact_cells, find_fact_rows
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_OF_CHUNK: Final = ("number", "text", "context_header", "page_start", "page_end", "char_start", "content_sha256")
_OF_DOCUMENT: Final = (
    "slug",
    "title",
    "version",
    "kind",
    "company",
    "document_type",
    "fiscal_year",
    "fiscal_quarter",
    "published_on",
    "jurisdictions",
)
_CHUNKS: Final = sql.SQL(_SQL["chunks"])
_DOCUMENTS: Final = sql.SQL(_SQL["documents"])


class _By(StrEnum):
    """The key by which passages are looked up."""

    ID = "id"
    NUMBER = "number"
    PARENT = "parent"


_WHICH: Final[Mapping[_By, sql.Composable]] = {
    _By.ID: sql.SQL("c.id = ANY (%(ids)s::uuid[])"),
    _By.NUMBER: sql.SQL(_SQL["by_number"]).format(chunk=sql.Identifier(Chunk._meta.db_table)),
    _By.PARENT: sql.SQL(_SQL["by_parent"]).format(chunk=sql.Identifier(Chunk._meta.db_table)),
}
_CHUNKS_BY: Final[Mapping[_By, sql.Composed]] = {
    by: _CHUNKS.format(
        chunk=sql.Identifier(Chunk._meta.db_table),
        columns=sql.SQL(", ").join(sql.Identifier("c", name) for name in _OF_CHUNK),
        which=which,
    )
    for by, which in _WHICH.items()
}
# The key says whether the question is as of an instant.
_LIVE_DOCUMENTS: Final[Mapping[bool, sql.Composed]] = {
    past: _DOCUMENTS.format(
        document=sql.Identifier(Document._meta.db_table),
        columns=sql.SQL(", ").join(sql.Identifier("d", name) for name in _OF_DOCUMENT),
        live=condition,
        own_periods=OWN_PERIODS,
        given=GIVEN,
    )
    for past, condition in LIVE.items()
}


class CorpusChunkStore:
    """Loads child chunks of live documents, within the same scopes, kinds and given filters as the search.

    Periods of single companies apply here too: a company's older report must not come in as another's newest.
    """

    def load(self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> tuple[StoredChunk, ...]:
        """Load chunks by id, ordered by id.

        Returns: the chunks that still exist. A chunk that was removed or superseded since the search is omitted.
        Costs:   two queries.
        """
        found = _stored(_By.ID, within, ids=list(chunk_ids))
        return tuple(sorted((chunk for _, chunk in found), key=lambda chunk: chunk.chunk_id))

    def on_statements(
        self, document_ids: Sequence[DocumentId], statements: Sequence[Statement], *, within: SearchBounds, most: int
    ) -> tuple[StoredChunk, ...]:
        """Return the passages of live documents whose page prints one of the statements, by the statement's term.

        Returns: by document in the order given, then by number; at most `most`, each with the statements that mark it.
        Costs:   four queries.
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
        documents, numbers = (list(each) for each in zip(*wanted, strict=True))
        chunks = [chunk for _, chunk in _stored(_By.NUMBER, within, documents=documents, numbers=numbers)]
        marked = (replace(chunk, statements=tuple(borne[chunk.document.document_id, chunk.number])) for chunk in chunks)
        return tuple(sorted(marked, key=lambda chunk: (place[chunk.document.document_id], chunk.number)))

    def with_facts(
        self, document_ids: Sequence[DocumentId], asked: AskedFigures, *, within: SearchBounds, most: int
    ) -> tuple[tuple[StoredChunk, tuple[FoundLine, ...]], ...]:
        """Return the passages of live documents with rows that give a figure asked for, with these rows.

        Returns: by document in the order given, then by number.
        Costs:   three queries.
        """
        rows = find_fact_rows(document_ids, asked, within=within, most=most)
        place = {document_id: position for position, document_id in enumerate(document_ids)}
        chunks = self.load(tuple(rows), within=within) if rows else ()
        ordered = sorted(chunks, key=lambda chunk: (place[chunk.document.document_id], chunk.number))
        return tuple((chunk, rows[chunk.chunk_id]) for chunk in ordered)

    def fact_cells(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[FactCell, ...]]:
        """Return the figures of passages that are facts, in the order of the text. Costs: one query."""
        return find_fact_cells(chunk_ids, within=within)

    def around(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[StoredChunk, ...]]:
        """Return the other chunks of each chunk's parent, from live documents within the same scopes and kinds.

        Returns: chunk id -> the others, in reading order. A chunk without a parent, or alone in its parent, is omitted.
        Costs:   two queries; none for no chunks.
        """
        if not chunk_ids:
            return {}
        by_parent: dict[UUID | None, list[StoredChunk]] = defaultdict(list)
        for parent_id, chunk in _stored(_By.PARENT, within, ids=list(chunk_ids)):
            by_parent[parent_id].append(chunk)
        siblings = {chunk.chunk_id: together for together in by_parent.values() for chunk in together}
        found = {
            chunk_id: tuple(each for each in siblings[chunk_id] if each.chunk_id != chunk_id)
            for chunk_id in chunk_ids
            if chunk_id in siblings
        }
        return {chunk_id: others for chunk_id, others in found.items() if others}

    def vectors(
        self, chunk_ids: Sequence[ChunkId], *, model: str, dimension: int, within: SearchBounds
    ) -> Mapping[ChunkId, FloatVector]:
        """Return the stored vectors of chunks of live documents, within the same scopes and kinds as the search.

        Args:    model, dimension: of the embedding; vectors of two models are never compared.
        Returns: chunk id -> (dimension,) float32, unit norm. A chunk without a vector of that model is omitted.
        Raises:  UnsupportedEmbeddingDimensionError: no table holds vectors of that length.
        Costs:   one query.
        """
        if dimension not in EMBEDDING_MODELS:
            supported = ", ".join(str(each) for each in sorted(EMBEDDING_MODELS))
            raise UnsupportedEmbeddingDimensionError(dimension=dimension, supported=supported)
        rows = EMBEDDING_MODELS[dimension].objects.filter(
            tenant_id=within.tenant_id,
            scope_id__in=within.scope_ids,
            kind__in=within.kinds,
            model=model,
            chunk_id__in=list(chunk_ids),
            document_id__in=reachable(within).filter(of_own_periods(within.filter)).values("id"),
        )
        return {ChunkId(row.chunk_id): _unit(row.vector) for row in rows}


def _stored(by: _By, within: SearchBounds, **parameters: Any) -> Iterator[tuple[UUID | None, StoredChunk]]:
    """Yield child chunks of live documents, by number, each with its parent's id. Costs: two queries."""
    bounds: dict[str, Any] = {
        "tenant": within.tenant_id,
        "scopes": list(within.scope_ids),
        "kinds": [str(kind) for kind in within.kinds],
    }
    with connection.cursor() as cursor:
        cursor.execute(_CHUNKS_BY[by], bounds | parameters)
        rows = cursor.fetchall()
    documents = _live_documents({row[2] for row in rows}, within, bounds)
    for id, parent_id, document_id, section, *columns in rows:
        if document_id in documents:
            document, language = documents[document_id]
            of_chunk: dict[str, Any] = dict(zip(_OF_CHUNK, columns, strict=True))
            yield (
                parent_id,
                StoredChunk(chunk_id=ChunkId(id), document=document, section=section, language=language, **of_chunk),
            )


def _live_documents(
    ids: Collection[UUID], within: SearchBounds, bounds: Mapping[str, Any]
) -> dict[UUID, tuple[DocumentFacts, str]]:
    """Return the facts and the language of each of these documents that is live, by document id."""
    if not ids:
        return {}
    past = within.as_of is not None
    parameters = {
        **bounds,
        **own_period_parameters(within.filter),
        **given_parameters(within.given),
        "documents": list(ids),
        **({"as_of": within.as_of} if past else {}),
    }
    found: dict[UUID, tuple[DocumentFacts, str]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_LIVE_DOCUMENTS[past], parameters)
        for id, language, *columns in cursor.fetchall():
            of_document: dict[str, Any] = dict(zip(_OF_DOCUMENT, columns, strict=True))
            of_document["jurisdictions"] = tuple(of_document["jurisdictions"])
            found[id] = DocumentFacts(document_id=DocumentId(id), **of_document), language
    return found


def _unit(stored: list[float]) -> FloatVector:
    """Return the stored vector scaled to unit norm. It is stored in half precision, which changes its norm slightly."""
    vector = np.asarray(stored, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))
