"""The events of this floor: a question answered, refused, or failed."""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, register

ANSWERED = "retrieval.question.answered"
REJECTED = "retrieval.question.rejected"
FAILED = "retrieval.question.failed"

_QUESTION = frozenset({"hmac_sha256", "key_epoch", "length_chars", "intent_reason"})


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
                    {"refusal", "grounding", "ref_ids", "answer_hmac_sha256", "context_sha256", "context_chars"}
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
    )
