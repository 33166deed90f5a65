"""Read what a run has recorded, as its owner: the steps that may still be used, and what they say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from apps.research.models import ResearchRun, ResearchStep, StepKind
from apps.research.runs.contracts import ScoreContent, SearchContent
from apps.research.runs.sealing import Sealer
from apps.retrieval.retrievers.documents import may_be_read

ContentT = TypeVar("ContentT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the usable steps of a run say. documents: all that they were written from."""

    found: tuple[SearchContent, ...]
    scored: tuple[ScoreContent, ...]
    documents: frozenset[UUID]


def steps_of(run_id: UUID) -> list[ResearchStep]:
    """Return the steps that the open scope shows: those within its scopes. Costs: one query."""
    return list(ResearchStep.objects.filter(run_id=run_id).order_by("ordinal"))


def usable(steps: Sequence[ResearchStep], kinds: Collection[str] | None = None) -> list[ResearchStep]:
    """Return the steps whose documents may all be read now, and whose kinds are all still permitted.

    Args:  kinds: permitted now; None if nobody asks.
    Costs: one query; one more for each step where a document may not be read.
    """
    kept = [each for each in steps if kinds is None or set(each.kinds) <= set(kinds)]
    if may_be_read({document for each in kept for document in each.document_ids}):
        return kept
    return [each for each in kept if may_be_read(each.document_ids)]


def recorded(run: ResearchRun, sealer: Sealer, kinds: Collection[str]) -> Recorded:
    """Return what the run may go on from. Call it in the owner's scope. Raises: RunError, PayloadDamagedError."""
    steps = usable(steps_of(run.id), kinds)
    searches = [each for each in steps if each.kind == StepKind.SEARCH]
    scores = [each for each in steps if each.kind == StepKind.SCORE]
    return Recorded(
        found=tuple(sealer.open(SearchContent, each) for each in searches),
        scored=tuple(sealer.open(ScoreContent, each) for each in scores),
        documents=frozenset(document for each in (*searches, *scores) for document in each.document_ids),
    )
