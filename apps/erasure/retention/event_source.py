"""Events as something that is retained: their field groups can go, their headers and leaves never do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, Max, Min, OuterRef, Q, QuerySet

from apps.audit.models import Event, Payload
from apps.audit.registry import Group
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.retained import EVENT, Aim, Item, ItemPosition, Tally
from apps.erasure.log_removal import ERASED

OCCURRED_AT: Final = "occurred_at"


class EventSource:
    """See RetentionSource. A group that is gone already is not counted, nor what authorises removals."""

    def tally(self, aim: Aim) -> Tally:
        events = self._events(aim)
        # Not one query: aggregates over a join of composite keys fail.
        ends = events.order_by().aggregate(oldest=Min("occurred_at"), newest=Max("occurred_at"))
        if ends["oldest"] is None:
            return Tally()
        groups = Payload.objects.filter(event_id__in=self._plain(aim).values("id"), group__in=_parts(aim))
        return Tally(count=groups.count(), **ends)

    def batch(self, aim: Aim, *, after: ItemPosition | None, limit: int) -> Sequence[Item]:
        events = self._events(aim)
        if after is not None:
            events = events.filter(Q(occurred_at__gt=after.at) | Q(id__gt=after.id), occurred_at__gte=after.at)
        found = list(events.order_by("occurred_at", "id").values_list("occurred_at", "id")[:limit])
        groups: dict[UUID, list[str]] = defaultdict(list)
        rows = Payload.objects.filter(event_id__in=[id for _, id in found], group__in=_parts(aim))
        for event_id, group in rows.values_list("event_id", "group"):
            groups[event_id].append(group)
        return [
            Item(
                place=ItemPosition(at=at, id=id),
                targets=tuple(Target(type=TargetType.EVENT_GROUP, id=id, part=group) for group in sorted(groups[id])),
            )
            for at, id in found
        ]

    def _plain(self, aim: Aim) -> QuerySet[Any]:
        return Event.objects.filter(action=aim.subject.removeprefix(EVENT), occurred_at__lt=aim.before)

    def _events(self, aim: Aim) -> QuerySet[Any]:
        left = Payload.objects.filter(event_id=OuterRef("id"), group__in=_parts(aim))
        return self._plain(aim).filter(Exists(left))


def _parts(aim: Aim) -> list[str]:
    parts = aim.parts - {str(Group.CORE)} if aim.subject == f"{EVENT}{ERASED}" else aim.parts
    return sorted(parts)
