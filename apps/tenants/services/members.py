"""Who may see what: memberships and grants. Rows end, they are never deleted."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from apps.tenants.context import current_scope
from apps.tenants.events import emit
from apps.tenants.ids import ScopeId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, User
from apps.tenants.roles import Role


def membership_grant(*, user: User, role: Role, scopes: Iterable[Scope]) -> Membership:
    """Give a user a role in the open tenant, reaching the scopes and all below them. Repeating it adds nothing."""
    with transaction.atomic():
        membership, created = Membership.objects.get_or_create(
            tenant_id=current_scope().tenant_id, user=user, role=role, revoked_at=None
        )
        if created:
            emit(
                action="tenants.membership.granted",
                core={"user_id": str(user.id), "role": role.value},
                subject_type="membership",
                subject_id=membership.id,
            )
        grants_set(membership=membership, scopes=scopes, keep=True)
    granted: Membership = membership
    return granted


def membership_revoke(membership: Membership) -> None:
    """End a membership and its grants. It takes effect with the next token, at most a minute later."""
    with transaction.atomic():
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
