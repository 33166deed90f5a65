"""Memberships as the API shows them: the state of each, the scopes that it reaches, and its revision."""

from __future__ import annotations

from enum import StrEnum
from typing import Any
from uuid import UUID

from django.db.models import Case, Count, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.db.models.functions import Coalesce

from apps.tenants.errors import MembershipError
from apps.tenants.models import Grant, Membership
from apps.tenants.selectors.directory import with_reach


class MemberState(StrEnum):
    WAITING = "waiting"
    IN_FORCE = "in_force"
    ENDED = "ended"


OF_STATE = {
    MemberState.WAITING: Q(confirmed_at__isnull=True, revoked_at__isnull=True),
    MemberState.IN_FORCE: Q(confirmed_at__isnull=False, revoked_at__isnull=True),
    MemberState.ENDED: Q(revoked_at__isnull=False),
}


def members() -> QuerySet[Any]:
    """Return the open tenant's memberships, each with `username`, `scope_keys` (see with_reach) and `revision`."""
    return with_reach(_with_revision(Membership.objects.select_related("user").annotate(username=F("user__username"))))


def member(membership_id: UUID) -> Any:
    """Return the row of members() with that id. Raises: MembershipError."""
    found = members().filter(id=membership_id).first()
    if found is None:
        raise MembershipError("tenants.membership_not_found")
    return found


def member_state(membership: Membership) -> MemberState:
    if membership.revoked_at is not None:
        return MemberState.ENDED
    return MemberState.IN_FORCE if membership.is_in_force else MemberState.WAITING


def membership_revision(membership_id: UUID) -> int:
    """Return a membership's revision, as in members(); 0 if there is no such membership. One query."""
    found = _with_revision(Membership.objects.filter(id=membership_id)).values_list("revision", flat=True).first()
    return 0 if found is None else int(found)


def _with_revision(memberships: QuerySet[Membership]) -> QuerySet[Any]:
    """Annotate memberships with `revision`: one more than the number of their changes.

    Each grant that was given or ended, the confirmation and the end count as a change. Rows are ended and not deleted,
    so the revision only grows.
    """
    steps = (
        Grant.objects.filter(membership=OuterRef("pk"))
        .order_by()
        .values("membership")
        .annotate(steps=Count("*") + Count("valid_to"))
        .values("steps")
    )
    return memberships.annotate(
        revision=Value(1)
        + Coalesce(Subquery(steps, output_field=IntegerField()), 0)
        + Case(When(confirmed_at__isnull=False, then=1), default=0)
        + Case(When(revoked_at__isnull=False, then=1), default=0)
    )
