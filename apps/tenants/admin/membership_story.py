"""How a membership came about and where it stands, in words for its page."""

from __future__ import annotations

from enum import StrEnum
from uuid import UUID

from django.http import HttpRequest

from apps.tenants.admin.base import may
from apps.tenants.models import Membership, User
from apps.tenants.roles import Role, approvals


class Standing(StrEnum):
    IN_FORCE = "Valid"
    WAITING = "Awaiting confirmation"
    ENDED = "Ended"


def standing_of(membership: Membership) -> Standing:
    if membership.revoked_at is not None:
        return Standing.ENDED
    return Standing.IN_FORCE if membership.is_in_force else Standing.WAITING


def given_by(membership: Membership) -> str:
    """Who invited, and who confirmed; of what was given without an invitation, that it was the operator."""
    if membership.created_by_id is None:
        return "the operator, without a second person"
    people = {user.id: str(user) for user in User.objects.filter(id__in=_people(membership))}
    invited = people.get(membership.created_by_id, "somebody who is no longer a member")
    if membership.confirmed_by_id is None:
        return invited
    return f"{invited}, confirmed by {people.get(membership.confirmed_by_id, 'somebody who is no longer a member')}"


def may_confirm(request: HttpRequest, membership: Membership) -> bool:
    """Whether the request's principal holds all that the role approves."""
    return membership.awaits_confirmation and all(may(request, each) for each in approvals(Role(membership.role)))


def _people(membership: Membership) -> list[UUID]:
    return [each for each in (membership.created_by_id, membership.confirmed_by_id) if each is not None]
