"""X7: a strict tenant's data goes to providers of its own region alone. Refused when chosen, and when called."""

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
    """The rule itself, for the choice of a provider and for every call of one.

    Args:   refusal: what is raised; a subclass for callers that also catch an error of their own floor.
    Raises: ResidencyError when a strict tenant's region is not the provider's, or is not named.
    """
    if strict and tenant_region != provider_region:
        raise refusal(tenant_region=tenant_region or "(none named)", provider=provider, provider_region=provider_region)


def check_providers(tenant: Tenant) -> None:
    """Both of a tenant's providers, when it is configured.

    Raises: ValidationError: a profile that is not configured, beside its field.
            ResidencyError: a profile of another region.
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
