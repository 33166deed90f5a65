"""Accounts and their names.

user_by_name finds any account of the platform, so it serves only sign-ins, mailed links and the operator's commands.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.models import AccountOrigin, Membership, User
from apps.tenants.tokens import Identity


def user_by_name(username: str, *, any_case: bool = False) -> User | None:
    """Return the account of that name; with any_case, regardless of capital letters. One query."""
    lookup = "username__iexact" if any_case else "username"
    with open_identity(Identity(username=username)):
        return User.objects.filter(**{lookup: username}).first()


def mailbox_confirmed_at(user: User) -> datetime | None:
    """Return when an account's mailbox was confirmed as its person's; None if it never was. One query."""
    with open_identity(Identity(user=UserId(user.id))):
        return AccountOrigin.objects.filter(user_id=user.id).values_list("mailbox_confirmed_at", flat=True).first()


def names_of(people: Iterable[UUID | None]) -> Mapping[UUID, str]:
    """Return the sign-in names of the given accounts that have a membership in the open tenant. One query."""
    wanted = {person for person in people if person is not None}
    rows = Membership.objects.filter(user_id__in=wanted).select_related("user") if wanted else ()
    return {row.user_id: str(row.user.get_username()) for row in rows}
