"""The open tenant's provider, under its current residency rule."""

from __future__ import annotations

from apps.tenants.selectors.tenants import current_tenant

from .protocol import EmbeddingProvider
from .registry import provider_for


def tenant_provider() -> EmbeddingProvider:
    """Costs: one query. Raises: NoScopeError, ResidencyError, UnknownProviderError."""
    tenant = current_tenant()
    return provider_for(
        tenant.embedding_profile, tenant_region=tenant.residency_region, tenant_strict=tenant.residency_strict
    )
