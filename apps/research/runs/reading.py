"""Read one's own runs, and what a run has recorded: the steps that may still be used, and what they say."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from django.db.models import QuerySet
from django.utils import timezone

from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep, StepKind
from apps.research.runs.contracts import RunContent, ScoreContent, SearchContent
from apps.research.runs.sealing import Sealer
from apps.retrieval.retrievers.documents import readable_among
from apps.tenants.context import current_scope
from apps.tenants.principals import Principal

ContentT = TypeVar("ContentT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What the usable steps of a run say. documents: all that they were written from."""

    found: tuple[SearchContent, ...]
    scored: tuple[ScoreContent, ...]
    documents: frozenset[UUID]


def own_runs(who: Principal) -> QuerySet[ResearchRun]:
    """Return a person's own runs whose time is not over. A key sees those alone that were asked for by it."""
    runs = ResearchRun.objects.filter(owner_id=who.id, expires_at__gt=timezone.now())
    return runs if who.key_id is None else runs.filter(owner_key_id=who.key_id)


def run_of(run_id: UUID) -> ResearchRun:
    """Return one's own run. Raises: RunError: there is none."""
    run: ResearchRun | None = own_runs(current_scope().principal).filter(id=run_id).first()
    if run is None:
        raise RunError("research.run_unknown")
    return run


def content_of(run: ResearchRun, sealer: Sealer) -> RunContent:
    """Return the question and plan of one's own run, which name what lies in all of its scopes.

    Raises: RunError: its key is gone, or who reads lost a scope of it. PayloadDamagedError, RedisError.
    """
    if not set(run.scope_ids) <= current_scope().scope_ids:
        raise RunError("research.scope_lost")
    return sealer.open(RunContent, run)


def steps_of(run_id: UUID) -> list[ResearchStep]:
    """Return the steps that the open scope shows: those within its scopes. Costs: one query."""
    return list(ResearchStep.objects.filter(run_id=run_id).order_by("ordinal"))


def usable(steps: Sequence[ResearchStep], kinds: Collection[str] | None = None) -> list[ResearchStep]:
    """Return the steps whose documents may all be read now, and whose kinds are all still permitted.

    Args:  kinds: permitted now; None if nobody asks.
    Costs: as readable_among.
    """
    return readable_among([each for each in steps if kinds is None or set(each.kinds) <= set(kinds)])


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
