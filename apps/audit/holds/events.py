"""The events of holds and restrictions.

The core holds ids, counts and codes. What a person wrote may name others: it goes to the part that can be removed.
"""

from __future__ import annotations

from typing import Final

from apps.audit.registry import EventClass, Group, register

PLACED: Final = "audit.hold.placed"
ITEMS_ADDED: Final = "audit.hold.items_added"
REVIEW_MOVED: Final = "audit.hold.review_moved"
RELEASED: Final = "audit.hold.released"
RESTRICTED: Final = "audit.document.restricted"
LIFTED: Final = "audit.document.restriction_lifted"


def register_hold_events() -> None:
    register(
        _event(PLACED, "Legal hold placed", "owner_id", "review_on", written=("matter", "ground")),
        _event(ITEMS_ADDED, "Put under a legal hold", "items", "documents", "event_groups"),
        _event(REVIEW_MOVED, "Review of a legal hold moved", "review_on", "review_on_before", written=("reason",)),
        _event(RELEASED, "Legal hold released", "documents", "event_groups", "still_held", written=("reason",)),
        _event(RESTRICTED, "Document restricted", "because", "because_id"),
        _event(LIFTED, "Restriction of a document lifted", "because", "because_id", "still_restricted"),
    )


def _event(action: str, label: str, *core: str, written: tuple[str, ...] = ()) -> EventClass:
    fields = {Group.CORE: frozenset(core)}
    if written:
        fields[Group.ACTOR] = frozenset(written)
    return EventClass(action=action, label=label, fields=fields)
