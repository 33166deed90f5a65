"""The services of the classifier's desk that need the tenant's embedding provider.

They record no event, because no answer depends on them.
"""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.tenant import tenant_provider
from apps.intents.classifier import classify_question
from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.intents.gate import gate
from apps.intents.scoring import Vector
from apps.intents.services.classify import classify
from apps.intents.services.golden import golden_vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """The intent that a question would get under a policy version, and the kinds that it would reach."""

    question: str
    decision: IntentDecision
    grant: KindGrant


def desk_vectors(snapshot: PolicySnapshot) -> tuple[Vector | None, str]:
    """Return the vectors of a version's golden examples, or None and a sentence that says why there are none.

    Args:    snapshot: of the open tenant; a draft must be the principal's own.
    Costs:   what golden_vectors costs.
    """
    try:
        return golden_vectors(snapshot=snapshot, provider=tenant_provider()), ""
    except ProviderError as error:
        return None, error.detail


def question_try(*, question: str, snapshot: PolicySnapshot) -> Tried:
    """Classify a question as if it were asked, and record nothing: neither its text nor the attempt.

    Without a provider the terms alone decide, and the decision is flagged as degraded.
    """
    try:
        decision = classify(question=question, snapshot=snapshot, provider=tenant_provider())
    except ProviderError:
        decision = classify_question(question, snapshot, None, None)
    return Tried(question=question, decision=decision, grant=gate(decision, snapshot))
