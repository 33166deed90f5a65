"""Show a run to its owner: what may still be read of its question, plan, steps and answer, in the open scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar
from uuid import UUID

from apps.audit.errors import PayloadDamagedError
from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep, StepKind
from apps.research.runs.contracts import Plan, Result, RunContent, ScoreContent, SearchContent
from apps.research.runs.reading import steps_of, usable
from apps.research.runs.sealing import Sealer
from apps.research.runs.services import run_of

ContentT = TypeVar("ContentT")
Content = Plan | SearchContent | ScoreContent | Result
_CONTENTS: dict[str, type[Plan] | type[SearchContent] | type[ScoreContent] | type[Result]] = {
    StepKind.ANALYSIS: Plan,
    StepKind.SEARCH: SearchContent,
    StepKind.SCORE: ScoreContent,
    StepKind.RESULT: Result,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownStep:
    """A step with what it says; None where that is not there any more, or its documents may not be read now."""

    row: ResearchStep
    content: Content | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownRun:
    """content: None where the texts are not there any more. result: None where there is none, or none to be read."""

    row: ResearchRun
    content: RunContent | None
    steps: tuple[ShownStep, ...]

    @property
    def result(self) -> Result | None:
        return next((each.content for each in reversed(self.steps) if isinstance(each.content, Result)), None)


def shown(run_id: UUID, *, after: int = 0) -> ShownRun:
    """Return one's own run with its steps after an ordinal. Costs: about four queries. Raises: RunError, RedisError."""
    row = run_of(run_id)
    sealer = Sealer.of(row)
    steps = [each for each in steps_of(row.id) if each.ordinal > after]
    return ShownRun(row=row, content=_opened(sealer, RunContent, row), steps=tuple(_shown(sealer, steps)))


def _shown(sealer: Sealer, steps: Sequence[ResearchStep]) -> list[ShownStep]:
    readable = {each.id for each in usable(steps)}
    return [
        ShownStep(
            row=each,
            content=_opened(sealer, _CONTENTS[each.kind], each)
            if each.id in readable and each.kind in _CONTENTS
            else None,
        )
        for each in steps
    ]


def _opened(sealer: Sealer, wanted: type[ContentT], row: ResearchRun | ResearchStep) -> ContentT | None:
    try:
        return sealer.open(wanted, row)
    except (RunError, PayloadDamagedError):
        # Its key is gone: there are no texts any more, and the page says so.
        return None
