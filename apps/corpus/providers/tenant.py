"""The open tenant's provider, under its current residency rule. It records the requests that it sends."""

from __future__ import annotations

from apps.tenants.selectors.tenants import current_tenant
from apps.tenants.short_scopes import current_short_scopes

from .recording import RecordingProvider, recording_provider
from .registry import provider_for


def tenant_provider() -> RecordingProvider:
    """Return the provider, for who acts in the open scope.

    Costs: one query. Raises: NoScopeError, ResidencyError, UnknownProviderError.
    """
    tenant = current_tenant()
    bound = provider_for(
        tenant.embedding_profile, tenant_region=tenant.residency_region, tenant_strict=tenant.residency_strict
    )
    return recording_provider(bound, current_short_scopes())
