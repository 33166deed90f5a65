"""Everything that the pipeline reaches for, handed in: so that tests and replays can hand in something else."""

from __future__ import annotations

from dataclasses import dataclass, field

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import Clock
from apps.retrieval.generation.protocol import Generator
from apps.retrieval.protocols import ChunkStore, IntentGate, Inventory, QueryEmbedder, Retriever
from apps.retrieval.slots import Slots
from apps.retrieval.stage_settings import StageSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class PipelineDependencies:
    """What one question needs.

    policy: the retrieval settings of the policy version in force.
    settings: those of the machinery.
    generator: the tenant's; quoting: answers by quotation when the generator fails.
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
