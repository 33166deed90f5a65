"""The services of the classifier's desk that need the tenant's embedding provider.

They record no event but of the requests that leave for a provider: no answer depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.classifier import classify_question
from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.intents.gate import gate
from apps.intents.scoring import Vector
from apps.intents.services.classify import classify
from apps.intents.services.golden import golden_vectors
from apps.tenants.short_scopes import ShortScopes, current_short_scopes, release_connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The intent that a question would get under a policy version, and the kinds that it would reach."""

    question: str
    decision: IntentDecision
    grant: KindGrant


def desk_vectors(snapshot: PolicySnapshot, acting: ShortScopes | None = None) -> tuple[Vector | None, str]:
    """Return the vectors of a version's golden examples, or None and a sentence that says why there are none.

    Args:    snapshot: of the tenant; a draft must be the principal's own.
             acting: who looks; None for the principal of the open scope. Outside of any scope, no transaction is open
                 while the provider works.
    Costs:   what golden_vectors costs.
    """
    acting = acting or current_short_scopes()
    try:
        return golden_vectors(snapshot=snapshot, provider=_provider(acting), tenant_id=acting.tenant_id), ""
    except ProviderError as error:
        return None, error.detail


def question_try(*, question: str, snapshot: PolicySnapshot, acting: ShortScopes | None = None) -> Tried:
    """Classify a question as if it were asked, and record nothing of it but that a request left for a provider.

    Without a provider the terms alone decide, and the decision is flagged as degraded. Args: acting: as desk_vectors.
    """
    acting = acting or current_short_scopes()
    try:
        decision = classify(
            question=question, snapshot=snapshot, provider=_provider(acting), tenant_id=acting.tenant_id
        )
    except ProviderError:
        decision = classify_question(question, snapshot, None, None)
    return Tried(question=question, decision=decision, grant=gate(decision, snapshot))


def _provider(acting: ShortScopes) -> EmbeddingProvider:
    with acting.open():
        provider = tenant_provider()
    release_connection()
    return provider
