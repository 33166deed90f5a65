"""What may hold something of a person and is not in their package, on this floor and in the directory, with reasons."""

from __future__ import annotations

from typing import Final

from apps.audit.subject_access.registry import leave_out, leave_out_columns

_A_PROOF: Final = (
    "Passwords, keys and digests of them: they prove who somebody is. Handing them out would help nobody but a thief."
)
_YOUR_ACT: Final = (
    "Your name or id beside a step that you took in somebody else's matter. Each such step is among your acts."
)
_OFFICERS: Final = (
    "Words of those who work on privacy or on how long what is kept. They may name others, or be kept from a person "
    "for good reasons of law: ask the data protection officer."
)
_OF_OTHERS: Final = (
    "Packages for people who are named in documents and asked for one: each gets theirs from the data protection "
    "officer."
)
_HELD: Final = "What is kept for a legal claim, and why: that may have to stay with the officers for a time."
_TARGETS: Final = (
    "What a removal is aimed at, which can be your account: the request for it stands in its chapter, where the law "
    "lets you see it."
)
_INVITED: Final = (
    "Mailboxes that were invited and have not accepted yet: whose one is, nobody knows until its person accepts, and "
    "then the address goes. It goes as well when the invitation is withdrawn or expires."
)
_MAILED: Final = (
    "Links that were mailed to you for a new password or a new address: they work for an hour, and go by themselves. "
    "That a new password was asked for, and that a link was used, stands among the events."
)
_HANDS: Final = (
    "Who made your account, which can be a person of another firm: what makes this file may not read it. Whoever "
    "invited you to this firm stands with your roles, as “another person”."
)
_SECOND_FACTOR: Final = (
    "That you have an authenticator app or recovery codes: your page for signing in shows it, and setting them up, "
    "using and removing them stand among the events."
)
_FACTOR_RESET: Final = (
    "Who asked for a reset of a second factor, who agreed, and for whom: each step stands among the events, and other "
    "people as “another person”."
)
_RESET_REASON: Final = (
    "Why a second factor was taken away, in the words of whoever asked for it. They may name others: ask the firm's "
    "administrators or its data protection officer."
)
_MOMENTARY: Final = "Answers and counts that live for a day at most, repeat what you were told, and go by themselves."
_OF_THE_FIRM: Final = "The firm's own name, not yours."
_DERIVED: Final = "Digests, which say nothing by themselves and can't be turned back."
_UNTOLD: Final = "Sessions: who is signed in lies under a key of the browser, and nobody can tell whose a session is."
_NOT_USED: Final = "Tables that are empty: nothing writes there."
_OPERATIONS: Final = "Files and lines of the programs, which hold what the tables hold, or ids, counts and codes."


def leave_out_the_rest() -> None:
    _directory()
    _log()
    _privacy()
    leave_out("folder:postgres folder:log folder:erasure folder:databases", because=_OPERATIONS)


def _directory() -> None:
    leave_out(
        "tenants_credential.user_id tenants_credential.password tenants_apikey.secret_sha256 "
        "authz.signing_key.inner_pad authz.signing_key.outer_pad "
        "audit_datakey.wrapped_key memory:apps.audit.keys.data_keys memory:apps.audit.log.export.s3 "
        "folder:secrets.json folder:secrets.lock folder:demo.json",
        because=_A_PROOF,
    )
    leave_out(
        "tenants_invitation.token_sha256 tenants_accountlink.token_sha256 tenants_secondfactor.sealed "
        "tenants_recoverycode.code_sha256 audit_webhook.sealed",
        because=_A_PROOF,
    )
    leave_out("tenants_invitation.email", because=_INVITED)
    leave_out("tenants_invitation.created_by_id", because=_YOUR_ACT)
    leave_out(
        "tenants_accountlink.user_id tenants_accountlink.email task:apps.tenants.tasks.password_link_ask",
        because=_MAILED,
    )
    leave_out_columns("tenants_accountorigin", "user_id invited_by_id", because=_HANDS)
    leave_out("tenants_secondfactor.user_id tenants_recoverycode.user_id", because=_SECOND_FACTOR)
    leave_out_columns("tenants_factorreset", "user_id asked_by_id agreed_by_id", because=_FACTOR_RESET)
    leave_out("tenants_factorreset.reason", because=_RESET_REASON)
    leave_out("tenants_tenant.name tenants_tenant.slug", because=_OF_THE_FIRM)
    leave_out("audit_webhook.url", because="The address of a program of the firm's, not yours.")
    leave_out_columns("tenants_idempotentrequest", "principal_id body location", because=_MOMENTARY)
    leave_out_columns("tenants_idempotentrequest", "key_digest request_digest", because=_DERIVED)
    leave_out("cache:apps.tenants.api.throttling cache:apps.tenants.attempts", because=_MOMENTARY)
    leave_out("tenants_session.content", because=_UNTOLD)
    leave_out_columns("django_admin_log", "user_id object_id object_repr change_message", because=_NOT_USED)
    leave_out("tenants_user_groups.user_id tenants_user_user_permissions.user_id", because=_NOT_USED)


def _log() -> None:
    leave_out("audit_event.commitments", because=_DERIVED)
    leave_out("audit_verification.started_by", because=_YOUR_ACT)


def _privacy() -> None:
    leave_out_columns("audit_erasurerequest", "received_by_id proposed_by_id approved_by_id", because=_YOUR_ACT)
    leave_out("audit_letter.written_by_id", because=_YOUR_ACT)
    leave_out_columns(
        "audit_removalrun",
        "proposed_by approved_by rejected_by unproven_asked_by unproven_agreed_by",
        because=_YOUR_ACT,
    )
    leave_out("audit_removaltarget.item_id authz.repeated_removal.item_id", because=_TARGETS)
    leave_out_columns("audit_purge", "created_by_id created_by_label", because=_YOUR_ACT)
    leave_out_columns("audit_purgepart", "proposed_by_id proposed_by_label", because=_YOUR_ACT)
    leave_out_columns("audit_retentionschedule", "author_id author_label approver_id approver_label", because=_YOUR_ACT)
    leave_out_columns(
        "audit_legalhold", "owner_id placed_by placed_by_label released_by released_by_label", because=_YOUR_ACT
    )
    leave_out("audit_helditem.added_by", because=_YOUR_ACT)
    leave_out_columns("audit_erasurerequest", "details", because=_OFFICERS)
    leave_out_columns("audit_inventory", "requested_by_id", because=_YOUR_ACT)
    leave_out_columns("audit_inventoryhit", "decided_by_id", because=_YOUR_ACT)
    leave_out_columns("audit_inventorytreatment", "chosen_by_id", because=_YOUR_ACT)
    leave_out_columns("audit_inventory", "description", because=_OFFICERS)
    leave_out_columns("audit_inventoryhit", "words hidden", because=_OFFICERS)
    leave_out("audit_accesspackage.made_by_id", because=_YOUR_ACT)
    leave_out("audit_accesspackage.ciphertext", because=_OF_OTHERS)
    leave_out_columns("audit_retentionschedule", "reason decision_reason", because=_OFFICERS)
    leave_out_columns("audit_purge", "reason", because=_OFFICERS)
    leave_out_columns("audit_legalhold", "matter ground release_reason", because=_HELD)
