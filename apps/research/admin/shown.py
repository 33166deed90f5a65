"""What the page of one research shows, in words."""

from __future__ import annotations

from typing import Any, Final

from apps.research.models import RunState, StepKind
from apps.research.runs.contracts import ScoreContent, SearchContent, Source
from apps.research.runs.showing import ShownRun, ShownStep
from apps.retrieval.admin.ask_links import span_url

WHY: Final = {
    "confidence": "The confidence that its mode asks for was reached.",
    "sufficient": "Every part of the question has an answer.",
    "rounds": "Its last round has ended; what was not found is named.",
    "no_new_phrase": "There was no further wording to search for; what was not found is named.",
    "budget": "Its budget is used up; what was not found is named.",
    "cancelled": "You cancelled it.",
    "access_ended": "Your access ended while it worked.",
    "tenant_suspended": "The tenant was suspended while it worked.",
    "scopes_erased": "Its scopes are being erased.",
    "intent_gone": "The policy that came into force while it worked does not have its intent any more.",
    "nothing_permitted": "The policy that came into force while it worked permits no kind of document for it any more.",
    "mode_not_permitted": "The policy that came into force while it worked does not permit its mode for its intent.",
    "recording_changed": "The policy that came into force while it worked keeps texts in another way. Ask again.",
    "worker_lost": "The programs that worked on it were lost several times. Ask again, or tell the operator.",
    "failed": "It failed. Ask again, or tell the operator the code below.",
}
_NARROWED: Final = {
    "policy": "another policy is in force",
    "scopes": "you lost a scope",
    "kinds": "fewer kinds of document are permitted",
}
_MOVING: Final = (RunState.QUEUED, RunState.RUNNING)


def run_context(found: ShownRun) -> dict[str, Any]:
    run, result = found.row, found.result
    return {
        "run": run,
        "run_content": found.content,
        "plan": found.plan,
        "is_moving": run.state in _MOVING,
        "is_planned": run.state == RunState.PLANNED,
        "why": WHY.get(run.stopped_by, ""),
        "step_lines": [_line(each) for each in found.steps],
        "result": result,
        "sources": [(each, _page(each)) for each in result.sources] if result else [],
        "spent_seconds": round(run.spent_ms / 1000, 1),
    }


def _line(step: ShownStep) -> dict[str, Any]:
    row = step.row
    return {
        "ordinal": row.ordinal,
        "kind": row.get_kind_display(),
        "round": row.round,
        "words": _words(step),
        "outcome": row.outcome.replace("_", " "),
        "policy": row.policy_version,
        "passages": len(row.passages),
        "narrowed": ", ".join(_NARROWED.get(each, each) for each in row.narrowed),
        "elapsed_ms": row.elapsed_ms,
    }


def _words(step: ShownStep) -> str:
    match step.content:
        case SearchContent(text=text):
            return text
        case ScoreContent(scores=scores, confidence=confidence):
            each = ", ".join(f"{score.name} {score.value}" for score in scores)
            return f"Confidence {confidence} of 100: {each}."
        case None if step.row.kind in (StepKind.SEARCH, StepKind.SCORE, StepKind.RESULT):
            return "Its text is not there any more, or may not be read now."
        case _:
            return ""


def _page(source: Source) -> str:
    """The page of the document, with the quote marked."""
    return span_url(source.document_id, page=source.page, start=source.char_start, end=source.char_end)
