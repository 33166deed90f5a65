"""What a retriever is given, what it returns, and the candidates that come of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from apps.corpus.extraction.statements import Statement
from apps.retrieval.contracts.analysis import Period, WeightedTerm
from apps.retrieval.contracts.question import NO_FILTERS, ChunkId, DocumentId, FloatVector, GivenFilters
from apps.tenants.ids import ScopeId, TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """The sure filters as a retriever takes them. Empty means any.

    A document is left out when it states something else; one that states nothing (a methodology without a period)
    stays in. own_quarter_only: of quarters, those that state a year and no quarter are left out too.
    """

    companies: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    document_types: tuple[str, ...] = ()
    jurisdictions: tuple[str, ...] = ()
    own_quarter_only: bool = False

    @property
    def of_quarters(self) -> bool:
        """Whether it is of quarters, and of no whole year."""
        return bool(self.periods) and all(period.fiscal_quarter for period in self.periods)

    @property
    def is_empty(self) -> bool:
        return not (self.companies or self.periods or self.document_types or self.jurisdictions)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBounds:
    """Where a retriever may look: the wall's scopes, the gate's kinds, the question's filters.

    filter: read from the question's text. given: came with it; held for every passage that is ranked, loaded or added.
    as_of: among the document versions that were current at that instant (aware); None for those that are now.
    """

    tenant_id: TenantId
    scope_ids: tuple[ScopeId, ...]
    kinds: tuple[str, ...]
    filter: DocumentFilter = DocumentFilter()
    given: GivenFilters = NO_FILTERS
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What a retriever looks for. `vector` is (d,) float32 of unit norm, or None without an embedding.

    required_terms: a ranking by terms holds only passages with at least one of these; empty for no such condition.
    apart_terms: passages with at least one of these are also ranked among themselves, the first apart_top_k of them.
    counted_otherwise: an older analysis lacks one of the terms, so that a ranking by terms looks for documents that it
    counted.
    """

    terms: tuple[WeightedTerm, ...]
    vector: FloatVector | None = None
    embedding_model: str = ""
    required_terms: tuple[str, ...] = ()
    apart_terms: tuple[str, ...] = ()
    apart_top_k: int = 0
    counted_otherwise: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DenseHit:
    chunk_id: ChunkId
    document_id: DocumentId
    kind: str
    cosine_similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SparseHit:
    chunk_id: ChunkId
    document_id: DocumentId
    kind: str
    bm25_score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class VectorCoverage:
    """Of the documents with passages that a search by vectors may reach: how many, and how many have no vector of its
    model, so that it can't find them."""

    model: str
    documents: int
    without_vectors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCoverage:
    """Of the documents with passages that a search by terms may reach: how many, and of how many the terms were counted
    by an older analysis, which lacks some that are asked for."""

    documents: int
    outdated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One retriever's hits, best first, ties by chunk id. `considered` counts what was scored, if known; `coverage` is
    known of a ranking by vectors, and of one by terms where it matters.

    weight: in the fusion, where every other ranking weighs 1.
    ranks_shared: whether hits of one score have one rank, that of the first of them, because the ranking can't tell
        them apart: all passages under one heading bear it.
    apart: hits of a second ranking that was asked for with this one; None where none was, or the retriever has none.
    """

    name: str
    hits: tuple[DenseHit | SparseHit, ...]
    considered: int | None = None
    coverage: VectorCoverage | TermCoverage | None = None
    weight: float = 1.0
    ranks_shared: bool = False
    apart: tuple[DenseHit | SparseHit, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRank:
    """Where a fused hit stood in one ranking (ranks count from 1)."""

    ranking: str
    rank: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FusedHit:
    chunk_id: ChunkId
    document_id: DocumentId
    kind: str
    rrf_score: float
    ranks: tuple[SourceRank, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFacts:
    """A document version as an answer names it. `slug` is unique per version and part of every ref_id."""

    document_id: DocumentId
    slug: str
    title: str
    version: int
    kind: str
    company: str
    document_type: str
    fiscal_year: int | None
    fiscal_quarter: int | None
    published_on: date | None = None
    jurisdictions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk with its text. `char_start` is where the text begins on `page_start`.

    statements: those that its page prints, where it was looked for as a passage of a statement; else empty.
    """

    chunk_id: ChunkId
    document: DocumentFacts
    number: int
    text: str
    context_header: str
    page_start: int
    page_end: int
    char_start: int
    section: str
    language: str
    content_sha256: str
    statements: tuple[Statement, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """A row of a statement that gives what was asked for: `chunk.text[start:end]`. item: a name of line_items.ITEMS."""

    item: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk on its way into the context, with every score that it was given so far.

    rerank_score: by a reranker, 0 to 1; rerank_calibrated: whether it can be read as a probability, as the adaptive
    rules of the cut do. One that is not says only which of two passages comes first.
    around: the passage that it was added around; None for one that was found itself.
    lines: rows of a statement in it that give what was asked for.
    """

    chunk: StoredChunk
    hit: FusedHit
    boost: float = 0.0
    boost_reasons: tuple[str, ...] = ()
    rerank_score: float | None = None
    rerank_calibrated: bool = True
    around: ChunkId | None = None
    lines: tuple[FoundLine, ...] = ()

    @property
    def boosted_rrf_score(self) -> float:
        return self.hit.rrf_score * (1.0 + self.boost)
