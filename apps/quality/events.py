"""The audit events of the quality app: evaluation questions, evaluation runs, and previews of a policy's impact."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, made_with, offer_to_webhooks, register
from apps.tenants.roles import Permission

EVALUATION_ADDED = "retrieval.evaluation.added"
EVALUATION_REMOVED = "retrieval.evaluation.removed"
EVALUATION_RUN_STARTED = "retrieval.evaluation_run.started"
EVALUATION_RUN_FINISHED = "retrieval.evaluation_run.finished"
IMPACT_REQUESTED = "retrieval.impact.requested"
IMPACT_COMPUTED = "retrieval.impact.computed"

_EVALUATION = {
    Group.CORE: frozenset({"series_id", "pages"}),
    Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
}
_EVALUATION_RUN = frozenset(
    {"corpus_sha256", "questions_sha256", "policy_version", "documents", "questions", "changed_settings"}
)
_IMPACT = frozenset({"number", "revision", "content_sha256", "base_number", "base_sha256"})

_EDIT = frozenset({Permission.POLICY_EDIT})


def register_events() -> None:
    register(
        # Erasure stores use these events to find whose name stands on a question or a preview (apps/quality/models).
        EventClass(
            action=EVALUATION_ADDED,
            label="Evaluation question added",
            fields=_EVALUATION,
            permissions=_EDIT,
            binding=made_with("retrieval_evaluationquery", "created_at"),
        ),
        EventClass(
            action=EVALUATION_REMOVED, label="Evaluation question removed", fields=_EVALUATION, permissions=_EDIT
        ),
        EventClass(
            action=EVALUATION_RUN_STARTED,
            label="Evaluation run started",
            fields={Group.CORE: _EVALUATION_RUN},
            permissions=_EDIT,
        ),
        EventClass(
            action=EVALUATION_RUN_FINISHED,
            label="Evaluation run finished",
            fields={Group.CORE: _EVALUATION_RUN | {"code", "metrics_sha256"}},
            permissions=_EDIT,
        ),
        EventClass(
            action=IMPACT_REQUESTED,
            label="Impact preview requested",
            fields={Group.CORE: _IMPACT},
            permissions=_EDIT | {Permission.POLICY_APPROVE},
            binding=made_with("retrieval_policyimpact", "requested_at", key="version_id", once=False),
        ),
        EventClass(
            action=IMPACT_COMPUTED,
            label="Impact preview computed",
            fields={Group.CORE: _IMPACT | {"code", "recorded", "evaluation", "golden", "result_sha256"}},
        ),
    )
    # These events are about a run or a preview and do not name the person who asked for it.
    offer_to_webhooks(EVALUATION_RUN_FINISHED, IMPACT_COMPUTED)
