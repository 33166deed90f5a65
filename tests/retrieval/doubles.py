"""Everything the pipeline reaches for, in memory: so that its composition can be tested without a database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from uuid import UUID

import numpy as np

from apps.corpus.extraction.statements import Statement
from apps.corpus.providers.errors import ProviderUnavailableError
from apps.intents.contracts import IntentDecision, KindBudget, KindGrant, RecordingMode
from apps.intents.fund_house import FUND_HOUSE
from apps.intents.profile.contracts import ProfileRule
from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import (
    AskedFigures,
    Candidate,
    ChunkId,
    ContextBlock,
    CorpusInventory,
    DenseHit,
    DocumentId,
    FactCell,
    FloatVector,
    FoundLine,
    GeneratedAnswer,
    GivenFilters,
    InventoryEntry,
    QueryAnalysis,
    Question,
    Ranking,
    SearchBounds,
    SearchQuery,
    SparseHit,
    StoredChunk,
)
from apps.retrieval.dependencies import PipelineDependencies, Slots
from apps.retrieval.errors import GenerationTimeoutError
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.generation.protocol import Generator
from apps.retrieval.stage_settings import StageSettings
from apps.tenants.ids import ScopeId, TenantId
from tests.retrieval.builders import budget

TENANT = TenantId(UUID(int=1))
SCOPE = ScopeId(UUID(int=2))


def asked(text: str) -> Question:
    return Question(text=text, tenant_id=TENANT, scope_ids=(SCOPE,))


@dataclass(slots=True)
class ScriptedGate:
    """Every question has one intent, which may reach the given kinds."""

    budgets: Sequence[KindBudget]
    total_cap_chars: int = 4096
    degraded: bool = False

    def classify(self, text: str) -> IntentDecision:
        return IntentDecision(
            intent="narrative",
            label="Narrative",
            recognised=True,
            score=0.8,
            margin=0.3,
            reason="The nearest example is of this intent.",
            nearest=(),
            matched_terms=(),
            set_aside=(),
            degraded=self.degraded,
        )

    def grant(self, decision: IntentDecision) -> KindGrant:
        permitted = tuple(each.kind for each in self.budgets)
        return KindGrant(
            intent=decision.intent,
            permitted=permitted,
            withheld=tuple(kind for kind in FUND_HOUSE if kind not in permitted),
            policy_version=1,
            policy_version_id=UUID(int=3),
            budgets=tuple(self.budgets),
            total_cap_chars=self.total_cap_chars,
            recording_mode=RecordingMode.HASH_ONLY,
        )


class OneVector:
    """An embedding provider that knows one vector."""

    name, model, dimension, region = "test", "test-model", 4, "eu"

    def embed_query(self, text: str) -> FloatVector:
        return np.array([1, 0, 0, 0], dtype=np.float32)


class DownEmbedder(OneVector):
    def embed_query(self, text: str) -> FloatVector:
        raise ProviderUnavailableError(provider=self.name, reason="no connection")


def reached(each: Candidate, within: SearchBounds) -> bool:
    """Whether the bounds' kinds, and what came with the question, allow it."""
    document, given = each.chunk.document, within.given
    return (
        each.hit.kind in within.kinds
        and (given.documents is None or document.document_id in given.documents)
        and (given.companies is None or document.company in given.companies)
        and (given.kinds is None or each.hit.kind in given.kinds)
        and (given.periods is None or document.fiscal_year in {period.fiscal_year for period in given.periods})
    )


@dataclass(slots=True)
class ListRetriever:
    """Returns its candidates in order, as the bounds' kinds allow; remembers what it was asked."""

    name: str
    candidates: Sequence[Candidate]
    seen: list[tuple[SearchQuery, SearchBounds]] = field(default_factory=list)

    def retrieve(self, query: SearchQuery, *, within: SearchBounds, top_k: int) -> Ranking:
        self.seen.append((query, within))
        allowed = [each for each in self.candidates if reached(each, within)][:top_k]
        return Ranking(name=self.name, hits=tuple(self._hit(each, rank) for rank, each in enumerate(allowed)))

    def _hit(self, each: Candidate, rank: int) -> DenseHit | SparseHit:
        if self.name == "dense":
            return DenseHit(
                chunk_id=each.hit.chunk_id,
                document_id=each.hit.document_id,
                kind=each.hit.kind,
                cosine_similarity=0.9 - rank / 100,
            )
        return SparseHit(
            chunk_id=each.hit.chunk_id, document_id=each.hit.document_id, kind=each.hit.kind, bm25_score=9.0 - rank
        )


