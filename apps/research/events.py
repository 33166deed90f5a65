"""The audit events of research: that it was asked for, each of its steps, and how it ended.

What is asked and answered on the way has events of its own (apps/retrieval/events.py); a step names them.
"""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, offer_to_webhooks, register
from apps.tenants.roles import Permission

CLAIMS_CHECKED = "research.claims.checked"
REQUESTED = "research.run.requested"
REJECTED = "research.run.rejected"
PLAN_CHANGED = "research.run.plan_changed"
STARTED = "research.run.started"
CANCEL_REQUESTED = "research.run.cancel_requested"
STEP_RECORDED = "research.step.recorded"
ENDED = "research.run.ended"

_ASK = frozenset({Permission.QUESTION_ASK})
_BOUNDS = frozenset(
    {"research_mode", "intent", "policy_version", "policy_version_id", "permitted_kinds", "withheld_kinds"}
)
_USED = frozenset({"steps", "rounds", "searches", "tokens", "elapsed_ms", "confidence"})


def register_events() -> None:
    """Register the classes of events that this room writes."""
    register(
        EventClass(
            action=CLAIMS_CHECKED,
            label="Text checked",
            fields={
                Group.CORE: frozenset(
                    {
                        "claims",
                        "sentences",
                        "verdicts",
                        "intents",
                        "permitted_kinds",
                        "withheld_kinds",
                        "policy_version",
                        "policy_version_id",
                        "facts_read",
                        "searches",
                        "tolerance",
                    }
                ),
                Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
                Group.ANSWER: frozenset({"result_hmac_sha256"}),
            },
            permissions=frozenset({Permission.QUESTION_ASK}),
        ),
        EventClass(
            action=REQUESTED,
            label="Research asked for",
            fields={
                Group.CORE: _BOUNDS | {"recording_mode", "sub_questions", "searches_most", "tokens_most"},
                Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
            },
            permissions=_ASK,
        ),
        EventClass(
            action=REJECTED,
            label="Research rejected",
            fields={
                Group.CORE: _BOUNDS | {"code"},
                Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
            },
            permissions=_ASK,
        ),
        EventClass(
            action=PLAN_CHANGED,
            label="Plan of research changed",
            fields={
                Group.CORE: frozenset({"sub_questions", "removed_questions", "reworded", "intent", "code"}),
                Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
            },
            permissions=_ASK,
        ),
        EventClass(
            action=STARTED,
            label="Research started",
            fields={Group.CORE: frozenset({"research_mode"})},
            permissions=_ASK,
        ),
        EventClass(
            action=CANCEL_REQUESTED,
            label="Cancellation of research asked for",
            fields={Group.CORE: frozenset({"steps"})},
            permissions=_ASK,
        ),
        EventClass(
            action=STEP_RECORDED,
            label="Step of research recorded",
            fields={
                Group.CORE: frozenset(
                    {
                        "ordinal",
                        "step_kind",
                        "round",
                        "intent",
                        "policy_version",
                        "policy_version_id",
                        "permitted_kinds",
                        "narrowed",
                        "question_event",
                        "step_outcome",
                        "passages",
                        "documents",
                        "scores",
                        "tokens",
                        "elapsed_ms",
                    }
                )
            },
        ),
        EventClass(
            action=ENDED,
            label="Research ended",
            fields={Group.CORE: _USED | {"run_state", "stopped_by", "code"}},
        ),
    )
    # Its subject is the run; it does not name the person who asked.
    offer_to_webhooks(ENDED)
