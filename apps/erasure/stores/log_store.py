"""The parts of events as a store: removed from the log by audit_erase alone, once a sealed event names them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.db import connection

from apps.audit.models import Payload
from apps.audit.registry import Group
from apps.audit.terms import REMOVAL
from apps.erasure.contracts import Phase, Target, TargetType
from apps.erasure.log_removal import ERASED, Removal
from apps.erasure.registry import kept
from apps.sql_files import read_statements
from apps.tenants.context import current_scope

_SQL: Final = read_statements(__file__)
_AT_ONCE: Final = 5_000
_NAMED: Final = _SQL["named"]


_COUNT: Final = _SQL["count"]
_ERASABLE: Final = _SQL["erasable"]
_ERASE: Final = """
    SELECT count(*) FILTER (WHERE audit_erase(going.event_id, going.part, going.authorising))
      FROM unnest(%(events)s::uuid[], %(parts)s::text[], %(authorising)s::uuid[])
           AS going (event_id, part, authorising)
"""


class EventPartStore:
    """See contracts.Store. What no event of the log authorises yet, or none that is sealed, is not cleared: it waits.

    Who authorises it for a run is the engine (engine.py), which notes the event with the target.
    """

    key = "audit.payloads"
    label = "Parts of events in the log"
    phase = Phase.LOG
    # The name beside an event goes with the part that vouches for it.
    tables = ("audit_payload", "audit_event")
    types = frozenset({TargetType.EVENT_GROUP})

    def count(self, targets: Sequence[Target]) -> int:
        """Costs: one query, however many parts; none without any."""
        wanted = _wanted(targets)
        return _number(_COUNT, wanted) if wanted["events"] else 0

    def clear(self, targets: Sequence[Target], *, limit: int) -> int:
        """Costs: two queries, however many parts; none without any."""
        wanted = _wanted(targets)
        if not wanted["events"]:
            return 0
        with connection.cursor() as cursor:
            cursor.execute(_ERASABLE, {**wanted, "limit": limit})
            rows = cursor.fetchall()
        return erase({Removal(event_id=id, group=part): authorising for id, part, authorising in rows})


def erase(authorised: Mapping[Removal, UUID]) -> int:
    """Remove parts of events, as glassbox_eraser. Returns: how many were there.

    Args: authorised: each with the sealed event that names it; the database holds to that (audit_erase).
    Costs: one query.
    """
    return _number(
        _ERASE,
        {
            "events": [removal.event_id for removal in authorised],
            "parts": [str(removal.group) for removal in authorised],
            "authorising": list(authorised.values()),
        },
    )


def authorised_and_there() -> tuple[UUID, ...]:
    """The sealed events that authorise removals of parts which are there still, in the open scope. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_NAMED, {"erased": ERASED})
        return tuple(row[0] for row in cursor.fetchall())


def erase_named(authorising: UUID, *, limit: int) -> int:
    """Remove what a sealed event names and nothing keeps, in the open transaction. Returns: how many parts."""
    terms = Payload.objects.filter(event_id=authorising, group=Group.CORE).values_list("terms", flat=True).first() or []
    named = [term.split(":", 2) for term in terms if term.startswith(f"{REMOVAL}:")]
    targets = [Target(type=TargetType.EVENT_GROUP, id=UUID(id), part=part) for _, id, part in named]
    there = [target for each in _there(targets) for target in each]
    stays = kept(there)
    going = [target for target in there if target not in stays][:limit]
    return erase({_removal(target): authorising for target in going})


def _there(targets: Sequence[Target]) -> Iterator[list[Target]]:
    """The parts that the log holds still, some thousand at a time."""
    wanted = sorted({target for target in targets if target.type is TargetType.EVENT_GROUP})
    for start in range(0, len(wanted), _AT_ONCE):
        some = wanted[start : start + _AT_ONCE]
        rows = Payload.objects.filter(event_id__in={target.id for target in some}).values_list("event_id", "group")
        found = set(rows)
        yield [target for target in some if (target.id, target.part) in found]


def _wanted(targets: Sequence[Target]) -> dict[str, Any]:
    parts = sorted({target for target in targets if target.type is TargetType.EVENT_GROUP})
    return {
        "events": [target.id for target in parts],
        "parts": [target.part for target in parts],
        "tenant": current_scope().tenant_id,
    }


def _number(query: str, parameters: Mapping[str, Any]) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query, parameters)
        return int(cursor.fetchone()[0])


def _removal(target: Target) -> Removal:
    return Removal(event_id=target.id, group=target.part)
