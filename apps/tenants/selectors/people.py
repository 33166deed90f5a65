"""Accounts by the names that people type: of the whole platform, so only where somebody signs in or is given a role."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.models import AccountOrigin, Membership, User
from apps.tenants.tokens import Identity


def user_by_name(username: str, *, any_case: bool = False) -> User | None:
    """The account of that name; any_case for one that differs in capitals. One query."""
    lookup = "username__iexact" if any_case else "username"
    with open_identity(Identity(username=username)):
        return User.objects.filter(**{lookup: username}).first()


def mailbox_confirmed_at(user: User) -> datetime | None:
    """Since when an account's mailbox is known to be its person's; None for one that was never confirmed. One query."""
    with open_identity(Identity(user=UserId(user.id))):
        return AccountOrigin.objects.filter(user_id=user.id).values_list("mailbox_confirmed_at", flat=True).first()


def names_of(people: Iterable[UUID | None]) -> Mapping[UUID, str]:
    """The names of members by their accounts; without those that are members no more. One query."""
    wanted = {person for person in people if person is not None}
    rows = Membership.objects.filter(user_id__in=wanted).select_related("user") if wanted else ()
    return {row.user_id: str(row.user.get_username()) for row in rows}
