"""The tenant's API keys, the state of each, and the keys that end soon."""

from __future__ import annotations

from datetime import timedelta
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from apps.tenants.errors import ApiKeyError
from apps.tenants.models import ApiKey
from apps.tenants.principals import Principal
from apps.tenants.selectors.directory import with_person, with_reach

KEY_WARNING: Final = timedelta(days=14)
"""How long before its end whoever can rotate a key is told."""


class KeyState(StrEnum):
    """The state of a key. OPENS_NOTHING: its person's account is deactivated, or the person lost the key's role."""

    VALID = "valid"
    EXPIRED = "expired"
    REVOKED = "revoked"
    OPENS_NOTHING = "opens_nothing"


def keys() -> QuerySet[Any]:
    """Return the open tenant's keys, each with its person, `role_held` and `scope_keys` (directory.py)."""
    return with_reach(with_person(ApiKey.objects.all()))


def key(key_id: UUID) -> Any:
    """Return the row of keys() with that id. Raises: ApiKeyError."""
    found = keys().filter(id=key_id).first()
    if found is None:
        raise ApiKeyError("tenants.key_not_found")
    return found


def key_state(found: Any) -> KeyState:
    """Return the state of a key. Args: found: a row of keys()."""
    if found.revoked_at is not None:
        return KeyState.REVOKED
    if found.expires_at is not None and found.expires_at <= timezone.now():
        return KeyState.EXPIRED
    if found.person is not None and not (found.person.is_active and found.role_held):
        return KeyState.OPENS_NOTHING
    return KeyState.VALID


def has_ended() -> Q:
    """Return the filter for keys that are revoked or expired."""
    return Q(revoked_at__isnull=False) | Q(expires_at__isnull=False, expires_at__lte=timezone.now())


def keys_expiring() -> QuerySet[ApiKey]:
    """Return the open tenant's keys that end within KEY_WARNING, without those that act for a person."""
    found: QuerySet[ApiKey] = _ending().filter(person__isnull=True)
    return found


def own_keys_expiring(principal: Principal) -> QuerySet[ApiKey]:
    """Return the person's own keys that end within KEY_WARNING and that they can still rotate.

    Two sorts of key are left out: keys whose role the person has lost, which open nothing, and keys that the person has
    rotated already.
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
