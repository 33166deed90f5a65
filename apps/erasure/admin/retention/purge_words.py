"""What became of a purge's parts, in words and figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Count

from apps.erasure.contracts import RunState
from apps.erasure.models import PurgePart, RemovalRun, RemovalTarget, TargetOutcome
from apps.tenants.admin.addresses import address
from apps.tenants.display import pill

# Kinds of grounds -> in words that follow a number. What is not here is shown as it is.
GROUNDS: Mapping[str, str] = {
    "hold": "under a legal hold",
    "request": "in an open request",
    "run": "proposed already",
}
_TONES = {
    RunState.PROPOSED: "warn",
    RunState.APPROVED: "busy",
    RunState.EXECUTING: "busy",
    RunState.COMPLETED: "good",
    RunState.PARTIALLY_COMPLETED: "warn",
    RunState.REJECTED: "quiet",
    RunState.FAILED: "bad",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PartShown:
    """A part of a purge with what became of its run."""

    part: PurgePart
    state: str
    removed: int
    retained: int
    kept: str
    url: str


def parts_shown(parts: Sequence[PurgePart], states: Mapping[UUID, RunState]) -> list[PartShown]:
    runs = [part.run_id for part in parts if part.run_id]
    outcomes = RemovalTarget.objects.filter(run_id__in=runs).order_by()
    counted = {
        (run_id, outcome): count
        for run_id, outcome, count in outcomes.values_list("run_id", "outcome").annotate(count=Count("id"))
    }
    return [
        PartShown(
            part=part,
            state=_pill(states[part.run_id]) if part.run_id else pill("Nothing to remove", "quiet"),
            removed=counted.get((part.run_id, TargetOutcome.REMOVED), 0),
            retained=counted.get((part.run_id, TargetOutcome.RETAINED), 0),
            kept=kept_in_words(part.kept),
            url=address("removal_run", part.run_id) if part.run_id else "",
        )
        for part in parts
    ]


def states_of(parts: Sequence[PurgePart]) -> dict[UUID, RunState]:
    runs = RemovalRun.objects.filter(id__in=[part.run_id for part in parts if part.run_id])
    return {id: RunState(state) for id, state in runs.values_list("id", "state")}


def purge_state(parts: Sequence[PurgePart], states: Mapping[UUID, RunState]) -> str:
    """The purge in one word: its last part's state, as long as there is one."""
    if not parts:
        return pill("Dry run only", "quiet")
    if not parts[-1].is_last:
        return pill("Partly proposed", "warn")
    runs = [states[part.run_id] for part in parts if part.run_id]
    for state in (RunState.FAILED, RunState.PROPOSED, RunState.EXECUTING, RunState.APPROVED):
        if state in runs:
            return _pill(state)
    return _pill(runs[-1]) if runs else pill("Nothing to remove", "quiet")


def _pill(state: RunState) -> str:
    labels = {
        RunState.PROPOSED: "Waits for a second person",
        RunState.APPROVED: "Approved, not yet begun",
        RunState.EXECUTING: "Being removed",
        RunState.PARTIALLY_COMPLETED: "Done, except for what is kept",
    }
    return pill(labels.get(state, state.value.capitalize()), _TONES[state])


def kept_in_words(grounds: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {GROUNDS.get(kind, kind)}" for kind, count in sorted(grounds.items()))
