"""The events of holds and restrictions.

The core holds ids, counts and codes. What a person wrote may name others: it goes to the part that can be removed.
"""

from __future__ import annotations

from typing import Final

from apps.audit.registry import EventClass, Group, register
from apps.tenants.roles import Permission

PLACED: Final = "audit.hold.placed"
ITEMS_ADDED: Final = "audit.hold.items_added"
REVIEW_MOVED: Final = "audit.hold.review_moved"
RELEASED: Final = "audit.hold.released"
RESTRICTED: Final = "audit.document.restricted"
LIFTED: Final = "audit.document.restriction_lifted"

_MANAGE: Final = frozenset({Permission.PRIVACY_MANAGE})
# Whoever approves an erasure takes its documents out of use; whoever rejects it gives them back.
_EITHER: Final = _MANAGE | {Permission.PRIVACY_APPROVE}


def register_hold_events() -> None:
    register(
        _event(PLACED, "Legal hold placed", "owner_id", "review_on", written=("matter", "ground")),
        _event(ITEMS_ADDED, "Put under a legal hold", "items", "documents", "event_groups"),
        _event(REVIEW_MOVED, "Review of a legal hold moved", "review_on", "review_on_before", written=("reason",)),
        _event(RELEASED, "Legal hold released", "documents", "event_groups", "still_held", written=("reason",)),
        _event(RESTRICTED, "Document restricted", "because", "because_id", by=_EITHER),
        _event(LIFTED, "Restriction of a document lifted", "because", "because_id", "still_restricted", by=_EITHER),
    )


def _event(
    action: str, label: str, *core: str, written: tuple[str, ...] = (), by: frozenset[str] = _MANAGE
) -> EventClass:
    fields = {Group.CORE: frozenset(core)}
    if written:
        fields[Group.ACTOR] = frozenset(written)
    return EventClass(action=action, label=label, fields=fields, permissions=by)
