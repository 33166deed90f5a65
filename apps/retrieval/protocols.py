"""What the pipeline needs from outside, as small shapes. Everything else in it is pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from apps.corpus.extraction.statements import Statement
from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import (
    Candidate,
    ChunkId,
    CorpusInventory,
    DocumentId,
    FloatVector,
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
    """Compliance gate 1, under the policy version in force (apps/intents)."""

    def classify(self, text: str) -> IntentDecision:
        """Decide the question's intent. Works without an embedding provider and then says so (`degraded`)."""

    def grant(self, decision: IntentDecision) -> KindGrant:
        """What the intent may reach."""


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
        """Returns: (d,) float32, unit norm. Raises: ProviderError."""


class Inventory(Protocol):
    def read(self, bounds: SearchBounds) -> CorpusInventory:
        """What is held within the scopes, kinds and given filters of the bounds; their other filter is not applied."""

    def held(self, given: GivenFilters, bounds: SearchBounds) -> GivenFilters:
        """The same filters with what of their documents and companies is held within the scopes and kinds."""


class Retriever(Protocol):
    """Compliance gate 2: ranks chunks of the granted scopes and permitted kinds alone, held by the database."""

    @property
    def name(self) -> str:
        """Unique among the retrievers of a pipeline; stands in the trace and in every source rank."""

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        """Rank chunks, best first, ties by chunk id; at most top_k, none twice."""


class ChunkStore(Protocol):
    def load(self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> tuple[StoredChunk, ...]:
        """The chunks that are still there, in any order; one query."""

    def around(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[StoredChunk, ...]]:
        """Of each chunk, the others of its parent, in reading order; one that has none is left out."""

    def on_statements(
        self, document_ids: Sequence[DocumentId], statements: Sequence[Statement], *, within: SearchBounds, most: int
    ) -> tuple[StoredChunk, ...]:
        """The passages of these documents whose page prints one of the statements, with the statements that it prints;
        by document in the order given, then by number, and at most `most`."""

    def vectors(
        self, chunk_ids: Sequence[ChunkId], *, model: str, dimension: int, within: SearchBounds
    ) -> Mapping[ChunkId, FloatVector]:
        """The stored vectors of one model, each (dimension,) float32 of unit norm; chunks without one are left out."""


class Rewriter(Protocol):
    """Stage rewrite: further wordings of a question, each searched by itself and fused with the others."""

    @property
    def name(self) -> str: ...

    def rewrite(self, analysis: QueryAnalysis) -> Rewriting | None:
        """What else to search for, within the same bounds.

        Returns: None where there is no model to write it.
        Raises:  GenerationError: the model gave nothing that can be searched for.
        """


class Diversifier(Protocol):
    """Stage diversify: puts repetitions later, or leaves them out.

    `vectors` looks up the stored vectors of candidates, within the bounds of the search; one without is left out.
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
    """Stage rerank: orders candidates anew, or leaves some out, and sets `rerank_score` and `rerank_calibrated`."""

    @property
    def name(self) -> str: ...

    @property
    def note(self) -> str:
        """How it is set, for the trace; empty for nothing to say."""

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        """Raises: RerankingError, ProviderError: the pipeline goes on with the order that it had, and says so."""


class Healer(Protocol):
    """Stage heal: asks for what the candidates don't cover."""

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
        """Search for what is missing, until nothing is, or nothing more comes of it.

        Args: candidates: what was kept, best first.
              search: runs one sub-query through the same gates and bounds; what it found, best first.
              rounds: at most so many sub-queries. minimum_coverage: nothing is asked from here on, 0 to 1.
        """
