"""Who may see what: memberships and grants. Rows end, they are never deleted."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.tenants.context import current_scope
from apps.tenants.errors import (
    ConfirmedInPersonError,
    InvitedByThemselvesError,
    MembershipChangedError,
    MembershipSettledError,
)
from apps.tenants.events import emit
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.principals import PrincipalKind
from apps.tenants.roles import Role, approvals
from apps.tenants.second_person import are_hands_above, require_second_person
from apps.tenants.selectors.members import membership_revision


def membership_grant(*, user: User, role: Role, scopes: Iterable[Scope]) -> Membership:
    """Give a user a role in the open tenant, as the platform's operator: nobody is asked, and the log says so.

    For a tenant's first people, from a shell; everybody else is invited (services/invitations.py). A membership that
    waits for a second person is confirmed by it. Repeating it adds nothing.

    Raises: ValueError: somebody acts who is not the platform.
    """
    if current_scope().principal.kind is not PrincipalKind.SYSTEM:
        raise ValueError("the platform's operator alone gives a role without an invitation")
    with transaction.atomic():
        membership, created = Membership.objects.get_or_create(
            tenant_id=current_scope().tenant_id, user=user, role=role, revoked_at=None
        )
        # One that waits for a second person: the operator is one.
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
    """Agree that somebody gets a role that approves, as the second person: it gives its rights from now on.

    Args:   revision: as it was read; None where nothing was read before.
    Raises: PermissionDeniedError: what the role approves is not the acting person's to approve.
            ConfirmedInPersonError: nobody is signed in in person.
            MembershipChangedError: it is not what was read, such as its scopes.
            SameHandsError: they invited, or it is for themselves, or for an account of theirs.
            InvitedByThemselvesError: they invited who invited, however far up.
            MembershipSettledError: it was confirmed or ended meanwhile.
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
            raise InvitedByThemselvesError
        settled = Membership.objects.filter(
            id=membership.id, confirmed_at__isnull=True, revoked_at__isnull=True
        ).update(confirmed_at=timezone.now(), confirmed_by_id=principal.id)
        if not settled:
            raise MembershipSettledError
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
    """Refuse that somebody gets a role that approves: it ends before it gave any right.

    Args:   revision: as it was read; None where nothing was read before.
    Raises: PermissionDeniedError, MembershipSettledError, MembershipChangedError.
    """
    for permission in sorted(approvals(Role(membership.role))):
        current_scope().principal.require(permission)
    if membership.is_in_force:
        raise MembershipSettledError
    membership_revoke(membership, revision=revision)


def membership_lock(membership: Membership, *, revision: int | None = None) -> None:
    """Keep every other step off a membership until the transaction ends.

    Args:   revision: as it was read; None where nothing was read before.
    Raises: MembershipSettledError: it has ended.
            MembershipChangedError.
    """
    lasting = Membership.objects.filter(id=membership.id, revoked_at__isnull=True)
    if lasting.select_for_update(no_key=True, of=("self",)).first() is None:
        raise MembershipSettledError
    # Asked after the lock: what was committed while it was waited for counts.
    if revision is not None and membership_revision(membership.id) != revision:
        raise MembershipChangedError


def membership_revoke(membership: Membership, *, revision: int | None = None) -> None:
    """End a membership and its grants, in this order: who declines one ends the grants of what has ended.

    It takes effect with the next token, at most a minute later.

    Args:   revision: as it was read; None where nothing was read before: then repeating it changes nothing.
    Raises: with a revision, MembershipSettledError, MembershipChangedError.
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
    """Make the holder's grants exactly these scopes; with keep, add to what is there."""
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
