"""What programs are told of a run: the same values for the API, the events and the export."""

from __future__ import annotations

from typing import Any

from apps.research.models import ResearchRun, ResearchStep
from apps.research.runs.contracts import Plan
from apps.research.runs.showing import ShownRun, ShownStep
from apps.retrieval.serialise import to_json


def run_json(shown: ShownRun) -> dict[str, Any]:
    """Return a run with its plan, steps and answer."""
    result = shown.result
    return {
        **row_json(shown.row),
        "question": shown.content.question if shown.content else None,
        "plan": plan_json(shown.plan) if shown.plan else None,
        "steps": [step_json(each) for each in shown.steps],
        "result": to_json(result) if result else None,
    }


def row_json(run: ResearchRun) -> dict[str, Any]:
    """Return what the row says by itself: no words of anybody."""
    return {
        "id": str(run.id),
        "state": run.state,
        "mode": run.mode,
        "intent": run.intent or "unrecognised",
        "policy_version": run.policy_version,
        "kinds": list(run.permitted_kinds),
        "withheld": list(run.withheld),
        "recording_mode": run.recording_mode,
        "scope_ids": [str(each) for each in run.scope_ids],
        "budget": {
            "rounds": run.rounds_most,
            "confidence": run.confidence_wanted,
            "searches": run.searches_most,
            "tokens": run.tokens_most,
            "seconds": run.seconds_most,
        },
        "spent": {
            "rounds": run.rounds,
            "searches": run.searches,
            "tokens": run.tokens,
            "seconds": round(run.spent_ms / 1000, 3),
        },
        "confidence": run.confidence,
        "stopped_by": run.stopped_by,
        "error_code": run.error_code,
        "cancel_requested": run.cancel_requested_at is not None,
        "requested_at": run.requested_at,
        "finished_at": run.finished_at,
        "expires_at": run.expires_at,
        "audit_event_id": str(run.event_id),
    }


def plan_json(plan: Plan) -> dict[str, Any]:
    told: dict[str, Any] = to_json(plan)
    return told


def step_json(step: ShownStep) -> dict[str, Any]:
    """Return a step with what it says, where that may be read."""
    return {**step_row_json(step.row), "content": to_json(step.content) if step.content else None}


def step_row_json(row: ResearchStep) -> dict[str, Any]:
    return {
        "ordinal": row.ordinal,
        "kind": row.kind,
        "round": row.round,
        "intent": row.intent or "unrecognised",
        "policy_version": row.policy_version,
        "kinds": list(row.kinds),
        "narrowed": list(row.narrowed),
        "audit_event_id": str(row.event_id) if row.event_id else None,
        "passages": list(row.passages),
        "scores": dict(row.scores),
        "outcome": row.outcome,
        "tokens": row.tokens,
        "elapsed_ms": row.elapsed_ms,
        "recorded_at": row.recorded_at,
    }
