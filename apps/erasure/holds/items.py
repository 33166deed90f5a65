"""Showing and finding what can be held, and the parts of events among it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from uuid import UUID

from apps.audit.errors import UnregisteredActionError
from apps.audit.models import Event, Payload
from apps.audit.registry import event_class
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.holdable import HOLDABLE, Item
from apps.erasure.holds.errors import HoldError
from apps.erasure.registry import items_of


def describe(targets: Iterable[Target], *, lock: bool = False) -> dict[Target, Item]:
    """Raises HoldError. Costs: a query or two for each type."""
    found: dict[Target, Item] = {}
    wanted = sorted(set(targets))
    for type in sorted({target.type for target in wanted}):
        if type not in HOLDABLE:
            raise HoldError("audit.not_holdable", type=type.replace("_", " "))
        found.update(items_of(type).describe([each for each in wanted if each.type is type], lock=lock))
    return found


def withdraw_documents(ids: Sequence[UUID]) -> None:
    items_of(TargetType.DOCUMENT).withdraw(ids)


def search(words: str, *, type: TargetType = TargetType.DOCUMENT, limit: int = 20) -> Sequence[Item]:
    return items_of(type).search(words, limit=limit)


class EventParts:
    """Parts of events, by the event's id; one that was removed is not there."""

    def describe(self, targets: Sequence[Target], *, lock: bool = False) -> Mapping[Target, Item]:
        """A row of the log can't be locked by who may not change it: removing waits for who holds (locks.py)."""
        ids = {target.id for target in targets}
        events = {event.id: event for event in Event.objects.filter(id__in=ids)}
        there = set(Payload.objects.filter(event_id__in=ids).values_list("event_id", "group"))
        return {
            target: _part(target, events[target.id])
            for target in targets
            if target.id in events and (target.id, target.part) in there
        }

    def search(self, words: str, *, limit: int) -> Sequence[Item]:
        """By an event's id: all of its parts."""
        try:
            event = Event.objects.filter(id=UUID(words.strip())).first()
        except ValueError:
            return ()
        if event is None:
            return ()
        groups = Payload.objects.filter(event_id=event.id).values_list("group", flat=True)
        targets = [Target(type=TargetType.EVENT_GROUP, id=event.id, part=group) for group in sorted(groups)]
        return [_part(target, event) for target in targets[:limit]]

    def withdraw(self, ids: Sequence[UUID]) -> None:
        """Parts of events are not restricted."""


def _part(target: Target, event: Event) -> Item:
    try:
        label = event_class(event.action).label
    except UnregisteredActionError:
        label = event.action
    return Item(
        target=target,
        name=f"{label}: the {target.part} part",
        detail=f"event of {event.occurred_at:%d %b %Y %H:%M} UTC",
        page="audit_event_change",
        page_id=event.id,
        scope_ids=tuple(event.scope_ids),
    )
