"""Classify a question under a policy, with the tenant's provider."""

from __future__ import annotations

import logging

from apps.corpus.providers.errors import ProviderError, ResidencyError, UnknownProviderError
from apps.corpus.providers.protocol import EmbeddingProvider
from apps.intents.classifier import classify_question
from apps.intents.contracts import IntentDecision, PolicySnapshot
from apps.intents.instructions import core_question
from apps.intents.services.golden import golden_vectors
from apps.tenants.ids import TenantId

logger = logging.getLogger("glassbox.intents")


def classify(
    *, question: str, snapshot: PolicySnapshot, provider: EmbeddingProvider, tenant_id: TenantId | None = None
) -> IntentDecision:
    """Decide a question's intent; if the provider fails, decide by the terms alone and flag the decision as degraded.

    Args:    question: as it was asked.
             snapshot: the tenant's policy in force.
             provider: the tenant's own, bound to its residency rule.
             tenant_id: None for the open tenant.
    Raises:  ResidencyError, UnknownProviderError: the tenant must not use the provider, or it does not exist. That is
             a wrong configuration and not an outage, so the terms do not decide.
    Costs:   one embedding; see golden_vectors for the queries.
    """
    core = core_question(question)
    if not core.text:
        return classify_question(question, snapshot, None, None)
    try:
        examples = golden_vectors(snapshot=snapshot, provider=provider, tenant_id=tenant_id)
        vector = provider.embed_query(core.text)
    except (ResidencyError, UnknownProviderError):
        raise
    except ProviderError as error:
        logger.warning("classifying by terms alone: %s", error.code)
        return classify_question(question, snapshot, None, None)
    return classify_question(question, snapshot, vector, examples)
