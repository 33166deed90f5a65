"""The input of a retriever, its output, and the candidates that are made from the output."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime

from apps.corpus.extraction.statements import Statement
from apps.filings.periods import Period
from apps.retrieval.contracts.analysis import CompanyPeriods, WeightedTerm
from apps.retrieval.contracts.question import NO_FILTERS, ChunkId, DocumentId, FloatVector, GivenFilters
from apps.tenants.ids import ScopeId, TenantId


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFilter:
    """The sure filters in the form that a retriever takes. An empty field means any value.

    A document is left out when it states something else. A document that states nothing (a methodology without a
    period) stays in.
    of_companies: which of the periods count for which company; empty if all count for every company. With entries, a
        document that states a period of another company's alone is left out, and so is one of a company without entry.
    own_quarter_only: if the periods are quarters, also leave out documents that state a year but no quarter.
    """

    companies: tuple[str, ...] = ()
    periods: tuple[Period, ...] = ()
    document_types: tuple[str, ...] = ()
    jurisdictions: tuple[str, ...] = ()
    of_companies: tuple[CompanyPeriods, ...] = ()
    own_quarter_only: bool = False

    @property
    def of_quarters(self) -> bool:
        """Return whether the filter has periods and all of them are quarters."""
        return bool(self.periods) and all(period.fiscal_quarter for period in self.periods)


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBounds:
    """The bounds of a search: the scopes that are granted, the kinds that the gate permits, and the question's filters.

    filter: read from the question's text; narrows every ranking. Its periods of single companies are also applied to
        every passage that is loaded or added.
    given: came with the question; applied to every passage that is ranked, loaded or added.
    as_of: search among the document versions that were current at that instant (aware); None for those that are current
        now.
    """

    tenant_id: TenantId
    scope_ids: tuple[ScopeId, ...]
    kinds: tuple[str, ...]
    filter: DocumentFilter = DocumentFilter()
    given: GivenFilters = NO_FILTERS
    as_of: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """The terms and the vector that a retriever searches for.

    vector: (d,) float32 of unit norm, or None without an embedding.
    required_terms: a ranking by terms holds only passages with at least one of these; empty for no such condition.
    apart_terms: passages with at least one of these are also ranked in a separate ranking, which keeps the first
        apart_top_k.
    counted_otherwise: an older term analysis lacks one of the terms, so a ranking by terms checks for documents that
        the older analysis counted.
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
    """How many documents with passages a search by vectors may reach, and how many of them have no vector.

    A document without a vector of this model cannot be found by the search.
    """

    model: str
    documents: int
    without_vectors: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TermCoverage:
    """How many documents with passages a search by terms may reach, and how many of them are outdated.

    An outdated document's terms were counted by an older analysis, which lacks some of the terms that are searched for.
    """

    documents: int
    outdated: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """One retriever's hits, best first, ties by chunk id.

    considered: how many chunks were scored, if known.
    coverage: known for a ranking by vectors, and for a ranking by terms where it matters.
    weight: the weight of this ranking in the fusion, where every other ranking has weight 1.
    ranks_shared: whether hits with the same score share a rank, that of the first of them. This is so where the ranking
        cannot tell them apart, as with passages that stand under the same heading.
    apart: hits of a second ranking that was requested together with this one; None where none was requested or the
        retriever has none.
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
    """The rank of a fused hit in one ranking (ranks count from 1)."""

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
    """The facts by which an answer names a document version. `slug` is unique per version and part of every ref_id."""

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
class FactCell:
    """A figure of a passage as it was read when its document was taken in: `chunk.text[start:end]`.

    concept: its name in the vocabulary (apps/filings/vocabulary); empty if the vocabulary does not know its row.
    fiscal_quarter: 0 is the whole year. months: the length of its period, 0 for a day. ends_on: that day, or the last
    one of the period; None if it is not known. exponent: of the stated scale, 6 for millions; None if none is stated.
    currency: an ISO 4217 code; empty if none is stated. dimension: the part of the group; empty for all of it.
    """

    start: int
    end: int
    concept: str
    fiscal_year: int
    fiscal_quarter: int
    months: int
    ends_on: date | None = None
    exponent: int | None = None
    currency: str = ""
    dimension: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredChunk:
    """A chunk with its text. `char_start` is where the text begins on `page_start`.

    statements: the statements that its page prints, if the chunk was looked up as a passage of a statement; else empty.
    facts: the figures of its tables that are facts, in the order of the text, if the question asks for a figure; else
        empty.
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
    facts: tuple[FactCell, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedFigures:
    """What a question calls the figures that it asks for.

    concepts: names of the vocabulary (apps/filings/vocabulary), in the order of the question. called: concept -> what
        it is called, each name as its terms.
    words: the terms of the question by which a row may be called, in `language`. plain: terms that stand beside a
        figure's name without making it another figure.
    """

    concepts: tuple[str, ...] = ()
    called: Mapping[str, frozenset[frozenset[str]]] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    plain: frozenset[str] = frozenset()
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLine:
    """A row that gives a figure asked for: `chunk.text[start:end]`.

    item: the name of its concept in the vocabulary (apps/filings/vocabulary); empty for a row that is found by its
        label alone.
    doubt: which sum that it belongs to does not hold; empty if none is known.
    """

    item: str
    start: int
    end: int
    doubt: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A chunk that may enter the context, with every score that it has been given so far.

    rerank_score: a reranker's score, 0 to 1.
    rerank_calibrated: whether the score can be read as a probability, as the adaptive cut rules do. An uncalibrated
        score says only which of two passages comes first.
    around: the id of the passage around which this one was added; None for a passage that the search itself found.
    lines: rows of a statement in the chunk that give the figure asked for.
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
