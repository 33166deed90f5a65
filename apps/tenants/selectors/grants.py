"""Roles and grants: make a Principal from an authenticated user or API key."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Q
from django.utils import timezone

from apps.tenants.context import open_identity, open_scope
from apps.tenants.errors import InvalidKeyError, UnknownTenantError
from apps.tenants.ids import ScopeId, TenantId, UserId
from apps.tenants.models import ApiKey, Grant, Membership, Scope, Tenant, User
from apps.tenants.models.membership import IN_FORCE
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Role
from apps.tenants.tokens import Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class TenantChoice:
    """A tenant that a user may work in."""

    id: TenantId
    slug: str
    name: str
    roles: tuple[Role, ...]


def tenants_of_user(user_id: UserId) -> tuple[TenantChoice, ...]:
    """Return the active tenants in which the user holds a role, by name. Two queries."""
    with open_identity(Identity(user=user_id)):
        roles: dict[TenantId, list[Role]] = defaultdict(list)
        for membership in Membership._base_manager.filter(IN_FORCE, user_id=user_id).order_by("role"):
            roles[TenantId(membership.tenant_id)].append(Role(membership.role))
        tenants = Tenant.objects.filter(id__in=roles, status=TenantStatus.ACTIVE).order_by("name")
        return tuple(
            TenantChoice(id=TenantId(t.id), slug=t.slug, name=t.name, roles=tuple(roles[TenantId(t.id)]))
            for t in tenants
        )


def user_principal(user: User, tenant_id: TenantId) -> Principal:
    """Return the user as a principal, with their roles and scopes in one tenant.

    Raises: UnknownTenantError: the user has no role in the tenant, or the tenant is not active.
    """
    with open_identity(Identity(user=UserId(user.id), directory=tenant_id)):
        memberships = list(Membership._base_manager.filter(IN_FORCE, tenant_id=tenant_id, user_id=user.id))
        if not memberships or not Tenant.objects.filter(id=tenant_id, status=TenantStatus.ACTIVE).exists():
            raise UnknownTenantError(tenant=tenant_id)
        scope_ids = _granted(tenant_id, Q(membership_id__in=[m.id for m in memberships]))
    return Principal(
        kind=PrincipalKind.USER,
        id=user.id,
        label=user.username,
        tenant_id=tenant_id,
        scope_ids=scope_ids,
        roles=frozenset(Role(m.role) for m in memberships),
    )


def key_principal(key: ApiKey) -> Principal:
    """Return an API key as a principal, with its role and scopes.

    For a key that acts for a person, return that person, limited to the role and scopes of the key.

    Raises: UnknownTenantError: the tenant is suspended.
            InvalidKeyError: the person whom the key acts for is deactivated, or no longer holds its role here.
    """
    if key.person_id is not None:
        return _person_by_key(key, UserId(key.person_id))
    tenant_id = TenantId(key.tenant_id)
    with open_identity(Identity(directory=tenant_id)):
        if not Tenant.objects.filter(id=tenant_id, status=TenantStatus.ACTIVE).exists():
            raise UnknownTenantError(tenant=tenant_id)
        scope_ids = _granted(tenant_id, Q(api_key_id=key.id))
    return Principal(
        kind=PrincipalKind.API_KEY,
        id=key.id,
        label=str(key),
        tenant_id=tenant_id,
        scope_ids=scope_ids,
        roles=frozenset({Role(key.role)}),
    )


def _person_by_key(key: ApiKey, person_id: UserId) -> Principal:
    """Return the key's person, with the key's role and those of the key's scopes that the person reaches now.

    Raises: UnknownTenantError, InvalidKeyError: as for key_principal.
    """
    tenant_id = TenantId(key.tenant_id)
    with open_identity(Identity(user=person_id, directory=tenant_id)):
        if not Tenant.objects.filter(id=tenant_id, status=TenantStatus.ACTIVE).exists():
            raise UnknownTenantError(tenant=tenant_id)
        person = User.objects.filter(id=person_id, is_active=True).first()
        memberships = list(Membership._base_manager.filter(IN_FORCE, tenant_id=tenant_id, user_id=person_id))
        if person is None or key.role not in {membership.role for membership in memberships}:
            raise InvalidKeyError
        held, given = _reached(
            tenant_id, Q(membership_id__in=[membership.id for membership in memberships]), Q(api_key_id=key.id)
        )
    return Principal(
        kind=PrincipalKind.USER,
        id=person_id,
        label=f"{person.username} (key {key.name})",
        tenant_id=tenant_id,
        scope_ids=held & given,
        roles=frozenset({Role(key.role)}),
        key_id=key.id,
        stepped_up=key.with_second_factor,
    )


def principal_now(principal: Principal) -> Principal:
    """Return the same actor with its present roles and scopes, for work that goes on after its request has ended.

    The system is returned unchanged, because it has no grants.

    Raises:  UnknownTenantError: the person is deactivated or no longer a member, or the tenant is suspended.
             InvalidKeyError: the key is revoked or has expired, or its person is deactivated or lost the key's role.
    """
    if principal.id is None:
        return principal
    return actor_principal(principal.kind, principal.id, principal.tenant_id, key_id=principal.key_id)


def actor_principal(
    kind: PrincipalKind, actor_id: UUID, tenant_id: TenantId, *, key_id: UUID | None = None
) -> Principal:
    """Return the principal of a person or API key by its id, such as an earlier action recorded it.

    Args:   key_id: the key that the person acted by; None if they were signed in.
    Raises: as principal_now does.
    """
    if kind is PrincipalKind.API_KEY or key_id is not None:
        acting = key_principal(_valid_key(tenant_id, key_id or actor_id))
        if (acting.kind, acting.id) != (kind, actor_id):
            raise InvalidKeyError
        return acting
    try:
        user = User.objects.get_by_id(UserId(actor_id))
    except User.DoesNotExist as error:
        raise UnknownTenantError(tenant=tenant_id) from error
    if not user.is_active:
        raise UnknownTenantError(tenant=tenant_id)
    return user_principal(user, tenant_id)


def subtree(roots: Iterable[ScopeId], parents: Iterable[tuple[ScopeId, ScopeId | None]]) -> frozenset[ScopeId]:
    """Return the scopes at and below the roots, given (scope, parent) pairs. A cycle is followed only once."""
    children: dict[ScopeId, list[ScopeId]] = defaultdict(list)
    for scope, parent in parents:
        if parent is not None:
            children[parent].append(scope)
    reached: set[ScopeId] = set()
    waiting = list(roots)
    while waiting:
        scope = waiting.pop()
        if scope not in reached:
            reached.add(scope)
            waiting.extend(children[scope])
    return frozenset(reached)


def _valid_key(tenant_id: TenantId, key_id: UUID) -> ApiKey:
    # Look the key up by its id: a principal does not keep the prefix, by which authentication finds a key.
    with open_scope(tenant=tenant_id, scopes=[], reason="read the grants of an API key again"):
        unrevoked = ApiKey.objects.filter(id=key_id, revoked_at__isnull=True)
        key: ApiKey | None = unrevoked.exclude(expires_at__lte=timezone.now()).first()
    if key is None:
        raise InvalidKeyError
    return key


def _granted(tenant_id: TenantId, holder: Q) -> frozenset[ScopeId]:
    (reached,) = _reached(tenant_id, holder)
    return reached


def _reached(tenant_id: TenantId, *holders: Q) -> list[frozenset[ScopeId]]:
    """Return the scopes that each holder's grants reach, in the order of the holders.

    Costs: one query for each holder, and one for the tree of scopes.
    """
    valid = Grant._base_manager.filter(tenant_id=tenant_id, valid_to__isnull=True)
    roots = [[ScopeId(each) for each in valid.filter(holder).values_list("scope_id", flat=True)] for holder in holders]
    tree = Scope._base_manager.filter(tenant_id=tenant_id).order_by().values_list("id", "parent_id")
    parents = [(ScopeId(scope), ScopeId(parent) if parent else None) for scope, parent in tree]
    return [subtree(each, parents) for each in roots]
