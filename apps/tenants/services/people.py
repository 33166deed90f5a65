"""People: inviting them into a tenant, changing which scopes they reach, and what the platform does to an account."""

from __future__ import annotations

import secrets
from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.auth.hashers import make_password
from django.db import transaction

from apps.tenants.context import current_scope, open_scope
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.models import Grant, Membership, Scope, User
from apps.tenants.roles import Role
from apps.tenants.selectors.grants import tenants_of_user
from apps.tenants.selectors.people import user_by_name
from apps.tenants.services.members import grants_set, membership_grant

_PASSWORD_BYTES = 15


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation:
    """first_password is the password of an account that this invitation made; it does nothing to one that was there.

    Which of the two it was is not told: an administrator of one tenant must not learn who has an account.
    """

    membership: Membership
    first_password: str


def member_invite(
    *, username: str, email: str, first_name: str, last_name: str, role: Role, scopes: Iterable[Scope]
) -> Invitation:
    """Give a person a role in the open tenant, with an account if they have none. Repeating it adds nothing."""
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    # Hashed even where it is not used: the time it takes would tell the two cases apart.
    hashed = make_password(password)
    with transaction.atomic():
        user = user_by_name(username, any_case=True)
        if user is None:
            user = User(
                username=User.normalize_username(username),
                email=User.objects.normalize_email(email),
                first_name=first_name,
                last_name=last_name,
                is_staff=True,
                password=hashed,
            )
            user.save(force_insert=True)
        membership = membership_grant(user=user, role=role, scopes=scopes)
    return Invitation(membership=membership, first_password=password)


def membership_scopes_set(membership: Membership, *, scopes: Iterable[Scope]) -> None:
    """Make a membership reach exactly these of the actor's scopes; grants beyond the actor's own stay as they are."""
    beyond = Grant.objects.filter(membership=membership, valid_to__isnull=True).exclude(
        scope_id__in=current_scope().scope_ids
    )
    kept = [Scope(id=scope_id) for scope_id in beyond.values_list("scope_id", flat=True)]
    grants_set(membership=membership, scopes=[*scopes, *kept])


def user_configure(user: User, *, administrator: User) -> User:
    """Save an account's name, address and whether it may sign in."""
    with transaction.atomic():
        user.save(update_fields=["first_name", "last_name", "email", "is_active"])
        _record(user, administrator, password_reset=False)
    return user


def user_password_reset(user: User, *, administrator: User) -> str:
    """Give an account a new password. Returns it; it can't be shown again. Other sessions of the account end."""
    password = secrets.token_urlsafe(_PASSWORD_BYTES)
    with transaction.atomic():
        user.set_password(password)
        user.save(update_fields=["password"])
        _record(user, administrator, password_reset=True)
    return password


def _record(user: User, administrator: User, *, password_reset: bool) -> None:
    """In the log of every tenant that the person belongs to: each of them is concerned."""
    reason = f"the platform administrator {administrator.username} changed an account"
    for choice in tenants_of_user(UserId(user.id)):
        with open_scope(tenant=choice.id, scopes=[], reason=reason):
            emit(
                action="tenants.user.configured",
                core={"user_id": str(user.id), "is_active": user.is_active, "password_reset": password_reset},
                subject_type="user",
                subject_id=user.id,
            )
