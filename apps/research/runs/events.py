"""The events of a run, made of its stored steps: AG-UI's event types, with the reference names as custom events.

Each event has the id `<ordinal of its step>.<its place within the step>`. The same steps give the same events, so a
client resumes after any of them, and a run that has ended can be played again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from ag_ui.core import (
    BaseEvent,
    CustomEvent,
    RunErrorEvent,
    RunFinishedEvent,
    RunStartedEvent,
    StepFinishedEvent,
    StepStartedEvent,
    TextMessageContentEvent,
    TextMessageEndEvent,
    TextMessageStartEvent,
)
from ag_ui.encoder import EventEncoder

from apps.research.errors import RunError
from apps.research.models import ResearchRun, RunState, StepKind
from apps.research.runs.contracts import Result
from apps.research.runs.export import as_markdown
from apps.research.runs.showing import ShownStep
from apps.research.runs.telling import row_json, step_json
from apps.retrieval.serialise import to_json

_ID: Final = re.compile(r"(\d{1,9})\.(\d{1,3})")
HEARTBEAT: Final = b": still working\n\n"

Place = tuple[int, int]
START: Final[Place] = (0, 0)


def place_of(id: str) -> Place:
    """Return the place that a Last-Event-ID names; the start for none. Raises: RunError."""
    if not id:
        return START
    found = _ID.fullmatch(id)
    if found is None:
        raise RunError("research.bad_event_id", id=id[:40])
    return int(found.group(1)), int(found.group(2))


def events_of(run: ResearchRun, step: ShownStep) -> Iterator[tuple[Place, BaseEvent]]:
    """Yield the events of a step with their places."""
    for number, event in enumerate(_of_step(run, step), start=1):
        yield (step.row.ordinal, number), event


def beginning_of(run: ResearchRun) -> Iterator[tuple[Place, BaseEvent]]:
    """Yield the events that come before those of any step, whichever steps may be shown."""
    run_id = str(run.id)
    yield (0, 1), RunStartedEvent(thread_id=run_id, run_id=run_id)
    yield (0, 2), _custom("progress", _budget(run))


def encode(place: Place, event: BaseEvent) -> bytes:
    return f"id: {place[0]}.{place[1]}\n{EventEncoder().encode(event)}".encode()


def _of_step(run: ResearchRun, step: ShownStep) -> Iterator[BaseEvent]:
    row, run_id = step.row, str(run.id)
    told: Any = {key: each for key, each in step_json(step).items() if key != "recorded_at"}
    name = f"{row.ordinal}:{row.kind}"
    match row.kind:
        case StepKind.ANALYSIS:
            yield _custom("analysis", told)
        case StepKind.SEARCH:
            yield StepStartedEvent(step_name=name)
            yield _custom("iteration_followup" if row.round > 1 else "reasoning", {"round": row.round})
            yield _custom("iteration_search", told)
            if any("10-K" in each for each in _titles(told)):
                yield _custom("10k_search", {"ordinal": row.ordinal})
            yield StepFinishedEvent(step_name=name)
        case StepKind.SCORE:
            yield _custom("iteration_start", {"round": row.round})
            yield _custom("agent_decision", told)
            yield _custom("iteration_complete", {"round": row.round, "scores": row.scores, "decision": row.outcome})
        case StepKind.RESULT:
            yield TextMessageStartEvent(message_id=run_id, role="assistant")
            if isinstance(step.content, Result):
                yield TextMessageContentEvent(message_id=run_id, delta=as_markdown(step.content))
            yield TextMessageEndEvent(message_id=run_id)
            yield _custom("result", to_json(step.content) if step.content else None)
        case _:
            yield from _end(run, row.outcome)


def _end(run: ResearchRun, outcome: str) -> Iterator[BaseEvent]:
    run_id = str(run.id)
    if run.state == RunState.DONE:
        yield RunFinishedEvent(thread_id=run_id, run_id=run_id)
        return
    name = "rejected" if run.state == RunState.STOPPED else "error"
    yield _custom(name, {"state": run.state, "stopped_by": outcome, "error_code": run.error_code})
    yield RunErrorEvent(message=f"The research ended: {run.get_state_display().lower()} ({outcome}).", code=outcome)


def _budget(run: ResearchRun) -> dict[str, Any]:
    told = row_json(run)
    return {key: told[key] for key in ("mode", "budget", "kinds", "withheld", "policy_version")}


def _titles(told: dict[str, Any]) -> list[str]:
    answer = (told.get("content") or {}).get("answer") or {}
    return [str(each.get("document_title", "")) for each in answer.get("citations", ())]


def _custom(name: str, value: Any) -> CustomEvent:
    return CustomEvent(name=name, value=value)
