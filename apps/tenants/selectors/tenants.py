"""Finding tenants and scopes by the names that people use."""

from __future__ import annotations

from apps.tenants.context import current_scope, open_identity
from apps.tenants.errors import ScopeNotGrantedError, UnknownTenantError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope, Tenant
from apps.tenants.models.tenant import TenantStatus
from apps.tenants.selectors.grants import subtree
from apps.tenants.tokens import Identity


def tenant_by_slug(slug: str) -> Tenant:
    """Return the tenant of that slug, for commands, which act as the system.

    Raises: UnknownTenantError: its message names the tenants that exist.
    """
    tenants = {tenant.slug: tenant for tenant in all_tenants()}
    if slug not in tenants:
        raise UnknownTenantError(tenant=f"{slug!r} (there are: {', '.join(sorted(tenants)) or 'none'})")
    return tenants[slug]


def all_tenants() -> tuple[Tenant, ...]:
    """Return the row of every tenant, for sweepers. The identity opens no scope, document or member of a tenant."""
    with open_identity(Identity(all_tenants=True)):
        return tuple(Tenant.objects.order_by("slug"))


def active_tenants() -> tuple[TenantId, ...]:
    """Return the active tenants, the only ones for which jobs are begun."""
    return tuple(TenantId(tenant.id) for tenant in all_tenants() if tenant.status == TenantStatus.ACTIVE)


def current_tenant() -> Tenant:
    tenant: Tenant = Tenant.objects.get(id=current_scope().tenant_id)
    return tenant


def scope_by_key(key: str) -> Scope:
    """Return the granted scope with that key.

    Raises: ScopeNotGrantedError: the scope does not exist or is not granted; the error is the same in both cases.
    """
    scope = Scope.objects.filter(key=key).first()
    if scope is None:
        raise ScopeNotGrantedError(scope=repr(key))
    found: Scope = scope
    return found


def scopes_below(keys: list[str]) -> frozenset[ScopeId]:
    """Return the granted scopes at and below the named ones, or all granted scopes when none is named."""
    if not keys:
        return current_scope().scope_ids
    roots = [ScopeId(scope_by_key(key).id) for key in keys]
    tree = [(ScopeId(i), ScopeId(p) if p else None) for i, p in Scope.objects.values_list("id", "parent_id")]
    return subtree(roots, tree)


def tenant_id_of(slug: str) -> TenantId:
    return TenantId(tenant_by_slug(slug).id)
