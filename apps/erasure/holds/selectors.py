"""Reading holds: what is held, by which, and which are due."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from django.db import connection
from django.db.models import Q
from django.utils import timezone

from apps.erasure.contracts import Target, TargetType
from apps.erasure.holds.errors import HoldError
from apps.erasure.holds.locks import keep_holds_out
from apps.erasure.models import HeldItem, LegalHold
from apps.sql_files import read_statements
from apps.tenants.context import current_scope
from apps.tenants.ids import ScopeId
from apps.tenants.models import Membership, Scope
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.selectors.grants import subtree

_SQL: Final = read_statements(__file__)
_HELD: Final = _SQL["held"]


def target_of(item: HeldItem) -> Target:
    return Target(type=TargetType(item.type), id=item.item_id, part=item.part)


def hold_by_id(hold_id: UUID) -> LegalHold:
    """Raises HoldError."""
    hold: LegalHold | None = LegalHold.objects.filter(id=hold_id).first()
    if hold is None:
        raise HoldError("audit.hold_not_found", hold=hold_id)
    return hold


def holds_of(target: Target) -> list[LegalHold]:
    """The open holds on it, oldest first; none for who may not see holds. One query."""
    return list(
        LegalHold.objects.filter(
            released_at__isnull=True, items__type=target.type, items__item_id=target.id, items__part=target.part
        ).order_by("id")
    )


def open_holds(targets: Iterable[Target]) -> dict[Target, list[UUID]]:
    """Of the targets, those under open holds, with these holds' ids, oldest first. One query."""
    wanted = {target for target in targets if target.type in (TargetType.DOCUMENT, TargetType.EVENT_GROUP)}
    if not wanted:
        return {}
    found: dict[Target, list[UUID]] = defaultdict(list)
    items = HeldItem.objects.filter(
        Q(hold__released_at__isnull=True), item_id__any_of={target.id for target in wanted}
    ).order_by("hold_id")
    for item in items:
        if (target := target_of(item)) in wanted:
            found[target].append(item.hold_id)
    return dict(found)


def held(targets: Sequence[Target]) -> Mapping[Target, str]:
    """The obstacle of holds: see apps.erasure.contracts.Obstacle. Stays true until the transaction ends."""
    keep_holds_out()
    return {target: f"hold:{holds[0]}" for target, holds in open_holds(targets).items()}


def held_within(targets: Sequence[Target]) -> Mapping[Target, Mapping[Target, str]]:
    """The same obstacle inside scopes and tenants: see apps.erasure.contracts.KeptWithin.

    A document is in its scope and those above it; a part of an event in a scope when nothing else was touched by it.
    Costs: the lock's query, and two.
    """
    keep_holds_out()
    found = _held_items()
    if not found:
        return {}
    tree = [
        (ScopeId(id), ScopeId(parent) if parent else None)
        for id, parent in Scope.objects.values_list("id", "parent_id")
    ]
    kept: dict[Target, dict[Target, str]] = {}
    for target in targets:
        below = subtree([ScopeId(target.id)], tree) if target.type is TargetType.SCOPE else frozenset()
        for item, ground, scopes in found:
            if target.type is TargetType.TENANT or (scopes and scopes <= below):
                kept.setdefault(target, {}).setdefault(item, ground)
    return kept


def _held_items() -> list[tuple[Target, str, frozenset[UUID]]]:
    """What is held in the tenant: the thing, the ground, the scopes that it lies in; the oldest hold first."""
    with connection.cursor() as cursor:
        cursor.execute(_HELD, {"tenant": current_scope().tenant_id})
        return [
            (Target(type=TargetType(type), id=item, part=part), f"hold:{hold}", frozenset(scopes or ()))
            for type, item, part, hold, scopes in cursor.fetchall()
        ]


def due_for_review() -> int:
    """How many open holds must be looked at. One query."""
    return int(LegalHold.objects.filter(released_at__isnull=True, review_on__lte=timezone.now().date()).count())


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    id: UUID
    name: str


def members() -> list[Member]:
    """Everybody with a role in this tenant now, by name: who may answer for a hold. One query."""
    current = Membership.objects.filter(IN_FORCE).select_related("user")
    people = {each.user_id: each.user.get_full_name() or each.user.get_username() for each in current}
    return [Member(id=id, name=name) for id, name in sorted(people.items(), key=lambda person: person[1].lower())]