@dataclass(slots=True)
class HeldCorpus:
    """Inventory and chunk store in one."""

    candidates: Sequence[Candidate]
    entries: tuple[InventoryEntry, ...] = ()
    gone: frozenset[int] = frozenset()
    stored: Mapping[ChunkId, FloatVector] = field(default_factory=dict)
    facts: tuple[tuple[StoredChunk, tuple[FoundLine, ...]], ...] = ()

    def read(self, bounds: SearchBounds) -> CorpusInventory:
        return CorpusInventory(entries=tuple(each for each in self.entries if each.kind in bounds.kinds))

    def held(self, given: GivenFilters, bounds: SearchBounds) -> GivenFilters:
        there = [each.chunk.document for each in self.candidates if each.hit.kind in bounds.kinds]
        ids, names = {each.document_id for each in there}, {each.company for each in there}
        return replace(
            given,
            documents=given.documents and tuple(each for each in given.documents if each in ids),
            companies=given.companies and tuple(each for each in given.companies if each in names),
        )

    def on_statements(
        self, document_ids: Sequence[DocumentId], statements: Sequence[Statement], *, within: SearchBounds, most: int
    ) -> tuple[StoredChunk, ...]:
        """Those whose chunk says that its page prints one of the statements."""
        allowed = [each.chunk for each in self.candidates if each.hit.kind in within.kinds]
        found = [
            chunk
            for chunk in allowed
            if chunk.document.document_id in document_ids and set(chunk.statements) & set(statements)
        ]
        place = {document_id: position for position, document_id in enumerate(document_ids)}
        return tuple(sorted(found, key=lambda chunk: (place[chunk.document.document_id], chunk.number))[:most])

    def with_facts(
        self, document_ids: Sequence[DocumentId], asked: AskedFigures, *, within: SearchBounds, most: int
    ) -> tuple[tuple[StoredChunk, tuple[FoundLine, ...]], ...]:
        """The given ones, whatever is asked for."""
        return self.facts

    def fact_cells(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[FactCell, ...]]:
        """None: the figures of these passages are read from their text."""
        return {}

    def load(self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> tuple[StoredChunk, ...]:
        wanted = set(chunk_ids)
        return tuple(
            each.chunk
            for each in self.candidates
            if each.hit.chunk_id in wanted and each.hit.chunk_id.int not in self.gone
        )

    def around(
        self, chunk_ids: Sequence[ChunkId], *, within: SearchBounds
    ) -> Mapping[ChunkId, tuple[StoredChunk, ...]]:
        """All that are held of the same document, as if it had one parent."""
        wanted = {each.chunk_id: each for each in self.load(chunk_ids, within=within)}
        return {
            chunk_id: tuple(
                each.chunk
                for each in self.candidates
                if each.chunk.document == own.document and each.hit.chunk_id != chunk_id
            )
            for chunk_id, own in wanted.items()
        }

    def vectors(
        self, chunk_ids: Sequence[ChunkId], *, model: str, dimension: int, within: SearchBounds
    ) -> Mapping[ChunkId, FloatVector]:
        return {each: self.stored[each] for each in chunk_ids if each in self.stored}


@dataclass(slots=True)
class ScriptedGenerator:
    """Says what it was told to say, whatever the context."""

    answer: GeneratedAnswer
    name: str = "scripted"
    model: str = "test-model"
    region: str = "eu"

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        return self.answer


class SlowGenerator:
    name, model, region = "slow", "slow-model", "eu"

    def generate(self, analysis: QueryAnalysis, context: ContextBlock) -> GeneratedAnswer:
        raise GenerationTimeoutError(model=self.model, timeout_seconds=40)


class Reversing:
    """A candidate stage that turns the order round and leaves the last out."""

    name = "reversing"
    note = ""

    def apply(self, analysis: QueryAnalysis, candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
        return tuple(
            replace(each, rerank_score=0.5 - rank / 100) for rank, each in enumerate(reversed(candidates[:-1]))
        )


def dependencies(
    candidates: Sequence[Candidate],
    *,
    budgets: Sequence[KindBudget] | None = None,
    entries: Iterable[InventoryEntry] = (),
    embedder: OneVector | None = None,
    generator: Generator | None = None,
    gate: ScriptedGate | None = None,
    dense: ListRetriever | None = None,
    sparse: ListRetriever | None = None,
    metadata: ListRetriever | None = None,
    gone: Iterable[int] = (),
    policy: RetrievalSettings | None = None,
    slots: Slots | None = None,
    settings: StageSettings | None = None,
    stored: Mapping[ChunkId, FloatVector] | None = None,
    profile: tuple[ProfileRule, ...] = (),
) -> PipelineDependencies:
    """A pipeline over the candidates; both retrievers find all of them. The clock ticks one second a reading."""
    corpus = HeldCorpus(candidates=candidates, entries=tuple(entries), gone=frozenset(gone), stored=stored or {})
    ticks = count()
    return PipelineDependencies(
        intents=gate or ScriptedGate(budgets or [budget()]),
        inventory=corpus,
        embedder=embedder or OneVector(),
        dense=dense or ListRetriever("dense", candidates),
        sparse=sparse or ListRetriever("sparse", candidates),
        metadata=metadata or ListRetriever("metadata", candidates),
        chunks=corpus,
        generator=generator or ExtractiveGenerator(),
        quoting=ExtractiveGenerator(),
        clock=lambda: float(next(ticks)),
        policy=policy or RetrievalSettings(),
        slots=slots or Slots(),
        settings=settings or StageSettings(),
        profile=profile,
    )
