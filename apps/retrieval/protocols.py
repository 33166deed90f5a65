"""Protocols for what the pipeline needs from outside. Everything else in the pipeline is pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from apps.corpus.extraction.statements import Statement
from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import (
    AskedFigures,
    Candidate,
    ChunkId,
    CorpusInventory,
    DocumentId,
    FactCell,
    FloatVector,
    FoundLine,
    GivenFilters,
    Healing,
    QueryAnalysis,
    Ranking,
    Rewriting,
    SearchBounds,
    SearchQuery,
    StoredChunk,
)


class IntentGate(Protocol):
    """Compliance gate 1: decides the intent under the policy version in force (apps/intents)."""

    def classify(self, text: str) -> IntentDecision:
        """Decide the question's intent. Without an embedding provider, decide without vectors and set `degraded`."""

    def grant(self, decision: IntentDecision) -> KindGrant:
        """Return the kinds that the intent may reach."""


class QueryEmbedder(Protocol):
    """The part of apps.corpus.providers.EmbeddingProvider that a question needs."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def region(self) -> str: ...

    def embed_query(self, text: str) -> FloatVector:
        """Embed the question's text. Returns: (d,) float32, unit norm. Raises: ProviderError."""


class PieceEmbedder(Protocol):
    """Embeds sentences and rows of passages on this machine."""

    def embed_documents(self, texts: Sequence[str]) -> FloatVector:
        """Returns: (n, d) float32, rows of unit norm, of the same model as the question's. Raises: ProviderError."""


class Inventory(Protocol):
    def read(self, bounds: SearchBounds) -> CorpusInventory:
        """Return what the corpus holds within the bounds, including their given filters but not `bounds.filter`."""

    def held(self, given: GivenFilters, bounds: SearchBounds) -> GivenFilters:
        """Return the given filters, reduced to documents and companies that are held within the scopes and kinds."""


class Retriever(Protocol):
    """Compliance gate 2: ranks only chunks of the granted scopes and permitted kinds. The database enforces this."""

    @property
    def name(self) -> str:
        """The retriever's name, unique within a pipeline. It appears in the trace and in every source rank."""

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        """Return at most `top_k` chunks, best first, ties by chunk id, no chunk twice."""


class ChunkStore(Protocol):
    def load(self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> tuple[StoredChunk, ...]:
        """Return the chunks that still exist, in any order, with one query."""

    def around(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[StoredChunk, ...]]:
        """Return for each chunk the other chunks of its parent, in reading order. Omit a chunk that has none."""

    def on_statements(
        self, document_ids: Sequence[DocumentId], statements: Sequence[Statement], *, within: SearchBounds, most: int
    ) -> tuple[StoredChunk, ...]:
        """Return the passages of these documents whose page prints one of `statements`, with the statements it prints.

        The passages are ordered by document, in the order given, then by number; at most `most` are returned.
        """

    def with_facts(
        self, document_ids: Sequence[DocumentId], asked: AskedFigures, *, within: SearchBounds, most: int
    ) -> tuple[tuple[StoredChunk, tuple[FoundLine, ...]], ...]:
        """Return the passages of these documents that hold rows of the figures asked for, at most `most`.

        The passages are ordered by document, in the order given, then by number.
        """

    def fact_cells(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[FactCell, ...]]:
        """Return the figures of passages that are facts, in the order of the text. Omit a passage without any."""

    def vectors(
        self, chunk_ids: Sequence[ChunkId], *, model: str, dimension: int, within: SearchBounds
    ) -> Mapping[ChunkId, FloatVector]:
        """Return the stored vectors of one model, each (dimension,) float32 of unit norm. Omit chunks without one."""


class Rewriter(Protocol):
    """Stage rewrite: writes further wordings of a question. Each is searched on its own; the results are then fused."""

    @property
    def name(self) -> str: ...

    def rewrite(self, analysis: QueryAnalysis) -> Rewriting | None:
        """Return what else to search for, within the same bounds.

        Returns: None where there is no model to write it.
        Raises:  GenerationError: the model gave nothing that can be searched for.
        """


class Diversifier(Protocol):
    """Stage diversify: moves repetitions further down, or leaves them out.

    `vectors` looks up the stored vectors of candidates, within the bounds of the search. A candidate without a vector
    is omitted from its result.
    """

    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str:
        """How it is set, for the trace; empty for nothing to say."""

    def apply(
        self,
        analysis: QueryAnalysis,
        candidates: tuple[Candidate, ...],
        vectors: Callable[[Sequence[ChunkId]], Mapping[ChunkId, FloatVector]],
    ) -> tuple[Candidate, ...]: ...


class CandidateStage(Protocol):
    """Stage rerank: reorders the candidates or leaves some out, and sets `rerank_score` and `rerank_calibrated`."""

    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str:
        """How it is set, for the trace; empty for nothing to say."""

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Raises: RerankingError, ProviderError: the pipeline then keeps the previous order, and says so."""


class Healer(Protocol):
    """Stage heal: searches for the parts of the question that the candidates do not cover."""

    @property
    def name(self) -> str: ...

    def heal(
        self,
        analysis: QueryAnalysis,
        candidates: tuple[Candidate, ...],
        *,
        search: Callable[[str], tuple[Candidate, ...]],
        rounds: int,
        minimum_coverage: float,
    ) -> Healing:
        """Search for what is missing until nothing is missing or a search brings nothing new.

        Args: candidates: what was kept, best first.
              search: runs one sub-query through the same gates and bounds, and returns what it found, best first.
              rounds: the maximum number of sub-queries.
              minimum_coverage: coverage from which on nothing more is searched for, 0 to 1.
        """
