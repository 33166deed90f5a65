"""Stages that have a place in the pipeline and, until one is installed, nothing in it.

A slot without an implementation passes everything on and says so in the trace; it never pretends. To install one, add
it here under the name by which StageSettings chooses it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, TypeVar

from apps.retrieval.errors import UnknownStageImplementationError
from apps.retrieval.generation.protocol import Completing
from apps.retrieval.healing.healer import CoverageHealer
from apps.retrieval.protocols import CandidateStage, Healer, Rewriter
from apps.retrieval.rewriters.by_model import ModelRewriter
from apps.retrieval.rewriters.recipes import RECIPES
from apps.retrieval.stage_settings import StageSettings

NONE: Final = "none"
REWRITERS: Final[Mapping[str, Callable[[Completing | None, StageSettings], Rewriter]]] = {
    recipe.name: partial(ModelRewriter, recipe) for recipe in RECIPES
}
DIVERSIFIERS: Final[Mapping[str, CandidateStage]] = {}
RERANKERS: Final[Mapping[str, CandidateStage]] = {}
HEALERS: Final[Mapping[str, Callable[[Completing | None, StageSettings], Healer]]] = {
    CoverageHealer.name: CoverageHealer
}

ImplementationT = TypeVar("ImplementationT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """What stands in the optional stages; None for an empty one."""

    rewriter: Rewriter | None = None
    diversifier: CandidateStage | None = None
    reranker: CandidateStage | None = None
    healer: Healer | None = None


def slots_for(settings: StageSettings, model: Completing | None = None) -> Slots:
    """Fill the optional stages as the settings say.

    Args:    model: the tenant's, bound to its residency, for what writes; None where there is none.
    Raises:  UnknownStageImplementationError: a name that is neither installed nor "none".
    """
    rewriter = _chosen("rewrite", settings.rewriter, REWRITERS)
    healer = _chosen("heal", settings.healer, HEALERS)
    return Slots(
        rewriter=rewriter(model, settings) if rewriter else None,
        diversifier=_chosen("diversify", settings.diversifier, DIVERSIFIERS),
        reranker=_chosen("rerank", settings.reranker, RERANKERS),
        healer=healer(model, settings) if healer else None,
    )


def _chosen(stage: str, name: str, available: Mapping[str, ImplementationT]) -> ImplementationT | None:
    if name == NONE:
        return None
    if name not in available:
        raise UnknownStageImplementationError(stage=stage, name=name, available=", ".join(sorted({NONE, *available})))
    return available[name]
