"""BM25 in plain SQL, under row-level security.

    score(chunk) = sum over the query's terms of
                   weight * idf * tf * (k1 + 1) / (tf + k1 * (1 - b + b * length / average length))
    idf          = ln(1 + (N - df + 0.5) / (df + 0.5))

N, df and the average length are computed over the live documents of the granted scopes and permitted kinds. A score
therefore reveals nothing about another scope, and a filter on company or period does not change what counts as a rare
word.

Source: Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; the 1 inside the logarithm
        keeps the weight of a very frequent term above zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from django.db import connection
from psycopg import sql

from apps.corpus.models import Chunk, Posting
from apps.corpus.terms import TERMS_VERSION
from apps.retrieval.contracts import ChunkId, DocumentId, Ranking, SearchBounds, SearchQuery, SparseHit, TermCoverage
from apps.retrieval.retrievers.documents import LIVE_DOCUMENTS, bound_parameters
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_BM25 = sql.SQL(_SQL["bm25"])
_SCORED: Final = sql.SQL(_SQL["scored"])
_SCORED_TWICE: Final = sql.SQL(_SQL["scored_twice"])
# The key says whether the question is as of an instant, and whether some chunks are also ranked separately.
_STATEMENTS: Final[Mapping[tuple[bool, bool], sql.Composed]] = {
    (past, twice): _BM25.format(
        live=live,
        scored=_SCORED_TWICE if twice else _SCORED,
        posting=sql.Identifier(Posting._meta.db_table),
        chunk=sql.Identifier(Chunk._meta.db_table),
    )
    for past, live in LIVE_DOCUMENTS.items()
    for twice in (False, True)
}
_COVERAGE: Final[Mapping[bool, sql.Composed]] = {
    past: sql.SQL(
        "SELECT count(*), count(*) FILTER (WHERE terms_version < %(terms_version)s::int) FROM ({live}) AS d "
        "WHERE eligible AND chunk_count > 0"
    ).format(live=live)
    for past, live in LIVE_DOCUMENTS.items()
}


class SparseRetriever:
    """Ranks chunks by BM25.

    Args: k1: saturation of term frequency, >= 0; b: share of length normalisation, 0 to 1.
    """

    name = "sparse"

    def __init__(self, *, k1: float, b: float) -> None:
        self._k1 = k1
        self._b = b

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        """Rank chunks by the query's terms.

        Args:    query: its terms, each once, with their weights.
                 within: scopes, kinds and filter.
                 top_k: the maximum number of hits.
        Returns: hits best first, ties by chunk id; chunks that hold none of the terms are not included. If the query is
                 counted otherwise by an older analysis, also the number of documents that it counted. If the query has
                 apart_terms, also their separate ranking.
        Costs:   one query; two if the query is counted otherwise.
        """
        if not query.terms or not within.kinds:
            return Ranking(name=self.name, hits=())
        parameters = {
            **bound_parameters(within),
            "terms": [each.term for each in query.terms],
            "weights": [each.weight for each in query.terms],
            "k1": self._k1,
            "b": self._b,
            "required": list(query.required_terms or query.apart_terms),
            "top_k": top_k,
            "apart_top_k": query.apart_top_k,
        }
        twice = bool(query.apart_terms)
        with connection.cursor() as cursor:
            cursor.execute(_STATEMENTS[within.as_of is not None, twice], parameters)
            rows = cursor.fetchall()
        return Ranking(
            name=self.name,
            coverage=_coverage(within) if query.counted_otherwise else None,
            hits=_hits(row for row in rows if not row[-1]),
            apart=_hits(row for row in rows if row[-1]) if twice else None,
        )


def _hits(rows: Iterable[tuple[Any, ...]]) -> tuple[SparseHit, ...]:
    return tuple(
        SparseHit(chunk_id=ChunkId(chunk_id), document_id=DocumentId(document_id), kind=kind, bm25_score=score)
        for chunk_id, document_id, kind, score, _ in rows
    )


def _coverage(within: SearchBounds) -> TermCoverage:
    with connection.cursor() as cursor:
        cursor.execute(
            _COVERAGE[within.as_of is not None], {**bound_parameters(within), "terms_version": TERMS_VERSION}
        )
        documents, outdated = cursor.fetchone()
    return TermCoverage(documents=documents, outdated=outdated)
