"""The events of this floor: a question answered, refused, or failed."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register

ANSWERED = "retrieval.question.answered"
REJECTED = "retrieval.question.rejected"
FAILED = "retrieval.question.failed"
REPLAYED = "retrieval.question.replayed"
EVALUATION_ADDED = "retrieval.evaluation.added"
EVALUATION_REMOVED = "retrieval.evaluation.removed"
EVALUATION_RUN_STARTED = "retrieval.evaluation_run.started"
EVALUATION_RUN_FINISHED = "retrieval.evaluation_run.finished"
IMPACT_REQUESTED = "retrieval.impact.requested"
IMPACT_COMPUTED = "retrieval.impact.computed"

_QUESTION = frozenset({"hmac_sha256", "key_epoch", "length_chars", "intent_reason"})
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


def register_events() -> None:
    register(
        EventClass(
            action=ANSWERED,
            label="Question answered",
            fields={
                Group.CORE: frozenset(
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
                        "generator",
                        "model",
                        "degradations",
                        "elapsed_ms",
                        "stage_ms",
                    }
                ),
                # The text itself only where the policy has it recorded encrypted.
                Group.QUESTION: _QUESTION | {"text"},
                Group.ANSWER: frozenset(
                    {
                        "refusal",
                        "grounding",
                        "repair",
                        "ref_ids",
                        "answer_hmac_sha256",
                        "context_sha256",
                        "context_chars",
                    }
                ),
                Group.PASSAGES: frozenset({"hits"}),
            },
        ),
        EventClass(
            action=REJECTED,
            label="Question rejected",
            fields={Group.CORE: frozenset({"code", "length_chars"})},
        ),
        EventClass(
            action=FAILED,
            label="Question failed",
            fields={Group.CORE: frozenset({"code"}), Group.QUESTION: _QUESTION},
        ),
        EventClass(
            action=REPLAYED,
            label="Question run again",
            fields={Group.CORE: _REPLAY, Group.QUESTION: frozenset({"hmac_sha256", "key_epoch"})},
        ),
        EventClass(action=EVALUATION_ADDED, label="Evaluation question added", fields=_EVALUATION),
        EventClass(action=EVALUATION_REMOVED, label="Evaluation question removed", fields=_EVALUATION),
        EventClass(action=EVALUATION_RUN_STARTED, label="Evaluation run started", fields={Group.CORE: _EVALUATION_RUN}),
        EventClass(
            action=EVALUATION_RUN_FINISHED,
            label="Evaluation run finished",
            fields={Group.CORE: _EVALUATION_RUN | {"code", "metrics_sha256"}},
        ),
        EventClass(action=IMPACT_REQUESTED, label="Impact preview requested", fields={Group.CORE: _IMPACT}),
        EventClass(
            action=IMPACT_COMPUTED,
            label="Impact preview computed",
            fields={Group.CORE: _IMPACT | {"code", "recorded", "evaluation", "golden", "result_sha256"}},
        ),
    )
