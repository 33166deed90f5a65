"""Callbacks of the layers above, for when a tenant is made or changed, or the database was migrated.

The layers above register their callbacks here, because this layer may not import them.
"""

from __future__ import annotations

from collections.abc import Callable

from apps.tenants.models import Scope, Tenant

_on_created: list[Callable[[Tenant], None]] = []
_on_configured: list[Callable[[Tenant, Tenant], None]] = []
_on_scope_create: list[Callable[[Scope], None]] = []
_on_migrated: list[Callable[[str, str], None]] = []


def on_tenant_created(callback: Callable[[Tenant], None]) -> None:
    """Call back inside the transaction that creates a tenant, with a scope open on it.

    A callback that raises undoes the tenant.
    """
    if callback not in _on_created:
        _on_created.append(callback)


def on_tenant_configured(callback: Callable[[Tenant, Tenant], None]) -> None:
    """Call back inside the transaction that changes a tenant's settings, with the tenant before and after the change.

    The scope of the acting principal is open. A callback that raises undoes the change.
    """
    if callback not in _on_configured:
        _on_configured.append(callback)


def on_scope_create(callback: Callable[[Scope], None]) -> None:
    """Call back with the parent scope before a scope is made below it, inside the same transaction.

    A callback that raises refuses the new scope.
    """
    if callback not in _on_scope_create:
        _on_scope_create.append(callback)


def on_migrated(callback: Callable[[str, str], None]) -> None:
    """Call back after every migration of a database, with the administrator's connection string and the name."""
    if callback not in _on_migrated:
        _on_migrated.append(callback)


def tenant_created(tenant: Tenant) -> None:
    for callback in _on_created:
        callback(tenant)


def tenant_configured(before: Tenant, after: Tenant) -> None:
    for callback in _on_configured:
        callback(before, after)


def scope_may_come_below(parent: Scope) -> None:
    for callback in _on_scope_create:
        callback(parent)


def migrated(admin_url: str, database: str) -> None:
    for callback in _on_migrated:
        callback(admin_url, database)
