"""What the records of who decided over personal data hold: holds, removals, retention, requests, verifications."""

from __future__ import annotations

from typing import Final

from apps.erasure.declarations.classified import Sort
from apps.erasure.registry import classify, classify_columns
from apps.erasure.stores.declared import HOLDS, RETENTION

# GDPR 17(3)(b) and (e), and 5(2): these rows are the proof of what was removed, what was kept, and on whose word.
_ACCOUNTABLE: Final = (
    "Under GDPR 17(3)(b) and (e): who decided what is removed and what is kept is what the firm must be able to show."
)
ACCESS_PACKAGES: Final = "audit.access_packages"
_IDS: Final = "Ids, codes, counts and times."


def classify_records() -> None:
    _holds()
    _removals()
    _retention()
    _requests()
    _verifications()


def _people(table: str, columns: str) -> None:
    """Ids of accounts, which name nobody once the account is empty."""
    _kept(table, columns, Sort.IDENTIFIER, because="The account of whoever did it.")


def _labels(table: str, columns: str) -> None:
    _kept(table, columns, Sort.IDENTIFIER, because="Their name of that moment.")


def _words(table: str, columns: str) -> None:
    _kept(table, columns, Sort.FREE_TEXT, because="What they gave as their reason.")


def _kept(table: str, columns: str, sort: Sort, *, because: str) -> None:
    """As long as there is a tenant that must account for it; some go with the tenant (erasure_stores.py)."""
    with_tenant = {name: store.key for store in (HOLDS, RETENTION) for name in store.tables}.get(table)
    classify_columns(table, columns, sort, because=because, cleared_by=with_tenant, stays=_ACCOUNTABLE)


def _technical(table: str, columns: str) -> None:
    classify_columns(table, columns, Sort.NONE, because=_IDS)


def _holds() -> None:
    table = "audit_legalhold"
    _technical(table, "id tenant_id review_on placed_at released_at")
    _people(table, "owner_id placed_by released_by")
    _labels(table, "placed_by_label released_by_label")
    _words(table, "matter ground release_reason")
    _technical("audit_helditem", "id tenant_id hold_id type item_id part added_at")
    _people("audit_helditem", "added_by")
    classify_columns(
        "audit_restriction",
        "id tenant_id scope_id document_id because because_id restricted_at",
        Sort.NONE,
        because=_IDS,
        cleared_by="audit.restrictions",
    )


def _removals() -> None:
    table = "audit_removalrun"
    _technical(
        table,
        "id tenant_id origin origin_id state reason_code made_in frozen_at proposed_at approved_at rejected_at "
        "rejection_code started_at finished_at attempts next_attempt_at lease_owner lease_until error_code "
        "unproven_code unproven_asked_at unproven_agreed_at staying redacted revision decided_revision",
    )
    _people(table, "proposed_by approved_by rejected_by unproven_asked_by unproven_agreed_by")
    _technical("audit_removaltarget", "id tenant_id run_id type part outcome ground authorised_by")
    classify(
        "audit_removaltarget.item_id",
        Sort.IDENTIFIER,
        because="Ids of what was removed, also of accounts.",
        stays=f"{_ACCOUNTABLE} An id names nobody once what it named is gone.",
    )
    _technical(
        "audit_removalstep",
        "id tenant_id run_id store ordinal before removed remaining retained started_at finished_at",
    )
    for name in ("carry_out_removal", "sweep_removals", "remove_leftovers"):
        classify(f"task:apps.erasure.tasks.{name}", Sort.NONE, because="Ids of a tenant and a run, or nothing.")


