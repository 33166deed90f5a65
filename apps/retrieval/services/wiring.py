"""Build the dependencies for a tenant's questions: providers, policy, and retrievers under row-level security."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from apps.corpus.providers.around import ProviderAround
from apps.corpus.providers.protocol import EmbeddingProvider, Vectors
from apps.corpus.providers.registry import provider_for, runs_here
from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.intents.gate import gate
from apps.intents.selectors import policy_in_force
from apps.intents.services import classify
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.generation.calls import Calls
from apps.retrieval.generation.registry import generator_for
from apps.retrieval.optional.metadata import MetadataRetriever
from apps.retrieval.optional.slots import SlotParts, slots_for
from apps.retrieval.retrievers.chunks import CorpusChunkStore
from apps.retrieval.retrievers.dense import DenseRetriever
from apps.retrieval.retrievers.inventory import CorpusInventoryReader
from apps.retrieval.retrievers.sparse import SparseRetriever
from apps.retrieval.services.calls import Deadline, RecordedCalls
from apps.retrieval.services.embedding import recorded_embedder
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import StageSettings
from apps.tenants.ids import TenantId
from apps.tenants.models import Tenant
from apps.tenants.short_scopes import ShortScopes, current_short_scopes

QUOTING_PROFILE = "extractive"
PartT = TypeVar("PartT")


class EmbeddedOnce(ProviderAround):
    """A provider that does not embed the same question twice, since its intent and its search need the same vector.

    It remembers only the last question, and lives as long as the dependencies of one question.
    """

    def __init__(self, provider: EmbeddingProvider) -> None:
        self._provider = provider
        self._last: tuple[str, Vectors] | None = None

    def inner(self) -> EmbeddingProvider:
        return self._provider

    def embed_query(self, text: str) -> Vectors:
        if self._last is None or self._last[0] != text:
            self._last = text, self._provider.embed_query(text)
        return self._last[1]


class PolicyGate:
    """Compliance gate 1: classifies questions and grants kinds under one policy version."""

    def __init__(self, snapshot: PolicySnapshot, provider: EmbeddingProvider, tenant_id: TenantId) -> None:
        self._snapshot = snapshot
        self._provider = provider
        self._tenant_id = tenant_id

    def classify(self, text: str) -> IntentDecision:
        return classify(question=text, snapshot=self._snapshot, provider=self._provider, tenant_id=self._tenant_id)

    def grant(self, decision: IntentDecision) -> KindGrant:
        return gate(decision, self._snapshot)


def dependencies_for(
    tenant: Tenant,
    snapshot: PolicySnapshot | None = None,
    settings: StageSettings | None = None,
    *,
    scopes: ShortScopes | None = None,
    calls: Calls | None = None,
    around: Callable[[EmbeddingProvider], EmbeddingProvider] | None = None,
) -> PipelineDependencies:
    """Return everything that the pipeline needs, for the open tenant.

    Args:   snapshot: the policy to ask under, such as that of a draft; None for the policy in force.
            settings: of the retrieval stages, such as those of an evaluation; None for the settings in use here.
            scopes: opened for each read, so that the pipeline can run outside of any scope; None if it runs within the
                open one.
            calls: notes the requests to a model; None to record them for the open scope's principal.
            around: put around the provider that embeds the question.
    Raises: NoPolicyInForceError, ResidencyError, UnknownProviderError, UnknownGenerationProfileError.
    """
    snapshot = snapshot or policy_in_force()
    settings = settings or stages_in_use()
    if calls is None:
        acting = scopes or current_short_scopes()
        calls = RecordedCalls(scopes=acting, policy=snapshot, deadline=Deadline(settings.question_deadline_seconds))
    region, strict = tenant.residency_region, tenant.residency_strict
    bound = provider_for(tenant.embedding_profile, tenant_region=region, tenant_strict=strict)
    recorded = recorded_embedder(bound, calls)
    provider = EmbeddedOnce(around(recorded) if around else recorded)
    generator = generator_for(tenant.generation_profile, tenant_region=region, tenant_strict=strict, calls=calls)

    def reading(part: PartT) -> PartT:
        return scopes.each_step(part) if scopes else part

    parts = SlotParts(policy=snapshot.retrieval, tenant_region=region, tenant_strict=strict)
    k1, b = snapshot.retrieval.bm25_k1, snapshot.retrieval.bm25_b
    return PipelineDependencies(
        intents=PolicyGate(snapshot, provider, TenantId(tenant.id)),
        inventory=reading(CorpusInventoryReader()),
        embedder=provider,
        dense=reading(DenseRetriever()),
        sparse=reading(SparseRetriever(k1=k1, b=b)),
        metadata=reading(MetadataRetriever(k1=k1, b=b)),
        chunks=reading(CorpusChunkStore()),
        generator=generator,
        quoting=generator_for(QUOTING_PROFILE, tenant_region=region, tenant_strict=strict, calls=calls),
        clock=time.perf_counter,
        policy=snapshot.retrieval,
        settings=settings,
        slots=slots_for(settings, parts, generator),
        slots_without_model=slots_for(settings, parts),
        pieces=provider if runs_here(tenant.embedding_profile) else None,
        profile=snapshot.profile,
    )
