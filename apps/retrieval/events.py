"""The events of this floor: a question answered, searched for, refused, or failed."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, made_with, register
from apps.audit.webhooks.offered import offer_to_webhooks
from apps.tenants.roles import Permission

ANSWERED = "retrieval.question.answered"
SEARCHED = "retrieval.question.searched"
REJECTED = "retrieval.question.rejected"
FAILED = "retrieval.question.failed"
REPLAYED = "retrieval.question.replayed"
EVALUATION_ADDED = "retrieval.evaluation.added"
EVALUATION_REMOVED = "retrieval.evaluation.removed"
EVALUATION_RUN_STARTED = "retrieval.evaluation_run.started"
EVALUATION_RUN_FINISHED = "retrieval.evaluation_run.finished"
IMPACT_REQUESTED = "retrieval.impact.requested"
IMPACT_COMPUTED = "retrieval.impact.computed"

DECIDED = (ANSWERED, SEARCHED)
"""Of a question that was decided: what it could reach, and what was found there. Alike but for the answer."""
ASKED = (*DECIDED, REJECTED, FAILED)
"""Of every question, however it ended."""

_QUESTION = frozenset({"hmac_sha256", "key_epoch", "length_chars", "intent_reason"})
# The text itself only where the policy has it recorded encrypted. Filters: ids, periods, kinds and names that are held.
_DECIDED_QUESTION = _QUESTION | {"text", "given_filters"}
_FOUND = frozenset(
    {
        "intent",
        "intent_score",
        "intent_margin",
        "policy_version",
        "policy_version_id",
        "recording_mode",
        "permitted_kinds",
        "withheld_kinds",
        "filters",
        "relaxed_filters",
        "excluded",
        "embedding",
        "terms_version",
        "stage_settings",
        "rewording",
        "degradations",
        "elapsed_ms",
        "stage_ms",
    }
)
_CONTEXT = frozenset({"refusal", "context_sha256", "context_chars"})
_EVALUATION = {
    Group.CORE: frozenset({"series_id", "pages"}),
    Group.QUESTION: frozenset({"hmac_sha256", "key_epoch", "length_chars"}),
}
_REPLAY = frozenset(
    {
        "intent",
        "policy_version",
        "policy_version_id",
        "typed",
        "code",
        "equal",
        "intent_equal",
        "kinds_equal",
        "context_equal",
        "hits",
        "limits",
    }
)
_EVALUATION_RUN = frozenset(
    {"corpus_sha256", "questions_sha256", "policy_version", "documents", "questions", "changed_settings"}
)
_IMPACT = frozenset({"number", "revision", "content_sha256", "base_number", "base_sha256"})

_ASK = frozenset({Permission.QUESTION_ASK})
_EDIT = frozenset({Permission.POLICY_EDIT})


def register_events() -> None:
    register(
        EventClass(
            action=ANSWERED,
            label="Question answered",
            fields={
                Group.CORE: _FOUND | {"generator", "model"},
                Group.QUESTION: _DECIDED_QUESTION,
                Group.ANSWER: _CONTEXT | {"grounding", "repair", "ref_ids", "answer_hmac_sha256"},
                Group.PASSAGES: frozenset({"hits"}),
            },
            permissions=_ASK,
        ),
        EventClass(
            action=SEARCHED,
            label="Question searched for, without an answer",
            fields={
                Group.CORE: _FOUND,
                Group.QUESTION: _DECIDED_QUESTION,
                Group.ANSWER: _CONTEXT,
                Group.PASSAGES: frozenset({"hits"}),
            },
            permissions=_ASK,
        ),
        EventClass(
            action=REJECTED,
            label="Question rejected",
            fields={Group.CORE: frozenset({"code", "length_chars"})},
            permissions=_ASK,
        ),
        EventClass(
            action=FAILED,
            label="Question failed",
            fields={Group.CORE: frozenset({"code"}), Group.QUESTION: _QUESTION},
            permissions=_ASK,
        ),
        EventClass(
            action=REPLAYED,
            label="Question run again",
            fields={Group.CORE: _REPLAY, Group.QUESTION: frozenset({"hmac_sha256", "key_epoch"})},
            permissions=frozenset({Permission.AUDIT_VIEW}),
        ),
        # Whose name stands on a question or a preview, the stores of an erasure ask of these (erasure_stores.py).
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
    # Whose subject is a question, and nobody who asked it.
    offer_to_webhooks(ANSWERED, FAILED, EVALUATION_RUN_FINISHED, IMPACT_COMPUTED)
