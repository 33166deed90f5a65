"""Accounts by the names that people type: of the whole platform, so only where somebody signs in or is given a role."""

from __future__ import annotations

from apps.tenants.context import open_identity
from apps.tenants.models import User
from apps.tenants.tokens import Identity


def user_by_name(username: str, *, any_case: bool = False) -> User | None:
    """The account of that name; any_case for one that differs in capitals. One query."""
    lookup = "username__iexact" if any_case else "username"
    with open_identity(Identity(username=username)):
        return User.objects.filter(**{lookup: username}).first()
