"""The audit events of the retrieval app: how a question ended.

Requests to models have events of their own (apps/corpus/providers/recording.py).
"""

from __future__ import annotations

from apps.audit.registry import EventClass, Group, offer_to_webhooks, register
from apps.tenants.roles import Permission

ANSWERED = "retrieval.question.answered"
SEARCHED = "retrieval.question.searched"
REJECTED = "retrieval.question.rejected"
FAILED = "retrieval.question.failed"
REPLAYED = "retrieval.question.replayed"
SHARED = "retrieval.answer.shared"
UNSHARED = "retrieval.answer.unshared"
SENT = "retrieval.question.sent"
TAKEN_BACK = "retrieval.question.taken_back"
SENT_DECIDED = "retrieval.question.decided"

DECIDED = (ANSWERED, SEARCHED)
"""Of a question that was decided: what it could reach, and what was found there. Alike but for the answer."""
ASKED = (*DECIDED, REJECTED, FAILED)
"""Of every question, however it ended."""

_QUESTION = frozenset({"hmac_sha256", "key_epoch", "length_chars", "intent_reason"})
# `text` is present only if the policy has it recorded encrypted. Filters hold ids, periods, kinds and names of
# companies that are held.
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
        "deadline",
        # The keys of the profile's rules that fired; never the words that made them fire.
        "profile_rules",
        # How many earlier questions came with it, and whether it was read with one; never their texts.
        "earlier_questions",
    }
)
_CONTEXT = frozenset({"refusal", "context_sha256", "context_chars"})
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

_ASK = frozenset({Permission.QUESTION_ASK})


def register_events() -> None:
    register(
        EventClass(
            action=ANSWERED,
            label="Question answered",
            fields={
                Group.CORE: _FOUND | {"generator", "model", "calls", "answer_outcome", "relevance", "research_mode"},
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
                Group.CORE: _FOUND | {"calls"},
                Group.QUESTION: _DECIDED_QUESTION,
                Group.ANSWER: _CONTEXT,
                Group.PASSAGES: frozenset({"hits"}),
            },
            permissions=_ASK,
        ),
        EventClass(
            action=REJECTED,
            label="Question rejected",
            fields={Group.CORE: frozenset({"code", "length_chars", "calls"})},
            permissions=_ASK,
        ),
        EventClass(
            action=FAILED,
            label="Question failed",
            fields={Group.CORE: frozenset({"code", "calls"}), Group.QUESTION: _QUESTION},
            permissions=_ASK,
        ),
        EventClass(
            action=REPLAYED,
            label="Question run again",
            fields={Group.CORE: _REPLAY, Group.QUESTION: frozenset({"hmac_sha256", "key_epoch"})},
            permissions=frozenset({Permission.AUDIT_VIEW}),
        ),
    )
    register(
        *(
            EventClass(action=action, label=label, fields={Group.CORE: frozenset({"event_id"})}, permissions=_ASK)
            for action, label in (
                (SHARED, "Answer shared by its address"),
                (UNSHARED, "Answer not shared any more"),
                (SENT, "Question sent to the officers"),
                (TAKEN_BACK, "Question taken back from the officers"),
            )
        ),
        EventClass(
            action=SENT_DECIDED,
            label="Question that was sent decided on",
            fields={Group.CORE: frozenset({"event_id", "decision"})},
            permissions=frozenset({Permission.POLICY_EDIT}),
        ),
    )
    # These events are about a question and do not name the person who asked it.
    offer_to_webhooks(ANSWERED, FAILED)
