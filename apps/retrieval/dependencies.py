"""Everything that the pipeline needs from outside, passed in so that tests and replays can pass in something else."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.intents.profile.contracts import ProfileRule
from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import Clock
from apps.retrieval.generation.protocol import Generator
from apps.retrieval.protocols import (
    CandidateStage,
    ChunkStore,
    Diversifier,
    Healer,
    IntentGate,
    Inventory,
    PieceEmbedder,
    QueryEmbedder,
    Retriever,
    Rewriter,
)
from apps.retrieval.stage_settings import StageSettings
from apps.retrieval.trace import OnStage


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """The implementations of the optional stages; None for a stage without one."""

    rewriter: Rewriter | None = None
    diversifier: Diversifier | None = None
    reranker: CandidateStage | None = None
    healer: Healer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineDependencies:
    """The dependencies of one question.

    policy: the retrieval settings of the policy version in force. profile: the rules of its compliance profile.
    settings: the settings of the stages.
    slots_without_model: the optional stages for an intent whose answers the policy lets no model write.
    pieces: embeds sentences and rows on this machine; None where the embedding model runs elsewhere.
    generator: the tenant's generator. quoting: answers by quotation when the generator fails.
    on_stage: told of each stage that has ended; it must not raise.
    """

    intents: IntentGate
    inventory: Inventory
    embedder: QueryEmbedder
    dense: Retriever
    sparse: Retriever
    metadata: Retriever
    chunks: ChunkStore
    generator: Generator
    quoting: Generator
    clock: Clock
    policy: RetrievalSettings
    settings: StageSettings = field(default_factory=StageSettings)
    slots: Slots = field(default_factory=Slots)
    pieces: PieceEmbedder | None = None
    profile: tuple[ProfileRule, ...] = ()
    slots_without_model: Slots | None = None
    on_stage: OnStage | None = None