def _retention() -> None:
    table = "audit_retentionschedule"
    _technical(
        table,
        "id tenant_id number origin status revision decided_revision created_at submitted_at decided_at valid_from "
        "valid_to",
    )
    _people(table, "author_id approver_id")
    _labels(table, "author_label approver_label")
    _words(table, "reason decision_reason")
    _technical(
        "audit_retentionrule",
        "id tenant_id schedule_id subject field_group clock_start keep_months remove_months includes_current",
    )
    classify("audit_retentionrule.legal_basis", Sort.NONE, because="The rule's ground in law.")
    _technical("audit_retentioncount", "id tenant_id schedule_id counted_on counted_at may_remove must_remove")
    table = "audit_purge"
    _technical(table, "id tenant_id schedule_id reach subject counted_for created_at")
    _people(table, "created_by_id")
    _labels(table, "created_by_label")
    _words(table, "reason")
    _technical(
        "audit_purgefigure",
        "id tenant_id purge_id position subject field_group clock_start months legal_basis count oldest newest "
        "samples looked_at kept",
    )
    table = "audit_purgepart"
    _technical(
        table, "id tenant_id purge_id number run_id targets kept last_position last_at last_id is_last proposed_at"
    )
    _people(table, "proposed_by_id")
    _labels(table, "proposed_by_label")
    classify("task:apps.erasure.tasks.count_due", Sort.NONE, because="Without arguments.")


def _requests() -> None:
    table = "audit_erasurerequest"
    _technical(
        table,
        "id tenant_id year number purpose state subject_type requester language received_at zone received_on "
        "first_due_on due_on data_key_id identity_asked_at identity_confirmed_at ground extension extended_at refusal "
        "run_id proposed_at approved_at finished_at created_at revision decided_revision",
    )
    classify(
        f"{table}.subject_id",
        Sort.IDENTIFIER,
        because="The id of the account, document, scope or tenant that the request is about.",
        stays=f"{_ACCOUNTABLE} An id names nobody once what it named is gone.",
    )
    _people(table, "received_by_id proposed_by_id approved_by_id")
    classify(
        f"{table}.details",
        Sort.SEALED,
        because="Whom it is about, who asks, what was said.",
        stays="Under a key of the request's own, without which nothing can be read. The row is the proof of it. Of a "
        "request for access the key is destroyed thirty days after its end, or when something is erased that it found.",
    )
    table = "audit_letter"
    _technical(
        table,
        "id tenant_id request_id kind language delivery state attempts next_try_at claimed_at sent_at problem "
        "created_at",
    )
    _people(table, "written_by_id")
    classify(
        f"{table}.ciphertext",
        Sort.SEALED,
        because="The letter with its address.",
        stays="Under the key of its request: without it nothing can be read.",
    )
    table = "audit_accesspackage"
    classify_columns(
        table,
        "id tenant_id request_id scope_ids data_key_id byte_size places quoted hidden made_at expires_at",
        Sort.NONE,
        because=_IDS,
        cleared_by=ACCESS_PACKAGES,
    )
    classify(
        f"{table}.made_by_id", Sort.IDENTIFIER, because="The account of whoever did it.", cleared_by=ACCESS_PACKAGES
    )
    classify(
        f"{table}.ciphertext",
        Sort.SEALED,
        because="What is held of a person who asked for access, under a key of its own.",
        cleared_by=ACCESS_PACKAGES,
    )
    classify("task:apps.privacy.tasks.expire_access", Sort.NONE, because="Without arguments.")
    for name in ("send_letter", "send_letters"):
        classify(f"task:apps.privacy.tasks.{name}", Sort.NONE, because="Ids of a tenant and a letter, or nothing.")


def _verifications() -> None:
    table = "audit_verification"
    _technical(
        table,
        "id tenant_id checkpoint_size covered_size state done total events leaves groups finding_count findings "
        "requested_at started_at finished_at duration_ms night attempts next_attempt_at lease_owner lease_until "
        "error_code note",
    )
    _people(table, "started_by")
    for name in ("run_verification", "verification_sweep"):
        classify(f"task:apps.audit.tasks.{name}", Sort.NONE, because="Ids of a tenant and a verification, or nothing.")
    classify("memory:apps.audit.fast_leaves", Sort.NONE, because="Texts of times of day and of codes, for leaves.")
