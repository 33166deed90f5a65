"""The events of runs of removals: ids, counts and codes, since they stay for ever."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from apps.audit.models import Outcome, RemovalRun
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
ENDED: Final = "audit.removal.ended"
FAILED: Final = "audit.removal.failed"

_EVERY: Final = ("origin", "origin_id", "reason_code")
_CLASSES: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    PROPOSED: ("Removal proposed", ("targets",)),
    APPROVED: ("Removal approved", ("targets", "proposed_by")),
    REJECTED: ("Removal rejected", ("rejection_code", "proposed_by")),
    RETRIED: ("Removal tried again", ("error_code",)),
    RESUMED: ("Removal taken up again", ("targets",)),
    EXTENDED: ("Removal takes along what the log holds", ("targets",)),
    STARTED: ("Removal begun", ("before",)),
    RETAINED: ("Removal kept off", ("targets", "grounds")),
    STEP_FINISHED: ("Store cleared", ("store", "before", "removed", "retained")),
    ENDED: ("Removal ended", ("state", "removed", "targets", "retained")),
    FAILED: ("Removal failed", ("error_code", "remaining")),
}


def register_removal_events() -> None:
    register(
        *(
            EventClass(action=action, label=label, fields={Group.CORE: frozenset((*_EVERY, *fields))})
            for action, (label, fields) in _CLASSES.items()
        )
    )


def record_run(action: str, run: RemovalRun, *, outcome: Outcome = Outcome.SUCCESS, **core: Any) -> None:
    """Record a step of a run in the current transaction."""
    record(
        action=action,
        core={"origin": run.origin, "origin_id": str(run.origin_id), "reason_code": run.reason_code, **core},
        outcome=outcome,
        subject_type="removal_run",
        subject_id=run.id,
    )
