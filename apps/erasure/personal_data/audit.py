"""What the tables of the log and of requests hold. See apps/erasure/personal_data/classification.py."""

from __future__ import annotations

from typing import Final

from apps.erasure.declarations.classified import EVENT_GROUPS, Sort
from apps.erasure.personal_data.beside import classify_beside
from apps.erasure.personal_data.directory import classify_directory, classify_platform
from apps.erasure.personal_data.records import classify_records
from apps.erasure.registry import classify, classify_columns

_EVIDENCE: Final = (
    "Under GDPR 17(3)(b) and (e): the log must show what happened. It holds ids, codes and times, and an id names "
    "nobody once its account is empty."
)


def classify_audit() -> None:
    classify_directory()
    classify_platform()
    _log()
    _tree()
    _certificates()
    classify_beside()
    classify_records()
    _inventory()
    _webhooks()


def _webhooks() -> None:
    sending = "Ids, codes, counts and times of what was sent, and no content: the receiver asks for that."
    table = "audit_webhook"
    classify_columns(
        table,
        "id tenant_id actions scope_ids data_key_id previous_until created_at paused_at pause_reason cursor failures "
        "failing_since delivered_at given_up_at next_attempt_at lease_owner lease_until",
        Sort.NONE,
        because="Ids, codes, counts and times.",
    )
    classify(
        f"{table}.url",
        Sort.CREDENTIAL,
        because="The address of a program of the firm's, which may be as good as a password.",
        cleared_by="audit.webhooks",
        stays="It is of a program, and the firm changes or deletes it.",
    )
    classify(
        f"{table}.sealed",
        Sort.CREDENTIAL,
        because="The secrets that deliveries are signed with, under a data key of the tenant.",
        cleared_by="audit.webhooks",
    )
    classify_columns(
        "audit_webhookdelivery",
        "id tenant_id webhook_id scope_ids event_id event_scope_ids place created_at state attempts earlier "
        "next_attempt_at ended_at",
        Sort.NONE,
        because=sending,
        cleared_by="audit.webhooks",
    )
    classify_columns(
        "audit_webhookattempt",
        "id tenant_id delivery_id scope_ids number began_at duration_ms status error",
        Sort.NONE,
        because=sending,
        cleared_by="audit.webhooks",
    )
    classify("task:apps.audit.tasks.deliver_webhook", Sort.NONE, because="Ids of the tenant, of a row and of scopes.")
    classify("task:apps.audit.tasks.webhooks_due", Sort.NONE, because="Without arguments.")
    classify("memory:apps.audit.webhooks.sending", Sort.NONE, because="Certificates of authorities that are trusted.")


def _inventory() -> None:
    table = "audit_inventory"
    classify_columns(
        table,
        "id tenant_id request_id state requested_at done total counts unreadable unread_files started_at finished_at "
        "lease_owner lease_until attempts next_attempt_at error_code",
        Sort.NONE,
        because="Ids, counts, codes and times of a search for a person.",
    )
    classify(f"{table}.requested_by_id", Sort.IDENTIFIER, because="The id of an account.", stays=_EVIDENCE)
    classify(
        f"{table}.description",
        Sort.DERIVED,
        because="A digest of whom was looked for, keyed by the request's key.",
        stays="It tells nothing once that key is destroyed, with the last letter of a request that was carried out.",
    )
    table = "audit_inventoryhit"
    classify_columns(
        table,
        "id tenant_id request_id inventory_id scope_ids store item_id part page target_type target_id target_part "
        "char_start char_end how matched confidence is_certain decision reason decided_at carried_from_id",
        Sort.NONE,
        because="In which text and where somebody was found, as ids and offsets, and a decision as a code.",
    )
    classify(f"{table}.decided_by_id", Sort.IDENTIFIER, because="The id of an account.", stays=_EVIDENCE)
    classify(
        f"{table}.words",
        Sort.SEALED,
        because="Why a place was decided so, under the request's own key.",
        stays="Nobody can read it once that key is destroyed, with the last letter of a request that was carried out.",
    )
    classify(f"{table}.quoting", Sort.NONE, because="A code.")
    classify(
        f"{table}.hidden",
        Sort.SEALED,
        because="Words about others that an access package hides, under the request's own key.",
        stays="Nobody can read it once that key is destroyed, thirty days after the end of the request.",
    )
    table = "audit_inventorytreatment"
    classify_columns(
        table,
        "id tenant_id request_id scope_ids document_id treatment chosen_at asked_at redacted_id error_code",
        Sort.NONE,
        because="What becomes of a document: ids and codes.",
    )
    classify(f"{table}.chosen_by_id", Sort.IDENTIFIER, because="The id of an account.", stays=_EVIDENCE)
    classify("audit_erasurerequest.restricted_at", Sort.NONE, because="A time.")
    for name in ("run_inventory", "redact_inventory"):
        classify(f"task:apps.privacy.tasks.{name}", Sort.NONE, because="Ids of the tenant and of a row.")
    classify("task:apps.privacy.tasks.send_redactions", Sort.NONE, because="Without arguments.")


