"""Show a run to its owner: what may still be read of its question, plan, steps and answer, in the open scope."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar
from uuid import UUID

from apps.audit.errors import PayloadDamagedError
from apps.research.errors import RunError
from apps.research.models import ResearchRun, ResearchStep, StepKind
from apps.research.runs.contracts import Plan, Result, RunContent, ScoreContent, SearchContent
from apps.research.runs.reading import content_of, run_of, steps_of, usable
from apps.research.runs.sealing import Sealer

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
    """content: None where the texts are not there any more, or a scope was lost that the research was asked in.

    plan: None also where a document that it was made from was removed, or may not be read now. result: None where there
    is none, or none to be read.
    """

    row: ResearchRun
    content: RunContent | None
    plan: Plan | None
    steps: tuple[ShownStep, ...]

    @property
    def result(self) -> Result | None:
        return next((each.content for each in reversed(self.steps) if isinstance(each.content, Result)), None)


def shown(run_id: UUID, *, after: int = 0) -> ShownRun:
    """Return one's own run with its steps after an ordinal. Costs: about four queries. Raises: RunError, RedisError."""
    row, steps = run_of(run_id), steps_of(run_id)
    if not row.has_ended and any(each.kind == StepKind.ENDED for each in steps):
        # It ended between the two queries: its last step is told with how it ended.
        row = run_of(run_id)
    sealer = Sealer.of(row)
    readable = {each.id for each in usable(steps)}
    content = _opened(lambda: content_of(row, sealer))
    planned = any(each.kind == StepKind.ANALYSIS and each.id in readable for each in steps)
    return ShownRun(
        row=row,
        content=content,
        plan=content.plan if content and planned else None,
        steps=tuple(_shown(sealer, [each for each in steps if each.ordinal > after], readable)),
    )


def _shown(sealer: Sealer, steps: Sequence[ResearchStep], readable: Collection[UUID]) -> list[ShownStep]:
    return [
        ShownStep(
            row=each,
            content=_opened(partial(sealer.open, _CONTENTS[each.kind], each))
            if each.id in readable and each.kind in _CONTENTS
            else None,
        )
        for each in steps
    ]


def _opened(read: Callable[[], ContentT]) -> ContentT | None:
    try:
        return read()
    except (RunError, PayloadDamagedError):
        # There are no texts any more, or not for who reads, and the page says so.
        return None
