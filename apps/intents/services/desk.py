"""What the classifier's desk asks of the tenant's embedding provider. Nothing is recorded: no answer depends on it."""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.providers.errors import ProviderError
from apps.corpus.providers.protocol import EmbeddingProvider
from apps.corpus.providers.registry import provider_for
from apps.intents.classifier import classify_question
from apps.intents.contracts import IntentDecision, KindGrant, PolicySnapshot
from apps.intents.gate import gate
from apps.intents.models import GoldenVector, VersionStatus
from apps.intents.scoring import Vector
from apps.intents.services.classify import classify
from apps.intents.services.golden import golden_vectors
from apps.tenants.context import current_scope
from apps.tenants.selectors.tenants import current_tenant


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What a question would get under a policy version, and what it would reach."""

    question: str
    decision: IntentDecision
    grant: KindGrant


def tenant_provider() -> EmbeddingProvider:
    """The open tenant's own. Raises ResidencyError, UnknownProviderError."""
    tenant = current_tenant()
    return provider_for(
        tenant.embedding_profile, tenant_region=tenant.residency_region, tenant_strict=tenant.residency_strict
    )


def desk_vectors(snapshot: PolicySnapshot) -> tuple[Vector | None, str]:
    """The vectors of a version's golden examples, or why there are none, as a sentence.

    Args:    snapshot: of the open tenant; a draft must be the principal's own.
    Costs:   what golden_vectors costs; for a draft two or three queries more.
    """
    try:
        provider = tenant_provider()
        if snapshot.status == VersionStatus.DRAFT:
            _keep_known_vectors(snapshot, provider.model)
        return golden_vectors(snapshot=snapshot, provider=provider), ""
    except ProviderError as error:
        return None, error.detail


def question_try(*, question: str, snapshot: PolicySnapshot) -> Tried:
    """Classify a question as it would be when asked, and record nothing: neither its text nor that it was tried.

    Where there is no provider, the terms alone decide, and the decision says so.
    """
    try:
        decision = classify(question=question, snapshot=snapshot, provider=tenant_provider())
    except ProviderError:
        decision = classify_question(question, snapshot, None, None)
    return Tried(question=question, decision=decision, grant=gate(decision, snapshot))


def _keep_known_vectors(draft: PolicySnapshot, model: str) -> None:
    """Give a draft's examples the vectors that the same words have in the version in force.

    Saving a draft makes its rows anew, without vectors. To embed all of them again took 8 s for the baseline's 141
    examples; what is left to embed are those that the author wrote.
    """
    made = GoldenVector.objects.filter(example_id__in=[each.id for each in draft.examples], model=model)
    have = set(made.values_list("example_id", flat=True))
    missing = [each for each in draft.examples if each.id not in have]
    if not missing:
        return
    in_force = GoldenVector.objects.filter(example__intent__version__status=VersionStatus.ACTIVE, model=model)
    known = dict(in_force.values_list("example__text", "vector"))
    GoldenVector.objects.bulk_create(
        [
            GoldenVector(tenant_id=current_scope().tenant_id, example_id=each.id, model=model, vector=known[each.text])
            for each in missing
            if each.text in known
        ],
        ignore_conflicts=True,  # another window may have made the same ones meanwhile
    )
