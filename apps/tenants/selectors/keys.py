"""Keys that end soon."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db.models import Exists, OuterRef, QuerySet
from django.utils import timezone

from apps.tenants.models import ApiKey
from apps.tenants.principals import Principal

KEY_WARNING: Final = timedelta(days=14)
"""How long before its end whoever can rotate a key is told."""


def keys_expiring() -> QuerySet[ApiKey]:
    """The open tenant's keys, not of people, that end within KEY_WARNING."""
    found: QuerySet[ApiKey] = _ending().filter(person__isnull=True)
    return found


def own_keys_expiring(principal: Principal) -> QuerySet[ApiKey]:
    """A person's own keys that end within KEY_WARNING, and that they can rotate and have not rotated yet.

    A key whose role the person has lost opens nothing; one with a successor ends because its person wished it.
    """
    successor = ApiKey.objects.filter(rotated_from_id=OuterRef("id"), revoked_at__isnull=True)
    roles = [role.value for role in principal.roles]
    found: QuerySet[ApiKey] = _ending().filter(~Exists(successor), person_id=principal.id, role__in=roles)
    return found


def _ending() -> QuerySet[ApiKey]:
    now = timezone.now()
    found: QuerySet[ApiKey] = ApiKey.objects.filter(
        revoked_at__isnull=True, expires_at__gt=now, expires_at__lte=now + KEY_WARNING
    )
    return found
