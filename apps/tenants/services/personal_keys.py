"""API keys that act for a person. That person makes and rotates them.

No service here takes a person as an argument: each acts for the person who is signed in. The database checks the same
against the token, so that no serving process can make a key in another person's name (migrations/0002_access.py).
api_key_revoke revokes these keys too.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.utils import timezone

from apps.tenants.context import current_scope
from apps.tenants.errors import (
    ApiKeyError,
    NotInPersonError,
    ScopeNotGrantedError,
)
from apps.tenants.ids import ScopeId, UserId
from apps.tenants.models import ApiKey, Scope
from apps.tenants.models.api_key import PERSONAL_KEY_LIFE
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.api_keys import api_key_emit, api_key_end_after, api_key_insert, api_key_lock


def personal_key_create(
    *, name: str, role: Role, scopes: Iterable[Scope], expires_at: datetime | None
) -> tuple[ApiKey, str]:
    """Make a key that acts for the person of the open scope.

    Args:    role: a role that the person holds; once they lose it, the key opens nothing.
             scopes: scopes that the person reaches; a scope that they lose later is lost to the key too.
             expires_at: aware; at most PERSONAL_KEY_LIFE from now.
    Returns: the row, and the key itself (`gbx_<prefix>_<secret>`), which can't be shown again.
    Raises:  NotInPersonError: the acting principal is not a person who is signed in.
             ScopeNotGrantedError; ApiKeyError: the person lacks the role, or the key would live too long.
    """
    person = _person()
    _require_role(person, role)
    _require_life(expires_at)
    wanted = _held(person, scopes)
    with transaction.atomic():
        key, plain = api_key_insert(
            name=name, role=role, scopes=wanted, expires_at=expires_at, person_id=_person_id(person)
        )
        api_key_emit("tenants.api_key.created", key)
    return key, plain


def personal_key_rotate(
    key: ApiKey, *, expires_at: datetime | None, overlap: timedelta = timedelta(hours=24)
) -> tuple[ApiKey, str]:
    """Make a successor of the acting person's key, with its role and scopes. The old key ends after the overlap.

    The successor does not get scopes that the person no longer reaches.

    Raises: NotInPersonError: the acting principal is not a signed-in person, or the key belongs to another person.
            ApiKeyError: the key has ended already, or the person no longer reaches any of its scopes; and as for
            personal_key_create.
    """
    person = _person()
    if key.person_id != person.id:
        raise NotInPersonError
    if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= timezone.now()):
        raise ApiKeyError("tenants.key_ended", name=key.name)
    _require_role(person, Role(key.role))
    _require_life(expires_at)
    with transaction.atomic():
        api_key_lock(key)
        given = Scope.objects.filter(grants__api_key=key, grants__valid_to__isnull=True)
        wanted = [scope for scope in given if ScopeId(scope.id) in person.scope_ids]
        if not wanted:
            raise ApiKeyError("tenants.key_reaches_nothing", name=key.name)
        successor, plain = api_key_insert(
            name=key.name,
            role=Role(key.role),
            scopes=wanted,
            expires_at=expires_at,
            rotated_from=key,
            person_id=_person_id(person),
        )
        api_key_end_after(key, overlap)
        api_key_emit("tenants.api_key.rotated", key)
    return successor, plain


def _person() -> Principal:
    principal = current_scope().principal
    if not principal.is_signed_in:
        raise NotInPersonError
    return principal


def _person_id(person: Principal) -> UserId:
    if person.id is None:
        raise NotInPersonError
    return UserId(person.id)


def _require_role(person: Principal, role: Role) -> None:
    if role not in person.roles:
        held = ", ".join(sorted(str(each.label) for each in person.roles))
        raise ApiKeyError("tenants.role_not_held", role=role.label, roles=held)


def _require_life(expires_at: datetime | None) -> None:
    now = timezone.now()
    if expires_at is None or not now < expires_at <= now + PERSONAL_KEY_LIFE:
        raise ApiKeyError("tenants.key_life", days=PERSONAL_KEY_LIFE.days)


def _held(person: Principal, scopes: Iterable[Scope]) -> list[Scope]:
    wanted = list(scopes)
    missing = [scope for scope in wanted if ScopeId(scope.id) not in person.scope_ids]
    if missing:
        raise ScopeNotGrantedError(scope=", ".join(sorted(str(scope.id) for scope in missing)))
    return wanted
