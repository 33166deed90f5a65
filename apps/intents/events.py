"""The audit events of policies."""

from __future__ import annotations

from apps.audit.registry import ANYBODY, EventClass, Group, offer_to_webhooks, register
from apps.tenants.roles import Permission

ACCESS_ASKED = "intents.access.asked"
ACCESS_LISTED = "intents.access.listed"
LIST_CUT_SHORT = "intents.access.list_cut_short"
POLICY_PROVEN = "intents.policy.proven"
APPROVAL_LAPSED = "intents.policy.approval_lapsed"

# content_sha256 is the digest of the version's content after the step. before_sha256 is the digest of the draft before
# the change; in all other steps, of the policy that was in force then. So every event shows what would replace what.
# proof_sha256 is the digest of the proof that was stored with the submission; its approval names the same.
_VERSION = frozenset({"number", "origin", "reason", "author", "before_sha256", "content_sha256"})
_STEPS = {
    "intents.policy.drafted": ("Draft begun", {"revision"}),
    "intents.policy.draft_changed": ("Draft changed", {"revision"}),
    "intents.policy.submitted": ("Policy submitted", {"proof_sha256"}),
    "intents.policy.first_approved": ("Policy approved by the first of two", {"proof_sha256"}),
    APPROVAL_LAPSED: ("First of two approvals lapsed", {"revision", "approval_id", "user_id"}),
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

RECERTIFICATION_BEGUN = "intents.recertification.begun"
RECERTIFICATION_DECIDED = "intents.recertification.decided"
RECERTIFICATION_REASSIGNED = "intents.recertification.reassigned"
RECERTIFICATION_REMINDED = "intents.recertification.reminded"
RECERTIFICATION_CLOSED = "intents.recertification.closed"

ABSENCE_RECORDED = "intents.absence.recorded"
ABSENCE_ENDED = "intents.absence.ended"

_EDIT = frozenset({Permission.POLICY_EDIT})
_APPROVE = frozenset({Permission.POLICY_APPROVE})
_PERMISSIONS = {
    "intents.policy.drafted": _EDIT,
    "intents.policy.draft_changed": _EDIT,
    "intents.policy.submitted": _EDIT,
    "intents.policy.first_approved": _APPROVE,
    # By the clock alone.
    APPROVAL_LAPSED: frozenset(),
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
    _register_recertification_events()
    _register_absence_events()
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
        ),
        EventClass(
            action=ACCESS_LISTED,
            label="Looked up who could reach what",
            permissions=frozenset({Permission.AUDIT_VIEW}),
            # log_size and log_root: the head of the log that the answer names.
            fields={
                Group.CORE: frozenset(
                    {
                        *("mode", "since", "until", "user_id", "api_key_id", "role", "document_id", "kind", "scope_id"),
                        *("policy_versions", "rows", "format", "log_size", "log_root"),
                    }
                )
            },
        ),
        EventClass(
            action=POLICY_PROVEN,
            label="Proved what one policy lets through beside another",
            permissions=frozenset({Permission.AUDIT_VIEW}),
            # As in the event of a submission: number and content_sha256 are of the later side, before_sha256 is of the
            # earlier one. since, until: when it was counted who may ask where, on either side.
            fields={
                Group.CORE: frozenset(
                    {"number", "before_sha256", "content_sha256", "proof_sha256", "since", "until", "format"}
                )
            },
        ),
        EventClass(
            action=LIST_CUT_SHORT,
            label="List of who could reach what cut short",
            fields={Group.CORE: frozenset({"format", "sent_bytes", "error_code", "reader_kind", "reader_id"})},
        ),
    )


def _register_absence_events() -> None:
    labels = {ABSENCE_RECORDED: "Absence of a reviewer recorded", ABSENCE_ENDED: "Absence of a reviewer ended early"}
    register(
        *(
            EventClass(
                action=action,
                label=label,
                fields={Group.CORE: frozenset({"user_id", "deputy_id", "since", "until"})},
                permissions=frozenset({Permission.POLICY_APPROVE, Permission.MEMBER_MANAGE}),
            )
            for action, label in labels.items()
        )
    )
    offer_to_webhooks(*labels)


def _register_recertification_events() -> None:
    register(
        EventClass(
            action=RECERTIFICATION_BEGUN,
            label="Recertification begun",
            fields={Group.CORE: frozenset({"due_at", "grants", "owner_ids", "roles", "scope_ids"})},
            permissions=_EDIT,
        ),
        EventClass(
            action=RECERTIFICATION_DECIDED,
            label="Grant confirmed or ended by its owner",
            # Any member may be the owner of a grant; the row's own rules say whose decision it is.
            permissions=ANYBODY,
            fields={
                Group.CORE: frozenset({"recertification_id", "grant_id", "decision", "is_late"}),
                Group.ACTOR: frozenset({"reason"}),
            },
        ),
        EventClass(
            action=RECERTIFICATION_REASSIGNED,
            label="Owner of a grant changed",
            fields={Group.CORE: frozenset({"recertification_id", "grant_id", "owner_before_id", "owner_id"})},
            permissions=_EDIT,
        ),
        EventClass(
            action=RECERTIFICATION_REMINDED,
            label="Owners of grants reminded",
            fields={Group.CORE: frozenset({"owner_ids", "waiting", "is_overdue"})},
            permissions=_EDIT,
        ),
        EventClass(
            action=RECERTIFICATION_CLOSED,
            label="Recertification closed",
            fields={Group.CORE: frozenset({"confirmed", "ended", "undecided", "late"})},
            permissions=_EDIT,
        ),
    )
    offer_to_webhooks(RECERTIFICATION_BEGUN, RECERTIFICATION_CLOSED)
