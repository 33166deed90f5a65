"""The events of runs of removals: ids, counts and codes, since they stay for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.audit.models import Event, Outcome
from apps.audit.registry import TENANT_NAMED, EventClass, Group, made_with, offer_to_webhooks, register
from apps.audit.services import record
from apps.erasure.models import RemovalRun
from apps.tenants.roles import Permission

PROPOSED: Final = "audit.removal.proposed"
APPROVED: Final = "audit.removal.approved"
REJECTED: Final = "audit.removal.rejected"
RETRIED: Final = "audit.removal.retried"
RESUMED: Final = "audit.removal.resumed"
EXTENDED: Final = "audit.removal.extended"
STARTED: Final = "audit.removal.started"
RETAINED: Final = "audit.removal.retained"
STEP_FINISHED: Final = "audit.removal.step_finished"
COUNTED_ZERO: Final = "audit.removal.counted_zero"
ENDED: Final = "audit.removal.ended"
FAILED: Final = "audit.removal.failed"
UNPROVEN_ASKED: Final = "audit.removal.unproven_asked"
UNPROVEN_TAKEN_BACK: Final = "audit.removal.unproven_taken_back"
UNPROVEN_AGREED: Final = "audit.removal.unproven_agreed"
CERTIFIED: Final = "audit.certificate.issued"
RESTORED_STATED: Final = "audit.restoration.stated"
SUPPLEMENTED: Final = "audit.supplement.issued"
# Of a tenant: verifiers go by it (apps/audit/verify/), and the database does (apps/audit/sql/end_of_tenant.sql).
LOG_EMPTIED: Final = "audit.log.emptied"

# Steps of a removal that webhooks can be told of.
_OFFERED: Final = ("proposed", "approved", "rejected", "started", "ended", "failed")
_EVERY: Final = ("origin", "origin_id", "reason_code")
_CLASSES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    PROPOSED: ("Removal proposed", ("targets",)),
    # joined: of the targets, what came into a scope or tenant since the proposal.
    APPROVED: ("Removal approved", ("targets", "proposed_by", "joined")),
    REJECTED: ("Removal rejected", ("rejection_code", "proposed_by")),
    RETRIED: ("Removal tried again", ("error_code",)),
    RESUMED: ("Removal resumed", ("targets",)),
    EXTENDED: ("Removal includes contents of the log", ("targets",)),
    STARTED: ("Removal begun", ("before",)),
    RETAINED: ("Removal kept off", ("targets", "grounds")),
    STEP_FINISHED: ("Store cleared", ("store", "before", "removed", "retained")),
    COUNTED_ZERO: ("Every store counted zero", ("removed", "targets", "retained")),
    # statement: what is certified of a run with a physical proof (apps/erasure/certificate/statement.py).
    ENDED: ("Removal ended", ("state", "removed", "targets", "retained", "proof", "statement")),
    FAILED: ("Removal failed", ("error_code", "remaining", "residue")),
    # code: apps.erasure.runs.unproven.Unproven.
    UNPROVEN_ASKED: ("Asked to end a removal without physical proof", ("code",)),
    UNPROVEN_TAKEN_BACK: ("Removal continues to its physical proof", ("code",)),
    UNPROVEN_AGREED: ("Agreed to end a removal without physical proof", ("code", "asked_by")),
}
_MANAGE: Final = frozenset({Permission.PRIVACY_MANAGE})
_APPROVE: Final = frozenset({Permission.PRIVACY_APPROVE})
# Of single documents (apps/corpus/services/removals.py).
_REMOVE: Final = frozenset({Permission.DOCUMENT_DELETE})
# The others are the platform's: the eraser carries out what was approved.
_PERMISSIONS: Final[Mapping[str, frozenset[str]]] = {
    PROPOSED: _MANAGE | _REMOVE,
    APPROVED: _APPROVE,
    REJECTED: _MANAGE | _REMOVE | _APPROVE,
    RETRIED: _MANAGE,
    RESUMED: _MANAGE,
    UNPROVEN_ASKED: _MANAGE,
    UNPROVEN_TAKEN_BACK: _MANAGE,
    UNPROVEN_AGREED: _APPROVE,
}

# Whoever approves a run reads there why it was proposed.
_BINDINGS: Final = {PROPOSED: made_with("audit_removalrun", "proposed_at")}
# What a person wrote may name others: it goes to the part that can be removed.
_WRITTEN: Final = {PROPOSED: {Group.ACTOR: frozenset({"reason"})}}


def register_removal_events() -> None:
    register(
        *(
            EventClass(
                action=action,
                label=label,
                fields={Group.CORE: frozenset((*_EVERY, *fields)), **_WRITTEN.get(action, {})},
                permissions=_PERMISSIONS.get(action, frozenset()),
                binding=_BINDINGS.get(action, ()),
            )
            for action, (label, fields) in _CLASSES.items()
        ),
        EventClass(
            action=CERTIFIED,
            label="Certificate issued",
            fields={Group.CORE: frozenset({"number", "run", "end_event"})},
        ),
        # statement: what is signed of it (apps/erasure/certificate/restored.py).
        EventClass(
            action=RESTORED_STATED,
            label="Recorded after a restore what is gone again, and the proof",
            fields={Group.CORE: frozenset({"restoration", "state", "statement"})},
        ),
        EventClass(
            action=SUPPLEMENTED,
            label="Supplement to certificates issued",
            fields={Group.CORE: frozenset({"number", "restoration", "end_event"})},
        ),
        EventClass(
            action=LOG_EMPTIED,
            label="Contents of the log erased",
            fields={Group.CORE: frozenset(("run_id", "kept", "keys"))},
            binding=TENANT_NAMED,
        ),
    )


def offer_events() -> None:
    """Let webhooks be told of what ends. Subjects: things, never a person or an account."""
    offer_to_webhooks(
        *(f"audit.removal.{name}" for name in _OFFERED),
        "audit.certificate.issued",
        "audit.hold.placed",
        "audit.hold.released",
        "audit.document.restricted",
        "audit.document.restriction_lifted",
        "audit.purge.proposed",
        "audit.retention.activated",
    )


def record_run(
    action: str, run: RemovalRun, *, outcome: Outcome = Outcome.SUCCESS, words: Any = "", **core: Any
) -> Event:
    """Record a step of a run in the current transaction. Args: words: a person's own, why."""
    return record(
        action=action,
        core={"origin": run.origin, "origin_id": str(run.origin_id), "reason_code": run.reason_code, **core},
        actor={"reason": words} if words else None,
        outcome=outcome,
        subject_type="removal_run",
        subject_id=run.id,
    )
