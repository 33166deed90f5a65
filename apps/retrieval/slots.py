"""Stages that have a place in the pipeline and, until one is installed, nothing in it.

A slot without an implementation passes everything on and says so in the trace; it never pretends. To install one, add
it here under the name by which StageSettings chooses it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeVar

from apps.retrieval.errors import UnknownStageImplementationError
from apps.retrieval.protocols import CandidateStage, Healer, Rewriter
from apps.retrieval.stage_settings import StageSettings

NONE: Final = "none"
REWRITERS: Final[Mapping[str, Rewriter]] = {}
DIVERSIFIERS: Final[Mapping[str, CandidateStage]] = {}
RERANKERS: Final[Mapping[str, CandidateStage]] = {}
HEALERS: Final[Mapping[str, Healer]] = {}

ImplementationT = TypeVar("ImplementationT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Slots:
    """What stands in the optional stages; None for an empty one."""

    rewriter: Rewriter | None = None
    diversifier: CandidateStage | None = None
    reranker: CandidateStage | None = None
    healer: Healer | None = None


def slots_for(settings: StageSettings) -> Slots:
    """Fill the optional stages as the settings say.

    Raises:  UnknownStageImplementationError: a name that is neither installed nor "none".
    """
    return Slots(
        rewriter=_chosen("rewrite", settings.rewriter, REWRITERS),
        diversifier=_chosen("diversify", settings.diversifier, DIVERSIFIERS),
        reranker=_chosen("rerank", settings.reranker, RERANKERS),
        healer=_chosen("heal", settings.healer, HEALERS),
    )


def _chosen(stage: str, name: str, available: Mapping[str, ImplementationT]) -> ImplementationT | None:
    if name == NONE:
        return None
    if name not in available:
        raise UnknownStageImplementationError(stage=stage, name=name, available=", ".join(sorted({NONE, *available})))
    return available[name]
