"""The events of retention: ids, counts and codes. Who acted stands in the event's own header."""

from __future__ import annotations

from typing import Final

from apps.audit.registry import EventClass, Group, register
from apps.tenants.roles import Permission

DRAFTED: Final = "audit.retention.drafted"
CHANGED: Final = "audit.retention.draft_changed"
DISCARDED: Final = "audit.retention.draft_discarded"
SUBMITTED: Final = "audit.retention.submitted"
TAKEN_BACK: Final = "audit.retention.taken_back"
REJECTED: Final = "audit.retention.rejected"
IN_FORCE: Final = "audit.retention.activated"
COUNTED: Final = "audit.retention.counted"
PURGE_COUNTED: Final = "audit.purge.counted"
PURGE_PROPOSED: Final = "audit.purge.proposed"

# content_sha256: of the rules after the step. before_sha256: of those that were in force when it was taken.
_STEP = frozenset({"number", "revision", "origin", "content_sha256", "before_sha256"})
_STEPS = {
    DRAFTED: "Retention rules drafted",
    CHANGED: "Draft of retention rules changed",
    DISCARDED: "Draft of retention rules discarded",
    SUBMITTED: "Retention rules submitted",
    TAKEN_BACK: "Retention rules taken back",
    REJECTED: "Retention rules rejected",
    IN_FORCE: "Retention rules put in force",
}
_MANAGE: Final = frozenset({Permission.PRIVACY_MANAGE})
_APPROVE: Final = frozenset({Permission.PRIVACY_APPROVE})
_PURGE = frozenset({"number", "reach", "kind", "counted_for", "items", "kept"})


def register_retention_events() -> None:
    register(
        *(
            EventClass(
                action=action,
                label=label,
                fields={Group.CORE: _STEP},
                permissions=_APPROVE if action in (REJECTED, IN_FORCE) else _MANAGE,
            )
            for action, label in _STEPS.items()
        ),
        EventClass(
            action=COUNTED,
            label="Due items counted",
            fields={Group.CORE: frozenset({"number", "counted_for", "may_remove", "must_remove"})},
        ),
        EventClass(
            action=PURGE_COUNTED, label="Purge counted in a dry run", fields={Group.CORE: _PURGE}, permissions=_MANAGE
        ),
        EventClass(
            action=PURGE_PROPOSED,
            label="Purge proposed",
            fields={Group.CORE: _PURGE | {"part", "is_last", "run_id"}},
            permissions=_MANAGE,
        ),
    )
