"""Who else gets to see the data (GDPR 15(1)(c) and 15(2)): roles within the firm, and providers with their region."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from apps.privacy.my_data.contracts import Entry
from apps.tenants.models import Tenant
from apps.tenants.roles import PERMISSIONS, Permission, Role


def recipients(tenant: Tenant) -> list[Entry]:
    """Return the recipients by the tenant's current settings. A question's event says which provider served it."""
    found = [
        _inside("Who may read the audit log", Permission.AUDIT_VIEW, "events, and who acted in them"),
        _inside("Who may see members", Permission.MEMBER_VIEW, "names, roles and keys of members"),
        _provider(
            tenant,
            "Provider of embeddings",
            tenant.embedding_profile,
            settings.GLASSBOX_EMBEDDING_PROFILES,
            "the words of your questions, and of the documents that you upload",
        ),
        _provider(
            tenant,
            "Provider of answers",
            tenant.generation_profile,
            settings.GLASSBOX_GENERATION_PROFILES,
            "the words of your questions, with the passages that were found",
        ),
    ]
    return [*found, *_mail_server()]


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """What is known about a provider. model: None where its profile is not configured any more."""

    model: str | None
    region: str | None
    is_outside: bool
    leaves_region: bool


def provider_of(tenant: Tenant, name: str, profiles: Mapping[str, Mapping[str, Any]]) -> Provider:
    profile = profiles.get(name, {})
    region = profile.get("region")
    return Provider(
        model=profile.get("model") or profile.get("backend"),
        region=region,
        is_outside="base_url" in profile,
        leaves_region=bool(region and tenant.residency_region and region != tenant.residency_region),
    )


def roles_with(permission: Permission) -> list[Role]:
    return [role for role, allowed in PERMISSIONS.items() if permission in allowed]


def _mail_server() -> list[Entry]:
    if not settings.EMAIL_HOST:
        return []
    return [
        {
            "who": "The firm's mail server",
            "which": "the one that this installation uses",
            "gets": "letters to you, if they are sent by e-mail",
            "region": None,
            "leaves_region": False,
        }
    ]


def _inside(who: str, permission: Permission, gets: str) -> Entry:
    roles = sorted(str(role.label) for role in roles_with(permission))
    return {"who": who, "which": ", ".join(roles), "gets": gets, "region": None, "leaves_region": False}


def _provider(tenant: Tenant, who: str, name: str, profiles: Mapping[str, Mapping[str, Any]], gets: str) -> Entry:
    provider = provider_of(tenant, name, profiles)
    which = f"{name} ({provider.model or 'not configured any more'})"
    return {
        "who": who,
        "which": which if provider.is_outside else f"{which}, on this installation: nobody else receives it",
        "gets": gets if provider.is_outside else "nothing leaves this installation",
        "region": provider.region,
        "leaves_region": provider.leaves_region,
    }
