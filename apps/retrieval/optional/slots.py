"""The implementations of the optional stages, by the names by which StageSettings chooses them.

A slot without an implementation passes everything on and says so in the trace. To install an implementation, add it
here, and state what it gained in its own docstring (`manage.py evaluate --ablate` measures all that can run).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from django.conf import settings as django_settings

from apps.corpus.providers.protocol import TokenVectorProvider
from apps.corpus.providers.registry import token_vectors_for
from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.dependencies import Slots
from apps.retrieval.errors import UnknownStageImplementationError
from apps.retrieval.generation.protocol import Completing
from apps.retrieval.optional.diversifiers.mmr import MaximalMarginalRelevance
from apps.retrieval.optional.healing.healer import CoverageHealer
from apps.retrieval.optional.rerankers.cross_encoder import CrossEncoderReranker
from apps.retrieval.optional.rerankers.keyword import KeywordReranker
from apps.retrieval.optional.rerankers.late_interaction import LateInteractionReranker
from apps.retrieval.optional.rewriters.by_model import ModelRewriter
from apps.retrieval.optional.rewriters.recipes import RECIPES
from apps.retrieval.protocols import CandidateStage, Diversifier, Healer, Rewriter
from apps.retrieval.stage_settings import NONE, StageSettings

REWRITERS: Final[Mapping[str, Callable[[Completing | None, StageSettings], Rewriter]]] = {
    recipe.name: partial(ModelRewriter, recipe) for recipe in RECIPES
}
HEALERS: Final[Mapping[str, Callable[[Completing | None, StageSettings], Healer]]] = {
    CoverageHealer.name: CoverageHealer
}

ImplementationT = TypeVar("ImplementationT")


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotParts:
    """What an implementation is created with: the policy for the question, and the tenant's residency."""

    policy: RetrievalSettings
    tenant_region: str
    tenant_strict: bool


def _mmr(parts: SlotParts) -> Diversifier:
    return MaximalMarginalRelevance(trade_off=parts.policy.mmr_lambda)


def _keyword(parts: SlotParts) -> CandidateStage:
    return KeywordReranker(keyword_weight=parts.policy.rerank_keyword_weight)


def _late_interaction(parts: SlotParts) -> CandidateStage:
    def encoder() -> TokenVectorProvider:
        return token_vectors_for(
            django_settings.GLASSBOX_LATE_INTERACTION_PROFILE,
            tenant_region=parts.tenant_region,
            tenant_strict=parts.tenant_strict,
        )

    return LateInteractionReranker(encoder=encoder, keyword_weight=parts.policy.rerank_keyword_weight)


def _cross_encoder(parts: SlotParts) -> CandidateStage:
    return CrossEncoderReranker(
        model=django_settings.GLASSBOX_CROSS_ENCODER_MODEL, keyword_weight=parts.policy.rerank_keyword_weight
    )


# Created for each question, which costs nothing: models are shared by the process and loaded at first use.
DIVERSIFIERS: Final[Mapping[str, Callable[[SlotParts], Diversifier]]] = {"mmr": _mmr}
RERANKERS: Final[Mapping[str, Callable[[SlotParts], CandidateStage]]] = {
    "keyword": _keyword,
    "late_interaction": _late_interaction,
    "cross_encoder": _cross_encoder,
}
# Rerankers whose scores are probabilities, which the adaptive cut rules use (apps/retrieval/stages/ranking/cut_off.py).
CALIBRATED_RERANKERS: Final = frozenset({"cross_encoder"})
NEEDED_SETTINGS: Final[Mapping[str, str]] = {"cross_encoder": "GLASSBOX_CROSS_ENCODER_MODEL"}


def lacks_setting(name: str) -> bool:
    """Return whether an installed implementation lacks a setting that it needs."""
    return name in NEEDED_SETTINGS and not getattr(django_settings, NEEDED_SETTINGS[name])


def slots_for(settings: StageSettings, parts: SlotParts, model: Completing | None = None) -> Slots:
    """Return the optional stages that the settings choose.

    Args:    model: the tenant's model, bound to its residency, for implementations that need one to write; None if
                 there is none.
    Raises:  UnknownStageImplementationError: a name that is neither installed nor "none".
    """
    rewriter = _chosen("rewrite", settings.rewriter, REWRITERS)
    diversifier = _chosen("diversify", settings.diversifier, DIVERSIFIERS)
    reranker = _chosen("rerank", settings.reranker, RERANKERS)
    healer = _chosen("heal", settings.healer, HEALERS)
    return Slots(
        rewriter=rewriter(model, settings) if rewriter else None,
        diversifier=diversifier and diversifier(parts),
        reranker=reranker and reranker(parts),
        healer=healer(model, settings) if healer else None,
    )


def _chosen(stage: str, name: str, available: Mapping[str, ImplementationT]) -> ImplementationT | None:
    if name == NONE:
        return None
    if name not in available:
        raise UnknownStageImplementationError(stage=stage, name=name, available=", ".join(sorted({NONE, *available})))
    return available[name]
