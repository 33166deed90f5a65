"""People: changing which scopes a member reaches, and what the platform's administrator changes on an account."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from django.db import transaction

from apps.tenants.context import current_scope, open_scope
from apps.tenants.errors import MembershipError
from apps.tenants.events import emit
from apps.tenants.ids import UserId
from apps.tenants.models import Grant, Membership, Scope, User
from apps.tenants.selectors.grants import tenants_of_user
from apps.tenants.services.account_links import password_link_send
from apps.tenants.services.members import grants_set, membership_lock


def membership_scopes_set(membership: Membership, *, scopes: Iterable[Scope]) -> None:
    """Make a membership reach, among the actor's scopes, exactly the given ones.

    Grants of scopes that the actor does not hold are kept.

    Raises: MembershipError: the membership has ended.
    """
    with transaction.atomic():
        # The lock keeps a second person from confirming the membership while its scopes change.
        membership_lock(membership)
        beyond = Grant.objects.filter(membership=membership, valid_to__isnull=True).exclude(
            scope_id__in=current_scope().scope_ids
        )
        kept = [Scope(id=scope_id) for scope_id in beyond.values_list("scope_id", flat=True)]
        grants_set(membership=membership, scopes=[*scopes, *kept])


def user_configure(user: User, *, administrator: User) -> User:
    """Save an account's first and last name and whether it may sign in. Only its person changes its e-mail address."""
    with transaction.atomic():
        user.save(update_fields=["first_name", "last_name", "is_active"])
        _record(user, administrator, password_reset=False)
    return user


def user_password_link(user: User, *, administrator: User) -> None:
    """Mail an account a link to set a new password, as the platform's administrator, who never learns the link.

    Raises: MembershipError: the account has no e-mail address.
    """
    if not user.email:
        raise MembershipError("tenants.no_mailbox", username=user.username)
    with transaction.atomic():
        _record(user, administrator, password_reset=True)
        transaction.on_commit(partial(password_link_send, user.username))


def _record(user: User, administrator: User, *, password_reset: bool) -> None:
    """Record the change in the log of every tenant that the person belongs to, since it concerns each of them."""
    reason = f"the platform administrator {administrator.username} changed an account"
    for choice in tenants_of_user(UserId(user.id)):
        with open_scope(tenant=choice.id, scopes=[], reason=reason):
            emit(
                action="tenants.user.configured",
                core={"user_id": str(user.id), "is_active": user.is_active, "password_reset": password_reset},
                subject_type="user",
                subject_id=user.id,
            )