def _log() -> None:
    table = "audit_event"
    classify_columns(
        table,
        "id tenant_id scope_ids action outcome occurred_at actor_kind subject_type",
        Sort.NONE,
        because="Ids, codes and times.",
    )
    classify(
        f"{table}.actor_label",
        Sort.IDENTIFIER,
        because="The actor's name of that moment.",
        cleared_by=(EVENT_GROUPS, "audit.log_contents"),
    )
    classify_columns(table, "actor_id subject_id", Sort.IDENTIFIER, because="Ids, also of accounts.", stays=_EVIDENCE)
    classify(
        f"{table}.commitments",
        Sort.DERIVED,
        because="What binds each field group.",
        stays="It tells nothing of a group that is gone: the salt, 32 random bytes, went with it.",
    )
    table = "audit_payload"
    classify_columns(
        table, "id tenant_id event_id scope_ids field_group data_key_id", Sort.NONE, because="Ids and codes."
    )
    classify(
        f"{table}.ciphertext",
        Sort.SEALED,
        because="A field group: questions, names, what was found and quoted.",
        cleared_by=(EVENT_GROUPS, "audit.log_contents"),
        stays=f"The core alone, until its tenant is erased. {_EVIDENCE}",
    )
    classify(f"{table}.terms", Sort.NONE, because="Ids and codes of the group that they lie beside, and go with it.")
    table = "audit_datakey"
    classify_columns(
        table, "id tenant_id epoch subject_id kek_id created_at", Sort.NONE, because="Ids, times, names of keys."
    )
    classify(
        f"{table}.wrapped_key",
        Sort.CREDENTIAL,
        because="A key of payloads, under a key that is not in the database.",
        cleared_by="audit.data_keys",
        stays="Until its tenant is erased, after what it opens. One is left then, which opens ids and counts alone.",
    )


def _tree() -> None:
    classify_columns("audit_unsealed", "event_id tenant_id", Sort.NONE, because="Ids.")
    classify_columns("audit_leaf", "event_id tenant_id index sealed_at", Sort.NONE, because="Ids, places, times.")
    classify_columns("audit_subtree", "id tenant_id level index", Sort.NONE, because="Ids and places.")
    classify_columns(
        "audit_tombstonemark", "id tenant_id number kind created_at", Sort.NONE, because="Ids, counts, times."
    )
    classify_columns("audit_checkpoint", "id tenant_id size created_at", Sort.NONE, because="Ids, counts, times.")
    classify_columns(
        "audit_attestation",
        "id tenant_id size kind by content told_at created_at",
        Sort.NONE,
        because="Sizes, names and addresses of services, times, and signatures over digests.",
    )
    for name in ("audit_leaf.hash", "audit_subtree.hash", "audit_checkpoint.root", "audit_checkpoint.note"):
        classify(name, Sort.NONE, because="Digests over headers and commitments, which stay, and signatures of them.")


def _certificates() -> None:
    classify_columns(
        "audit_removalrun",
        "proof prepared_at verifying_at verification end_events",
        Sort.NONE,
        because="Codes, counts, times, names of tables and places, a keyed digest: nothing of what is looked for.",
    )
    classify_columns(
        "audit_certificate",
        "id tenant_id number run_id origin origin_id outcome event_id leaf_index size root body note issued_at",
        Sort.NONE,
        because="Ids, counts, codes, digests and times of an erasure, and a signature of them.",
    )
    classify_columns(
        "audit_restoration",
        "id tenant_id restore_id ordinal backup_id backup_made_at through state runs came_back targets leaves manifest "
        "error_code restored_at prepared_at removed_at ended_at verification end_events",
        Sort.NONE,
        because="Ids, counts, codes, digests and times, names of tables and places: nothing of what is looked for.",
    )
    classify_columns(
        "audit_supplement",
        "id tenant_id number restoration_id outcome event_id leaf_index size root body note issued_at",
        Sort.NONE,
        because="Ids, counts, codes, digests and times of a restore, and a signature of them.",
    )
