"""Accounts by the names that people type: of the whole platform, so only where somebody signs in or is given a role."""

from __future__ import annotations

from datetime import datetime

from apps.tenants.context import open_identity
from apps.tenants.ids import UserId
from apps.tenants.models import AccountOrigin, User
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
