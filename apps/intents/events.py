"""The audit events of policies."""

from __future__ import annotations

from apps.audit.registry import ANYBODY, EventClass, Group, offer_to_webhooks, register
from apps.tenants.roles import Permission

ACCESS_ASKED = "intents.access.asked"

# content_sha256 is the digest of the version's content after the step. before_sha256 is the digest of the draft before
# the change; in all other steps, of the policy that was in force then. So every event shows what would replace what.
# proof_sha256 is the digest of the proof that was stored with the submission; its approval names the same.
_VERSION = frozenset({"number", "origin", "reason", "author", "before_sha256", "content_sha256"})
_STEPS = {
    "intents.policy.drafted": ("Draft begun", {"revision"}),
    "intents.policy.draft_changed": ("Draft changed", {"revision"}),
    "intents.policy.submitted": ("Policy submitted", {"proof_sha256"}),
    "intents.policy.first_approved": ("Policy approved by the first of two", {"proof_sha256"}),
    "intents.policy.approved": ("Policy approved", {"effective_from", "proof_sha256"}),
    "intents.policy.rejected": ("Policy rejected", set()),
    "intents.policy.sent_back": ("Policy sent back", set()),
    "intents.policy.withdrawn": ("Policy withdrawn", {"revision"}),
    "intents.policy.commented": (
        "Policy commented on",
        {"comment_id", "revision", "about_intent", "about_kind", "answers", "turn"},
    ),
    "intents.policy.reminded": ("Reminded of a policy that waits", {"revision", "waits_days", "escalated"}),
    "intents.policy.activated": ("Policy put in force", {"approver", "superseded_number", "valid_from"}),
}

_EDIT = frozenset({Permission.POLICY_EDIT})
_APPROVE = frozenset({Permission.POLICY_APPROVE})
_PERMISSIONS = {
    "intents.policy.drafted": _EDIT,
    "intents.policy.draft_changed": _EDIT,
    "intents.policy.submitted": _EDIT,
    "intents.policy.first_approved": _APPROVE,
    "intents.policy.approved": _APPROVE,
    "intents.policy.rejected": _APPROVE,
    "intents.policy.sent_back": _APPROVE,
    "intents.policy.withdrawn": _EDIT | _APPROVE,
    "intents.policy.commented": _EDIT | _APPROVE,
    # By the clock alone.
    "intents.policy.reminded": frozenset(),
    # Recorded together with the approval, or later by the scheduler.
    "intents.policy.activated": _APPROVE,
}


def register_policy_events() -> None:
    register(
        *(
            EventClass(
                action=action,
                label=label,
                fields={Group.CORE: _VERSION | more},
                permissions=_PERMISSIONS[action],
            )
            for action, (label, more) in _STEPS.items()
        )
    )
    offer_to_webhooks(*_STEPS)
    register(
        EventClass(
            action=ACCESS_ASKED,
            label="Asked who could reach what",
            # All users may ask about themselves.
            permissions=ANYBODY,
            fields={
                Group.CORE: frozenset(
                    {"asked_about", "user_id", "api_key_id", "instant", "intent", "verdict", "policy_version"}
                )
            },
        )
    )
