"""Who else gets to see something of it (GDPR 15(1)(c) and 15(2)): roles within the firm, and providers by region."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings

from apps.audit.subject_access.contracts import Entry
from apps.tenants.models import Tenant
from apps.tenants.roles import PERMISSIONS, Permission


def recipients(tenant: Tenant) -> list[Entry]:
    """By the tenant's settings of this moment; which provider served a question stands in the question's event."""
    found = [
        _inside("Who may read the audit log", Permission.AUDIT_VIEW, "events, and who acted in them"),
        _inside("Who may see members", Permission.MEMBER_VIEW, "names, roles and keys of members"),
        _provider(
            tenant,
            "Provider of embeddings",
            tenant.embedding_profile,
            settings.GLASSBOX_EMBEDDING_PROFILES,
            "the words of your questions, and of the documents that you bring",
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


def recipients_of_documents(tenant: Tenant) -> list[Entry]:
    """Of what stands in documents and in the questions about them, by the tenant's settings of this moment."""
    return [
        _inside("Who may see documents", Permission.DOCUMENT_VIEW, "documents in the scopes that are open to them"),
        _inside("Who may read the audit log", Permission.AUDIT_VIEW, "questions that are kept, and what was found"),
        _inside("Who works on your request", Permission.PRIVACY_MANAGE, "your request, and everything in this package"),
        _provider(
            tenant,
            "Provider of embeddings",
            tenant.embedding_profile,
            settings.GLASSBOX_EMBEDDING_PROFILES,
            "the words of documents, and of questions",
        ),
        _provider(
            tenant,
            "Provider of answers",
            tenant.generation_profile,
            settings.GLASSBOX_GENERATION_PROFILES,
            "the words of questions, with the passages of documents that were found",
        ),
        *_mail_server(),
    ]


def _mail_server() -> list[Entry]:
    if not settings.EMAIL_HOST:
        return []
    return [
        {
            "who": "The firm's mail server",
            "which": "the one that this installation is set up with",
            "gets": "letters to you, where they go by e-mail",
            "region": None,
            "leaves_region": False,
        }
    ]


def _inside(who: str, permission: Permission, gets: str) -> Entry:
    roles = [str(role.label) for role, allowed in PERMISSIONS.items() if permission in allowed]
    return {"who": who, "which": ", ".join(sorted(roles)), "gets": gets, "region": None, "leaves_region": False}


def _provider(tenant: Tenant, who: str, name: str, profiles: Mapping[str, Mapping[str, Any]], gets: str) -> Entry:
    profile = profiles.get(name, {})
    region = profile.get("region")
    outside = "base_url" in profile
    model = profile.get("model") or profile.get("backend", "not configured any more")
    return {
        "who": who,
        "which": f"{name} ({model})" if outside else f"{name} ({model}), on this installation: nobody else gets it",
        "gets": gets if outside else "nothing leaves this installation",
        "region": region,
        "leaves_region": bool(region and tenant.residency_region and region != tenant.residency_region),
    }
