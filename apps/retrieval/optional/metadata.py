"""Rank passages only by their metadata: document title, company, kind, document type, period, and headings.

SQL decides what may be ranked, under row-level security, as for every other ranking: live documents of the granted
scopes and permitted kinds that pass the question's filter. What is scored are headings, a few hundred per document,
with the same analysis and formula as the text (headings.py).

Unlike for the text, a word's rarity is computed over what the filter leaves: within one company's reports its name
carries no information, which is the point of this ranking.

Measured (`metadata_top_k` 30): it loses more at the top than it finds, since headings repeat and the filter has already
used company and period. The second line of each is with half the weight (`metadata_weight` .5).

    filings: recall@1 .430, @5 .734, @10 .866, MRR .625, context .821, passed .463
             recall@1 .445, @5 .761, @10 .873, MRR .636, context .828, passed .492
    own set: recall@5 .883, MRR .749, context .887, passed .711
             recall@5 .879, MRR .775, context .910, passed .727
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import connection
from psycopg import sql

from apps.corpus.kinds import DocumentType, Kind
from apps.corpus.models import Chunk, Document
from apps.corpus.registry import name_of
from apps.corpus.terms import terms
from apps.retrieval.contracts import ChunkId, DocumentId, Period, Ranking, SearchBounds, SearchQuery, SparseHit
from apps.retrieval.optional.headings import Heading, score_headings
from apps.retrieval.retrievers.documents import LIVE_DOCUMENTS, bound_parameters
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_LABELS_LANGUAGE: Final = "en"
_HEADINGS = sql.SQL(_SQL["headings"])
# The key says whether the question is as of an instant.
_STATEMENTS: Final[Mapping[bool, sql.Composed]] = {
    past: _HEADINGS.format(
        live=live, chunk=sql.Identifier(Chunk._meta.db_table), document=sql.Identifier(Document._meta.db_table)
    )
    for past, live in LIVE_DOCUMENTS.items()
}


class MetadataRetriever:
    """Ranks passages by BM25 over their metadata.

    Args: k1: saturation of how many fields hold a term, >= 0; b: share of length normalisation, 0 to 1.
    """

    name = "metadata"

    def __init__(self, *, k1: float, b: float) -> None:
        self._k1 = k1
        self._b = b

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        """Rank passages by the query's terms in their metadata.

        Returns: best first, ties by chunk id. Passages with the same score share a rank, since nothing distinguishes
                 them here. Passages whose metadata holds none of the terms are not included.
        Costs:   one query, which reads the headings of every document that passes the filter.
        """
        if not query.terms or not within.kinds or top_k < 1:
            return Ranking(name=self.name, hits=(), ranks_shared=True)
        rows = _rows(within, top_k)
        names = {str(kind): kind.label for kind in within.kinds if isinstance(kind, Kind)}
        headings = [Heading(fields=_fields(row, name_of(row["kind"], names)), passages=row["passages"]) for row in rows]
        scores = score_headings(headings, query.terms, k1=self._k1, b=self._b)
        hits = sorted(
            (
                SparseHit(
                    chunk_id=ChunkId(chunk_id),
                    document_id=DocumentId(row["id"]),
                    kind=row["kind"],
                    bm25_score=score,
                )
                for row, score in zip(rows, scores, strict=True)
                if score > 0
                for chunk_id in row["chunk_ids"]
            ),
            key=lambda hit: (-hit.bm25_score, hit.chunk_id),
        )
        considered = sum(heading.passages for heading in headings)
        return Ranking(name=self.name, hits=tuple(hits[:top_k]), considered=considered, ranks_shared=True)


def _rows(within: SearchBounds, top_k: int) -> Sequence[Mapping[str, Any]]:
    with connection.cursor() as cursor:
        cursor.execute(_STATEMENTS[within.as_of is not None], {**bound_parameters(within), "top_k": top_k})
        columns = [column.name for column in cursor.description or ()]
        return [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]


def _fields(row: Mapping[str, Any], kind_name: str) -> tuple[frozenset[str], ...]:
    """Return the terms of each field. A document's words are read in its language, the product's labels in English."""
    year = row["fiscal_year"]
    period = Period(fiscal_year=year, fiscal_quarter=row["fiscal_quarter"] or 0).label if year else ""
    said = (row["title"], row["company"], row["section"], f"Item {row['sec_item']}" if row["sec_item"] else "")
    labels = (period, f"{row['document_type']} {DocumentType(row['document_type']).label}", kind_name)
    return (
        *(frozenset(terms(text, row["language"])) for text in said),
        *(frozenset(terms(str(text), _LABELS_LANGUAGE)) for text in labels),
    )
