"""Rank by exact cosine similarity over the narrow vector table, within scopes and kinds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.db import connection
from psycopg import sql

from apps.corpus.models import EMBEDDING_MODELS
from apps.retrieval.contracts import (
    ChunkId,
    DenseHit,
    DocumentId,
    FloatVector,
    Ranking,
    SearchBounds,
    SearchQuery,
    VectorCoverage,
)
from apps.retrieval.errors import UnsupportedEmbeddingDimensionError
from apps.retrieval.retrievers.documents import LIVE_DOCUMENTS, bound_parameters
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_NEAREST = sql.SQL(_SQL["nearest"])
# The key is the dimension, and whether the question is as of an instant.
_STATEMENTS: Final[Mapping[tuple[int, bool], sql.Composed]] = {
    (dimension, past): _NEAREST.format(live=live, embedding=sql.Identifier(model._meta.db_table))
    for dimension, model in EMBEDDING_MODELS.items()
    for past, live in LIVE_DOCUMENTS.items()
}


class DenseRetriever:
    """Ranks every visible vector of the query's own model. Vectors of two models are never compared."""

    name = "dense"

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        """Rank chunks by cosine similarity.

        Args:    query: its vector is (d,) float32, unit norm; it also names the vector's model.
                 within: scopes, kinds and filter.
                 top_k: the maximum number of hits.
        Returns: hits best first, ties by chunk id, and the number of documents without vectors of that model; no hits
                 for a query without a vector.
        Raises:  UnsupportedEmbeddingDimensionError: no table holds vectors of that length.
        Costs:   one query; the search is exact, so its time grows with the number of visible vectors.
        """
        if query.vector is None or not within.kinds:
            return Ranking(name=self.name, hits=())
        dimension = len(query.vector)
        if dimension not in EMBEDDING_MODELS:
            supported = ", ".join(str(each) for each in sorted(EMBEDDING_MODELS))
            raise UnsupportedEmbeddingDimensionError(dimension=dimension, supported=supported)
        parameters = {
            **bound_parameters(within),
            "vector": _literal(query.vector),
            "model": query.embedding_model,
            "top_k": top_k,
        }
        with connection.cursor() as cursor:
            cursor.execute(_STATEMENTS[dimension, within.as_of is not None], parameters)
            rows = cursor.fetchall()
        documents, without_vectors = rows[0][:2]
        return Ranking(
            name=self.name,
            coverage=VectorCoverage(model=query.embedding_model, documents=documents, without_vectors=without_vectors),
            hits=tuple(
                DenseHit(
                    chunk_id=ChunkId(chunk_id),
                    document_id=DocumentId(document_id),
                    kind=kind,
                    cosine_similarity=similarity,
                )
                for _, _, chunk_id, document_id, kind, similarity in rows
                if chunk_id is not None
            ),
        )


def _literal(vector: FloatVector) -> str:
    """Return the vector in pgvector's text form."""
    return "[" + ",".join(map(str, vector.tolist())) + "]"
