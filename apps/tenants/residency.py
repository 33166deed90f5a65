"""X7: a strict tenant's data goes only to providers in its region.

Another provider is refused when it is chosen, and again when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError

from apps.tenants.errors import ResidencyError
from apps.tenants.models import Tenant


def check_region(
    *,
    tenant_region: str,
    strict: bool,
    provider: str,
    provider_region: str,
    refusal: type[ResidencyError] = ResidencyError,
) -> None:
    """Raise an error if a strict tenant may not use a provider. Call it when a provider is chosen, and at every call.

    Args:   refusal: the error class to raise; a subclass for callers that also catch an error class of their own layer.
    Raises: ResidencyError: the tenant is strict, and its region is not the provider's or is not named.
    """
    if strict and tenant_region != provider_region:
        raise refusal(tenant_region=tenant_region or "(none named)", provider=provider, provider_region=provider_region)


def check_providers(tenant: Tenant) -> None:
    """Check both providers of a tenant, when it is made or configured.

    Raises: ValidationError: there is no such profile; the error names the tenant's field.
            ResidencyError: the tenant is strict and a profile is in another region.
    """
    profiles: Mapping[str, tuple[str, Mapping[str, Mapping[str, Any]]]] = {
        "embedding_profile": (tenant.embedding_profile, settings.GLASSBOX_EMBEDDING_PROFILES),
        "generation_profile": (tenant.generation_profile, settings.GLASSBOX_GENERATION_PROFILES),
    }
    for field, (name, configured) in profiles.items():
        if name not in configured:
            raise ValidationError({field: f"No provider is called {name}. Configured: {', '.join(configured)}."})
        check_region(
            tenant_region=tenant.residency_region,
            strict=tenant.residency_strict,
            provider=name,
            provider_region=configured[name]["region"],
        )
