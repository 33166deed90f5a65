"""Texts of this floor and of the one below, for the search for a person: the log's sealed groups, accounts, answers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from uuid import UUID

from apps.audit.models import Event, Payload
from apps.audit.registry import Group
from apps.audit.selectors import GroupState, Reading, readings_of
from apps.erasure.contracts import Target, TargetType
from apps.erasure.declarations.searched import Place, SearchedText, leaves
from apps.erasure.models import LegalHold, Purge, PurgePart, RetentionSchedule
from apps.erasure.registry import leave_unsearched, register_searched
from apps.erasure.searched.rows import RowTexts
from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.models import ApiKey, FactorReset, IdempotentRequest, Scope, Tenant, User
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

    def text_of(self, place: Place) -> str | None:
        event = Event.objects.filter(id=place.item_id).first()
        if event is None:
            return None
        reading = readings_of([event], groups=[place.part])[event.id]
        return self._text(event, reading, place.part)

    def scopes_of(self, places: Sequence[Place]) -> Mapping[Place, tuple[UUID, ...]]:
        rows = Event.objects.filter(id__in={place.item_id for place in places}).values_list("id", "scope_ids")
        found = {id: tuple(scope_ids) for id, scope_ids in rows}
        return {place: found.get(place.item_id, ()) for place in places}

    def _of(self, event: Event, reading: Reading) -> Iterator[SearchedText]:
        for group, state in reading.states.items():
            if state is not GroupState.REMOVED:
                target = Target(type=TargetType.EVENT_GROUP, id=event.id, part=group)
                place = Place(store=self.stores[0], item_id=event.id, part=group, target=target)
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

    def text_of(self, place: Place) -> str | None:
        # Whom the scope does not show is none of its business.
        if super().text_of(place) is None:
            return None
        with open_identity(Identity(user=UserId(place.item_id))):
            return super().text_of(place)


def register_texts_of_these_floors() -> None:
    register_searched(
        LogTexts(),
        AccountTexts(
            "tenants.users",
            "Accounts",
            User,
            ("first_name", "last_name", "username", "email"),
            target=TargetType.USER,
        ),
        RowTexts("tenants.api_keys", "Names of API keys", ApiKey, ("name",)),
        RowTexts("tenants.scopes", "Names of scopes", Scope, ("name", "key")),
        RowTexts(
            "tenants.idempotent_requests", "Answers kept for repeated requests", IdempotentRequest, ("location", "body")
        ),
        RowTexts("tenants.factor_resets", "Reasons for resets of a second factor", FactorReset, ("reason",)),
        RowTexts("tenants.tenant", "Name of the tenant", Tenant, ("name", "slug")),
        RowTexts(
            "audit.holds",
            "Legal holds",
            LegalHold,
            ("matter", "ground", "release_reason", "placed_by_label", "released_by_label"),
        ),
        RowTexts(
            "audit.retention_schedules",
            "Retention schedules",
            RetentionSchedule,
            ("reason", "decision_reason", "author_label", "approver_label"),
        ),
        RowTexts("audit.purges", "Purges", Purge, ("reason", "created_by_label")),
        RowTexts("audit.purge_parts", "Parts of purges", PurgePart, ("proposed_by_label",)),
    )
    _leave_unsearched()


def _leave_unsearched() -> None:
    leave_unsearched(
        "audit_erasurerequest.details audit_letter.ciphertext audit_inventoryhit.words audit_inventoryhit.hidden",
        because="What was said in somebody's request, under a key of that request that is destroyed after its end.",
    )
    leave_unsearched(
        "audit_accesspackage.ciphertext",
        because="A package for somebody who asked for access: it is sealed, and removed after thirty days or with "
        "what it quotes.",
    )
    leave_unsearched(
        "tenants_invitation.email",
        because="The mailbox of an open invitation: it is cleared when the invitation is accepted or withdrawn, or "
        "expires after seven days. Until then Members shows it.",
    )
    leave_unsearched(
        "tenants_accountlink.email",
        because="The mailbox that a link was sent to: it is removed within two hours. It belongs to an account, "
        "which is searched.",
    )
    leave_unsearched("tenants_secondfactor.sealed", because="The secret of an authenticator app, which names nobody.")
    leave_unsearched(
        "tenants_session.content",
        because="Who is signed in, under a key that the browser has: it ends within eight hours.",
    )
    leave_unsearched(
        "django_admin_log.object_id django_admin_log.object_repr django_admin_log.change_message",
        because="Django's own tables, which are empty: no role that runs anything may write there.",
    )
