"""Memberships and grants, which say who may see what. Their rows are ended, never deleted."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.tenants.context import current_scope
from apps.tenants.errors import (
    ConfirmedInPersonError,
    MembershipError,
)
from apps.tenants.events import emit
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Role, approvals
from apps.tenants.second_person import are_hands_above, require_second_person
from apps.tenants.selectors.members import membership_revision


def membership_grant(*, user: User, role: Role, scopes: Iterable[Scope]) -> Membership:
    """Give a user a role in the open tenant, as the platform's operator. Nobody has to agree, and the log says so.

    For a tenant's first people, from a shell; everybody else is invited (services/invitations.py). If the user already
    has a membership that waits for a second person, this call confirms it. Repeating the call adds nothing.

    Raises: ValueError: the principal is not the system.
    """
    if current_scope().principal.kind is not PrincipalKind.SYSTEM:
        raise ValueError("the platform's operator alone gives a role without an invitation")
    with transaction.atomic():
        membership, created = Membership.objects.get_or_create(
            tenant_id=current_scope().tenant_id, user=user, role=role, revoked_at=None
        )
        # The operator counts as the second person that an existing membership waits for.
        confirmed = not created and Membership.objects.filter(id=membership.id, confirmed_at__isnull=True).update(
            confirmed_at=timezone.now()
        )
        if created or confirmed:
            emit(
                action="tenants.membership.granted",
                core={"user_id": str(user.id), "role": role.value, "by_operator": True},
                subject_type="membership",
                subject_id=membership.id,
            )
        grants_set(membership=membership, scopes=scopes, keep=True)
    granted: Membership = membership
    if created or confirmed:
        granted.refresh_from_db()
    return granted


def membership_confirm(membership: Membership, *, revision: int | None = None) -> None:
    """Confirm, as the second person, a membership whose role approves. It gives its rights from now on.

    Args:   revision: the membership's revision as the acting person read it; None if they read nothing before.
    Raises: PermissionDeniedError: the acting person may not approve what the role approves.
            ConfirmedInPersonError: the acting principal is not a person who is signed in.
            SecondPersonError: the acting person has not used their second factor within the last minutes.
            MembershipError: the membership, such as its scopes, has changed since it was read.
            SecondPersonError: the acting person sent the invitation, or the membership is for their own account, or
                for one that counts as theirs.
            MembershipError: the acting person is in the chain of invitations that led to this one.
            MembershipError: the membership was confirmed or ended meanwhile.
    """
    role = Role(membership.role)
    principal = current_scope().principal
    for permission in sorted(approvals(role)):
        principal.require(permission)
    if not principal.is_signed_in:
        raise ConfirmedInPersonError
    with transaction.atomic():
        membership_lock(membership, revision=revision)
        require_second_person(membership.user_id)
        require_second_person(membership.created_by_id)
        if are_hands_above(
            tenant_id=membership.tenant_id, account=membership.user_id, inviter=membership.created_by_id
        ):
            raise MembershipError("tenants.invited_by_themselves")
        settled = Membership.objects.filter(
            id=membership.id, confirmed_at__isnull=True, revoked_at__isnull=True
        ).update(confirmed_at=timezone.now(), confirmed_by_id=principal.id)
        if not settled:
            raise MembershipError("tenants.membership_settled")
        emit(
            action="tenants.membership.confirmed",
            core={
                "user_id": str(membership.user_id),
                "role": role.value,
                "invited_by_id": None if membership.created_by_id is None else str(membership.created_by_id),
            },
            subject_type="membership",
            subject_id=membership.id,
        )


def membership_decline(membership: Membership, *, revision: int | None = None) -> None:
    """Decline a membership whose role approves. The membership ends before it gave any right.

    Args:   revision: the membership's revision as the acting person read it; None if they read nothing before.
    Raises: PermissionDeniedError; MembershipError: it was confirmed, ended or changed meanwhile.
    """
    for permission in sorted(approvals(Role(membership.role))):
        current_scope().principal.require(permission)
    if membership.is_in_force:
        raise MembershipError("tenants.membership_settled")
    membership_revoke(membership, revision=revision)


def membership_lock(membership: Membership, *, revision: int | None = None) -> None:
    """Lock a membership against every other change until the transaction ends.

    Args:   revision: the membership's revision as the acting person read it; None if they read nothing before.
    Raises: MembershipError: the membership has ended, or was changed since it was read.
    """
    lasting = Membership.objects.filter(id=membership.id, revoked_at__isnull=True)
    if lasting.select_for_update(no_key=True, of=("self",)).first() is None:
        raise MembershipError("tenants.membership_settled")
    # Read the revision after taking the lock, so that it includes what was committed while waiting for the lock.
    if revision is not None and membership_revision(membership.id) != revision:
        raise MembershipError("tenants.membership_changed")


def membership_revoke(membership: Membership, *, revision: int | None = None) -> None:
    """End a membership, and then its grants.

    The order matters: a person who declines a membership may end its grants only once the membership has ended. The end
    takes effect with the next token, at most a minute later.

    Args:   revision: the membership's revision as the acting person read it; None if they read nothing before. Without
                a revision, repeating the call changes nothing.
    Raises: with a revision, MembershipError: the membership has ended, or was changed since it was read.
    """
    with transaction.atomic():
        if revision is not None:
            membership_lock(membership, revision=revision)
        now = timezone.now()
        ended = Membership.objects.filter(id=membership.id, revoked_at__isnull=True).update(revoked_at=now)
        if not ended:
            return
        grants: QuerySet[Grant] = Grant.objects.filter(membership=membership, valid_to__isnull=True)
        ended_scopes = [ScopeId(scope_id) for scope_id in grants.values_list("scope_id", flat=True)]
        grants.update(valid_to=now)
        emit(
            action="tenants.membership.revoked",
            core={
                "user_id": str(membership.user_id),
                "role": membership.role,
                "scope_ids": sorted(str(scope_id) for scope_id in ended_scopes),
            },
            subject_type="membership",
            subject_id=membership.id,
        )


def grants_set(
    *,
    scopes: Iterable[Scope],
    membership: Membership | None = None,
    api_key: ApiKey | None = None,
    keep: bool = False,
) -> None:
    """Make the holder's grants exactly these scopes. With `keep`, only add to the grants that exist."""
    holder = {"membership": membership, "api_key": api_key}
    tenant_id = current_scope().tenant_id
    wanted = {ScopeId(scope.id) for scope in scopes}
    with transaction.atomic():
        valid: QuerySet[Grant] = Grant.objects.filter(**holder, valid_to__isnull=True)
        held = {ScopeId(scope_id) for scope_id in valid.values_list("scope_id", flat=True)}
        for scope_id in sorted(wanted - held):
            Grant.objects.create(tenant_id=tenant_id, scope_id=scope_id, **holder)
            _emit("tenants.grant.given", scope_id, membership, api_key)
        for scope_id in () if keep else sorted(held - wanted):
            valid.filter(scope_id=scope_id).update(valid_to=timezone.now())
            _emit("tenants.grant.ended", scope_id, membership, api_key)


def _emit(action: str, scope_id: ScopeId, membership: Membership | None, api_key: ApiKey | None) -> None:
    emit(
        action=action,
        core={
            "scope_id": str(scope_id),
            "membership_id": str(membership.id) if membership else None,
            "api_key_id": str(api_key.id) if api_key else None,
        },
        subject_type="scope",
        subject_id=scope_id,
        scopes=[scope_id],
    )
