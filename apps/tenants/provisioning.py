"""What a new tenant needs from the floors above: they register it here, since this floor may not import them."""

from __future__ import annotations

from collections.abc import Callable

from apps.tenants.models import Tenant

_callbacks: list[Callable[[Tenant], None]] = []


def on_tenant_created(callback: Callable[[Tenant], None]) -> None:
    """Call back inside the transaction that creates a tenant, with a scope open on it.

    A callback that raises undoes the tenant.
    """
    if callback not in _callbacks:
        _callbacks.append(callback)


def tenant_created(tenant: Tenant) -> None:
    for callback in _callbacks:
        callback(tenant)
