"""The events of runs of removals: ids, counts and codes, since they stay for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.audit.models import Event, Outcome, RemovalRun
from apps.audit.registry import EventClass, Group, register
from apps.audit.services import record

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
# Of a tenant: verifiers go by it (verify/entries.py, verify/offline.py), and the database does (migration 0013).
LOG_EMPTIED: Final = "audit.log.emptied"

_EVERY: Final = ("origin", "origin_id", "reason_code")
_CLASSES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    PROPOSED: ("Removal proposed", ("targets",)),
    # joined: of the targets, what came into a scope or tenant since the proposal.
    APPROVED: ("Removal approved", ("targets", "proposed_by", "joined")),
    REJECTED: ("Removal rejected", ("rejection_code", "proposed_by")),
    RETRIED: ("Removal tried again", ("error_code",)),
    RESUMED: ("Removal taken up again", ("targets",)),
    EXTENDED: ("Removal takes along what the log holds", ("targets",)),
    STARTED: ("Removal begun", ("before",)),
    RETAINED: ("Removal kept off", ("targets", "grounds")),
    STEP_FINISHED: ("Store cleared", ("store", "before", "removed", "retained")),
    COUNTED_ZERO: ("Every store counted zero", ("removed", "targets", "retained")),
    # statement: what is certified of a run with a physical proof (apps/audit/certificate/statement.py).
    ENDED: ("Removal ended", ("state", "removed", "targets", "retained", "proof", "statement")),
    FAILED: ("Removal failed", ("error_code", "remaining", "residue")),
    # code: apps.audit.erasure.unproven.Unproven.
    UNPROVEN_ASKED: ("Asked to end a removal without physical proof", ("code",)),
    UNPROVEN_TAKEN_BACK: ("Removal goes on to its physical proof", ("code",)),
    UNPROVEN_AGREED: ("Agreed to end a removal without physical proof", ("code", "asked_by")),
}


def register_removal_events() -> None:
    register(
        *(
            EventClass(action=action, label=label, fields={Group.CORE: frozenset((*_EVERY, *fields))})
            for action, (label, fields) in _CLASSES.items()
        ),
        EventClass(
            action=CERTIFIED,
            label="Certificate issued",
            fields={Group.CORE: frozenset({"number", "run", "end_event"})},
        ),
        EventClass(
            action=LOG_EMPTIED,
            label="Contents of the log erased",
            fields={Group.CORE: frozenset(("run_id", "kept", "keys"))},
        ),
    )


def record_run(action: str, run: RemovalRun, *, outcome: Outcome = Outcome.SUCCESS, **core: Any) -> Event:
    """Record a step of a run in the current transaction."""
    return record(
        action=action,
        core={"origin": run.origin, "origin_id": str(run.origin_id), "reason_code": run.reason_code, **core},
        outcome=outcome,
        subject_type="removal_run",
        subject_id=run.id,
    )
