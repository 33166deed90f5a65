"""Read the log: the content of events, group by group, and whether it is what was recorded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import RawSQL

from apps.audit.errors import PayloadDamagedError
from apps.audit.keys.data_keys import data_keys
from apps.audit.models import Event, Payload
from apps.audit.registry import ACTOR_LABEL, ACTOR_REQUEST, Group
from apps.audit.sealing import SealBinding, SealBrokenError, open_sealed
from apps.audit.terms import term

Groups = Mapping[str, Mapping[str, Any]]
_ALL = frozenset(str(group) for group in Group)


class GroupState(StrEnum):
    """The state of a group that an event was written with."""

    INTACT = "intact"
    REMOVED = "removed"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """An event's payload and the state of each group.

    payload: group -> field -> value, for the intact groups.
    states: for each requested group that the event was written with, and for each extra group that is stored beside it.
    problems: what is wrong with the damaged groups.
    request_id: of the request that caused the event, as the logs name it; empty without one, or without the actor's
    group.
    """

    payload: Groups
    states: Mapping[str, GroupState]
    problems: Mapping[str, str]
    request_id: str = ""


@dataclass(slots=True)
class _Draft:
    payload: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    states: dict[str, GroupState] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)
    request_id: str = ""

    def damage(self, group: str, problem: str) -> None:
        self.states[group], self.problems[group] = GroupState.DAMAGED, problem


def payloads_of(events: Iterable[Event], *, groups: Collection[str] = _ALL) -> dict[UUID, Groups]:
    """Return the payload of each event, by its id: group -> field -> value. A group that was removed is absent.

    Args:   groups: decrypt only these; a list that shows the core has no reason to decrypt questions.
    Raises: PayloadDamagedError: a group is not what was recorded; readings_of says which and continues.
            KeyEncryptionKeyMissingError.
    Costs:  one query, and one more for data keys that this process has not used lately.
    """
    found = readings_of(events, groups=groups)
    for event_id, reading in found.items():
        for group, problem in reading.problems.items():
            raise PayloadDamagedError(event=event_id, group=group, problem=problem)
    return {event_id: reading.payload for event_id, reading in found.items()}


def readings_of(events: Iterable[Event], *, groups: Collection[str] = _ALL) -> dict[UUID, Reading]:
    """Do the same as payloads_of, but continue past damaged groups. Nothing of a damaged group is in the result."""
    wanted = {event.id: event for event in events}
    chosen = frozenset(str(group) for group in groups)
    rows = _rows(wanted, chosen)
    keys = _keys(wanted, rows)
    drafts = {event_id: _Draft() for event_id in wanted}
    for row in rows:
        event = wanted[row.event_id]
        _read(drafts[event.id], event, row, keys.get((event.tenant_id, row.data_key_id)))
    for event in wanted.values():
        draft = drafts[event.id]
        for group in event.commitments:
            if group in chosen:
                draft.states.setdefault(group, GroupState.REMOVED)
    return {
        event_id: Reading(
            payload=draft.payload, states=draft.states, problems=draft.problems, request_id=draft.request_id
        )
        for event_id, draft in drafts.items()
    }


def with_term(*, group: Group, name: str, value: object) -> Q:
    """Return the condition for events whose group has this term (see terms.py); nothing is decrypted."""
    rows = Payload.objects.filter(event_id=OuterRef("id"), group=group, terms__contains=[term(name, value)])
    return Q(Exists(rows))


def _rows(wanted: Collection[UUID], groups: frozenset[str]) -> list[Payload]:
    if not wanted:
        return []
    # Pass the ids as a table: a list of thousands would be compared with every row of the tenant.
    ids = RawSQL("SELECT unnest(%s::uuid[])", [list(wanted)])
    rows = Payload.objects.filter(event_id__in=ids).defer("terms", "scope_ids")
    return list(rows if groups == _ALL else rows.filter(group__in=groups))


def _keys(wanted: Mapping[UUID, Event], rows: Iterable[Payload]) -> dict[tuple[UUID, UUID], bytes | None]:
    ids: dict[UUID, set[UUID]] = defaultdict(set)
    for row in rows:
        ids[wanted[row.event_id].tenant_id].add(row.data_key_id)
    return {(tenant, id): key for tenant, of_tenant in ids.items() for id, key in data_keys(tenant, of_tenant).items()}


def _read(draft: _Draft, event: Event, row: Payload, key: bytes | None) -> None:
    committed = event.commitments.get(row.group)
    if committed is None:
        return draft.damage(row.group, "the event was written without it")
    if key is None:
        return draft.damage(row.group, "its data key does not unwrap")
    place = SealBinding(tenant_id=event.tenant_id, event_id=event.id, group=row.group)
    try:
        values = open_sealed(bytes(row.ciphertext), place=place, key=key, committed=bytes.fromhex(committed))
    except SealBrokenError as error:
        return draft.damage(row.group, str(error))
    if row.group == Group.ACTOR and values.pop(ACTOR_LABEL, None) != event.actor_label:
        return draft.damage(row.group, "the name beside the event is not the one that was recorded")
    if row.group == Group.ACTOR:
        draft.request_id = str(values.pop(ACTOR_REQUEST, ""))
    draft.states[row.group] = GroupState.INTACT
    if values:
        draft.payload[row.group] = values
    return None
