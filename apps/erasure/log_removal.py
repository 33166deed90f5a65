"""The only way to remove something from the log, in two steps.

1. payload_erase, as glassbox_eraser, records which groups of which events are to be removed, and why. Only groups that
   an approved run (two people) names, or that a restore repeats, are allowed. Nothing is removed; the event is sealed.
2. removals_execute, as glassbox_eraser, removes what a sealed event names. The database enforces this (audit_erase, in
   apps/audit/sql/erasing.sql): nobody can remove what no sealed event names.

Verifiers use these events to tell a removal from a theft. The core of these events is therefore never removed, and
holds only ids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from uuid import UUID

from django.db import connection

from apps.audit.models import Event, Leaf, Payload
from apps.audit.registry import Group
from apps.audit.services import record
from apps.audit.terms import REMOVAL
from apps.erasure.contracts import Target, TargetType
from apps.erasure.errors import RemovalError
from apps.erasure.holds.selectors import held
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Permission

ERASED: Final = "audit.payload.erased"
# The limit for one event: for each removal, the execution searches all of the event's terms.
MOST_REMOVALS: Final = 1_000


class RemovalReason(StrEnum):
    """The reason for a removal, as a code, because the event that states it is kept for ever."""

    ERASURE_REQUEST = "erasure_request"
    RETENTION_ENDED = "retention_ended"
    ORDER_OF_AUTHORITY = "order_of_authority"
    RECORDED_BY_MISTAKE = "recorded_by_mistake"
    # Reasons to remove a document.
    UPLOADED_BY_MISTAKE = "uploaded_by_mistake"
    DUPLICATE = "duplicate"
    WRONG_PLACE = "wrong_place"
    NO_LONGER_NEEDED = "no_longer_needed"


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Removal:
    """group: a registry.Group if the application wrote it; a group written past the application may have any name."""

    event_id: UUID
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Counts. removed: by this call; gone: named, but already removed before; held: kept by a legal hold."""

    removed: int
    gone: int
    held: int = 0


def target_of(removal: Removal) -> Target:
    return Target(type=TargetType.EVENT_GROUP, id=removal.event_id, part=str(removal.group))


def disowns(removal: Removal, event: Event) -> bool:
    """Return whether the removal names the actor of an event that was written without one, past the application.

    Only the name in the row can be removed. Verifiers then treat the event as one that nobody vouches for.
    """
    return removal.group == Group.ACTOR and is_unvouched(event)


def is_unvouched(event: Event) -> bool:
    """Return whether the event was written without the group that says who acted."""
    return Group.ACTOR not in event.commitments


def payload_erase(*, removals: Sequence[Removal], reason_code: RemovalReason) -> Event:
    """Authorise the removal of groups that an executing run names, and record it. Runs as glassbox_eraser.

    Returns: the event that removals_execute takes, once it is sealed.
    Raises:  PermissionDeniedError: the principal may not manage privacy; RemovalError: there are too many, a
             group does not exist, its event is not sealed yet (the authorising event must come later in the log), it
             authorises removals itself, or it is held.
    Costs:   five queries, and those of recording the event.
    """
    current_scope().principal.require(Permission.PRIVACY_MANAGE)
    wanted = sorted(set(removals))
    if not 1 <= len(wanted) <= MOST_REMOVALS:
        raise RemovalError("audit.too_many_removals", most=MOST_REMOVALS, count=len(wanted))
    ids = {removal.event_id for removal in wanted}
    events = {event.id: event for event in Event.objects.filter(id__in=ids)}
    sealed = set(Leaf.objects.filter(event_id__in=ids).values_list("event_id", flat=True))
    there = set(Payload.objects.filter(event_id__in=ids).values_list("event_id", "group"))
    kept = held([target_of(removal) for removal in wanted])
    for removal in wanted:
        event = events.get(removal.event_id)
        ground = kept.get(target_of(removal), "")
        problem = (
            "does not exist: there is no such event"
            if event is None
            else "does not exist: it was removed before, or never written"
            if (removal.event_id, str(removal.group)) not in there and not disowns(removal, event)
            else "is not sealed yet; that takes seconds"
            if removal.event_id not in sealed
            else "authorises removals, and so must stay"
            if event.action == ERASED and removal.group == Group.CORE
            else f"is under the legal hold {ground.partition(':')[2]}, and stays until the hold is released"
            if ground
            else ""
        )
        if problem:
            raise RemovalError("audit.removal_refused", group=removal.group, event=removal.event_id, problem=problem)
    touched = {ScopeId(scope_id) for event in events.values() for scope_id in event.scope_ids}
    return record(
        action=ERASED,
        core={
            "removals": [{"event_id": str(each.event_id), "group": str(each.group)} for each in wanted],
            "reason_code": str(reason_code),
        },
        scopes=touched,
    )


def removals_execute(*, authorising_event_id: UUID) -> Execution:
    """Remove what a sealed event authorises, in the open scope. Only the role glassbox_eraser may do this.

    The call can be repeated, for example after an interruption. It skips groups that are already gone or that are held.

    Raises: RemovalError. Costs: one query for each removal, and four more.
    """
    is_sealed = Leaf.objects.filter(event_id=authorising_event_id).exists()
    rows = Payload.objects.filter(event_id=authorising_event_id, group=Group.CORE).values_list("terms", flat=True)
    terms: list[str] = next(iter(rows), []) if is_sealed else []
    named = [term.split(":", 2) for term in terms if term.startswith(f"{REMOVAL}:")]
    if not named:
        raise RemovalError("audit.removal_not_sealed", event=authorising_event_id)
    removals = [Removal(event_id=UUID(event_id), group=group) for _, event_id, group in named]
    kept = held([target_of(removal) for removal in removals])
    removable = [removal for removal in removals if target_of(removal) not in kept]
    removed = 0
    with connection.cursor() as cursor:
        for removal in removable:
            cursor.execute("SELECT audit_erase(%s, %s, %s)", [removal.event_id, removal.group, authorising_event_id])
            removed += bool(cursor.fetchone()[0])
    return Execution(removed=removed, gone=len(removable) - removed, held=len(kept))
