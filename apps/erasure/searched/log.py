"""The texts in which a person is searched for: the log's sealed groups, accounts, and what models declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from apps.audit.models import Event, Payload
from apps.audit.registry import Group
from apps.audit.selectors import GroupState, Reading, readings_of
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import SearchedText, TextLocation, leaves
from apps.erasure.registry import register_searched
from apps.erasure.searched.rows import RowTexts
from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.models import User
from apps.tenants.personal_data import declarations
from apps.tenants.tokens import Identity

_BATCH_EVENTS = 500
_GROUPS = tuple(Group)


class LogTexts:
    """One text a group of an event, decrypted in batches and kept nowhere."""

    stores: tuple[str, ...] = ("audit.payloads",)
    label = "Log"
    columns = frozenset({"audit_payload.ciphertext", "audit_event.actor_label"})

    def count(self) -> int:
        found: int = Payload.objects.filter(group__in=_GROUPS).count()
        return found

    def texts(self) -> Iterator[SearchedText]:
        last: UUID | None = None
        events = Event.objects.order_by("id")
        while batch := list((events if last is None else events.filter(id__gt=last))[:_BATCH_EVENTS]):
            readings = readings_of(batch, groups=_GROUPS)
            for event in batch:
                yield from self._of(event, readings[event.id])
            last = batch[-1].id

    def text_of(self, place: TextLocation) -> str | None:
        event = Event.objects.filter(id=place.item_id).first()
        if event is None:
            return None
        reading = readings_of([event], groups=[place.part])[event.id]
        return self._text(event, reading, place.part)

    def scopes_of(self, places: Sequence[TextLocation]) -> Mapping[TextLocation, tuple[UUID, ...]]:
        rows = Event.objects.filter(id__in={place.item_id for place in places}).values_list("id", "scope_ids")
        found = {id: tuple(scope_ids) for id, scope_ids in rows}
        return {place: found.get(place.item_id, ()) for place in places}

    def _of(self, event: Event, reading: Reading) -> Iterator[SearchedText]:
        for group, state in reading.states.items():
            if state is not GroupState.REMOVED:
                target = Target(type=TargetType.EVENT_GROUP, id=event.id, part=group)
                place = TextLocation(store=self.stores[0], item_id=event.id, part=group, target=target)
                yield SearchedText(place=place, text=self._text(event, reading, group))

    @staticmethod
    def _text(event: Event, reading: Reading, group: str) -> str | None:
        if reading.states.get(group) is not GroupState.INTACT:
            return None
        values = leaves(dict(reading.payload.get(group, {})))
        # The name beside the event is the actor's group's, and goes with it.
        return f"{event.actor_label}\n{values}" if group == Group.ACTOR else values


class AccountTexts(RowTexts):
    """Of the open scope's people, each read as their own: nobody else's token lets know their address.

    Costs: four queries a person.
    """

    def texts(self) -> Iterator[SearchedText]:
        for found in super().texts():
            yield SearchedText(place=found.place, text=self.text_of(found.place))

    def text_of(self, place: TextLocation) -> str | None:
        # Whom the scope does not show is none of its business.
        if super().text_of(place) is None:
            return None
        with open_identity(Identity(user=UserId(place.item_id))):
            return super().text_of(place)


def register_texts() -> None:
    """Register what models declare, and the texts of the rooms below that are not read row by row."""
    register_searched(
        LogTexts(),
        AccountTexts(
            "tenants.users",
            "Accounts",
            User,
            ("first_name", "last_name", "username", "email"),
            target=TargetType.USER,
        ),
    )
    for model, declared in declarations():
        if texts := declared.texts:
            register_searched(RowTexts(texts.store, texts.label, model, texts.names.split()))
