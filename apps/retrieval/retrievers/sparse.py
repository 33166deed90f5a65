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

# Reasons for the form of each step, as measured on 41,000 chunks:
# - A posting holds one document's chunks with a term, so df is counted without unpacking, and only documents that pass
#   the filter are unpacked.
# - Postings are read term by term (LATERAL, kept separate by OFFSET 0). With all terms in one condition, a planner
#   without fresh statistics, as after a large ingest, reads every posting of the scope (330 ms instead of 5).
# - Chunks are grouped by one bigint (the document's place in `live`, the chunk's number), which hashes in half the time
#   of a uuid, a text and an int.
# - The last bits of a sum of floats depend on the order of its rows. Rounding them away keeps equal scores equal, and
#   ties by chunk id stable.
# - A chunk's id is looked up only for the hits. In a join, the planner would read every chunk of the tenant.
_BM25 = sql.SQL(
    """
    WITH live AS MATERIALIZED (
        SELECT id, scope_id, kind, chunk_count, term_count, eligible, row_number() OVER () AS place FROM ({live}) AS d
    ),
    size AS MATERIALIZED (
        SELECT sum(chunk_count)::float8 AS chunks, sum(term_count)::float8 / sum(chunk_count) AS mean_length
          FROM live HAVING sum(chunk_count) > 0 AND sum(term_count) > 0
    ),
    posted AS MATERIALIZED (
        SELECT found.document_id, wanted.term, found.chunk_numbers, found.term_frequencies, found.chunk_term_counts
          FROM unnest(%(terms)s::text[]) AS wanted (term)
         CROSS JOIN LATERAL (
             SELECT p.document_id, p.chunk_numbers, p.term_frequencies, p.chunk_term_counts
               FROM {posting} p
              WHERE p.tenant_id = %(tenant)s::uuid
                AND p.term = wanted.term
                AND p.scope_id = ANY (%(scopes)s::uuid[])
                AND p.kind = ANY (%(kinds)s::text[])
             OFFSET 0
         ) AS found
    ),
    visible AS MATERIALIZED (
        SELECT posted.term, posted.chunk_numbers, posted.term_frequencies, posted.chunk_term_counts, live.eligible,
               live.place
          FROM posted
          JOIN live ON live.id = posted.document_id
    ),
    weighed AS MATERIALIZED (
        SELECT wanted.term,
               wanted.weight * (%(k1)s::float8 + 1) * ln(1 + (size.chunks - f.df + 0.5) / (f.df + 0.5)) AS weight,
               %(k1)s::float8 * (1 - %(b)s::float8) AS fixed,
               %(k1)s::float8 * %(b)s::float8 / size.mean_length AS by_length
          FROM (SELECT term, sum(cardinality(chunk_numbers))::float8 AS df FROM visible GROUP BY term) AS f
          JOIN unnest(%(terms)s::text[], %(weights)s::float8[]) AS wanted (term, weight) ON wanted.term = f.term
         CROSS JOIN size
    ),
    unpacked AS (
        SELECT v.place, w.weight, w.fixed, w.by_length, v.term = ANY (%(required)s::text[]) AS required,
               unnest(v.chunk_numbers) AS number, unnest(v.term_frequencies) AS tf,
               unnest(v.chunk_term_counts) AS length
          FROM visible v
          JOIN weighed w ON w.term = v.term
         WHERE v.eligible
    ),
    {scored},
    named AS MATERIALIZED (
        SELECT (SELECT c.id FROM {chunk} c
                 WHERE c.tenant_id = %(tenant)s::uuid AND c.scope_id = live.scope_id AND c.document_id = live.id
                   AND c.is_parent = false
                   AND c.number = (scored.chunk & 4294967295)::int) AS id,
               live.id AS document_id, live.kind, scored.bm25_score, scored.apart
          FROM scored
          JOIN live ON live.place = scored.chunk >> 32
    ),
    placed AS (
        SELECT id, document_id, kind, bm25_score, apart,
               row_number() OVER (PARTITION BY apart ORDER BY bm25_score DESC, id) AS rank
          FROM named
         WHERE id IS NOT NULL
    )
    SELECT id, document_id, kind, bm25_score, apart
      FROM placed
     WHERE rank <= CASE WHEN apart THEN %(apart_top_k)s::int ELSE %(top_k)s::int END
     ORDER BY apart, rank
    """
)
# One ranking: of all chunks, or only of those that hold a required term.
_SCORED: Final = sql.SQL(
    """
    scored AS (
        SELECT place << 32 | number AS chunk,
               round(1e9 * sum(weight * tf / (tf + fixed + by_length * length))) / 1e9 AS bm25_score, false AS apart
          FROM unpacked
         GROUP BY place << 32 | number
        HAVING cardinality(%(required)s::text[]) = 0 OR bool_or(required)
         ORDER BY bm25_score DESC
         FETCH FIRST (%(top_k)s::int) ROWS WITH TIES
    )
    """
)
# Both rankings in one pass, because reading and unpacking the postings is most of the cost of a ranking.
_SCORED_TWICE: Final = sql.SQL(
    """
    summed AS MATERIALIZED (
        SELECT place << 32 | number AS chunk,
               round(1e9 * sum(weight * tf / (tf + fixed + by_length * length))) / 1e9 AS bm25_score,
               bool_or(required) AS required
          FROM unpacked
         GROUP BY place << 32 | number
    ),
    scored AS (
        (SELECT chunk, bm25_score, false AS apart FROM summed
          ORDER BY bm25_score DESC FETCH FIRST (%(top_k)s::int) ROWS WITH TIES)
        UNION ALL
        (SELECT chunk, bm25_score, true FROM summed WHERE required
          ORDER BY bm25_score DESC FETCH FIRST (%(apart_top_k)s::int) ROWS WITH TIES)
    )
    """
)
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
