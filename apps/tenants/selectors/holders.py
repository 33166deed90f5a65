"""Who reaches a scope now, for whoever decides what is filed in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from apps.tenants.models import ApiKey, Grant, Membership, Scope
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.selectors.keys import has_ended


@dataclass(frozen=True, slots=True, kw_only=True)
class Holders:
    """names: by the id of the person, or of the key that acts for nobody. is_whole: False where the reader does not see
    a scope above, and so not who holds it."""

    names: Mapping[UUID, str]
    is_whole: bool


def holders_of(scope_id: UUID) -> Holders:
    """Return who holds a scope, or one above it, by a membership or a key in force. Four queries."""
    parents: dict[UUID, UUID | None] = dict(Scope.objects.values_list("id", "parent_id"))
    above: list[UUID] = []
    at: UUID | None = scope_id
    while at is not None and at in parents:
        above.append(at)
        at = parents[at]
    grants = Grant.objects.order_by().filter(scope_id__in=above, valid_to__isnull=True)
    members = Membership.objects.filter(
        IN_FORCE, id__in=grants.filter(membership__isnull=False).values("membership_id"), user__is_active=True
    ).select_related("user")
    keys = ApiKey.objects.exclude(has_ended()).filter(
        id__in=grants.filter(api_key__isnull=False).values("api_key_id"), person__isnull=True
    )
    names = {member.user_id: str(member.user) for member in members} | {key.id: f"the key {key}" for key in keys}
    return Holders(names=names, is_whole=at is None)
