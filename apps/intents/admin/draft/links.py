"""Where the pages of drafts are, and those that they lead to."""

from __future__ import annotations

from uuid import UUID

from django.contrib import admin
from django.http import Http404
from django.urls import reverse

from apps.intents.models import PolicyVersion
from apps.intents.standing import by_time
from apps.tenants.admin.base import Crumb, TenantModelAdmin


def version_address(version: PolicyVersion) -> str:
    """Where a version that is no draft any more is read."""
    return reverse("admin:policy_review", args=[version.id])


def find_version(version_id: UUID) -> PolicyVersion:
    """Raises Http404 alike for what does not exist and what another tenant has."""
    version: PolicyVersion | None = by_time(PolicyVersion.objects.filter(id=version_id)).first()
    if version is None:
        raise Http404("There is no policy version with this id that you may see.")
    return version


def version_admin() -> TenantModelAdmin:
    """Whose frame and crumbs the pages of drafts have."""
    found = admin.site.get_model_admin(PolicyVersion)
    if not isinstance(found, TenantModelAdmin):
        raise TypeError("the policy's versions are not registered as a tenant's")
    return found


def crumbs(*here: str | Crumb) -> list[str | Crumb]:
    return [("Drafts", reverse("admin:policy_drafts")), *here]


def draft_crumb(version: PolicyVersion) -> Crumb:
    return f"Version {version.number}", reverse("admin:policy_draft", args=[version.id])
