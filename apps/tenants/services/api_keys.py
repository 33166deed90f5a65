"""API keys: made, used, rotated, revoked. The secret leaves this module once, and is never stored."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.tenants.attempts import key_attempt_begin, key_attempt_failed
from apps.tenants.context import current_scope, open_identity, open_scope
from apps.tenants.errors import InvalidKeyError, NotInPersonError
from apps.tenants.events import emit
from apps.tenants.ids import TenantId, UserId
from apps.tenants.models import ApiKey, Scope
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.members import grants_set
from apps.tenants.tokens import Identity

_PREFIX_CHARS = 12
# How stale last_used_at may be: a write for every request would make one row the busiest of the database.
_LAST_USE_RESOLUTION = timedelta(minutes=1)

logger = logging.getLogger("glassbox.tenants")


def api_key_create(
    *, name: str, role: Role, scopes: Iterable[Scope], expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """Make a key in the open tenant.

    Returns: the row, and the key itself (`gbx_<prefix>_<secret>`), which can't be shown again.
    """
    with transaction.atomic():
        key, plain = api_key_insert(name=name, role=role, scopes=scopes, expires_at=expires_at)
        api_key_emit("tenants.api_key.created", key)
    return key, plain


def api_key_rotate(key: ApiKey, *, overlap: timedelta = timedelta(hours=24)) -> tuple[ApiKey, str]:
    """Make a successor with the same role and scopes; the old key ends after the overlap, so that clients can move.

    Raises: NotInPersonError: the key acts for a person (personal_keys.py).
    """
    if key.person_id is not None:
        raise NotInPersonError
    with transaction.atomic():
        scopes = Scope.objects.filter(grants__api_key=key, grants__valid_to__isnull=True)
        successor, plain = api_key_insert(name=key.name, role=Role(key.role), scopes=scopes, rotated_from=key)
        api_key_end_after(key, overlap)
        api_key_emit("tenants.api_key.rotated", key)
    return successor, plain


def api_key_revoke(key: ApiKey) -> None:
    """End a key now. Repeating it changes nothing."""
    with transaction.atomic():
        if ApiKey.objects.filter(id=key.id, revoked_at__isnull=True).update(revoked_at=timezone.now()):
            api_key_emit("tenants.api_key.revoked", key)


def api_key_authenticate(plain: str, *, address: str = "") -> ApiKey:
    """The valid key behind the text that a client sent.

    Args:   address: of the client, by which wrong secrets of a key are counted (attempts.py).
    Raises: InvalidKeyError: unknown, wrong, expired or revoked, all alike; TooManyKeyAttemptsError.
    """
    marker, _, rest = plain.partition("_")
    prefix, _, secret = rest.partition("_")
    if marker != "gbx" or len(prefix) != _PREFIX_CHARS or not prefix.isalnum() or not prefix.isascii():
        raise InvalidKeyError
    key_attempt_begin(prefix=prefix, address=address)
    with open_identity(Identity(key_prefix=prefix)):
        candidates = list(ApiKey._base_manager.filter(prefix=prefix))
    digest = _digest(secret)
    now = timezone.now()
    for key in candidates:
        if hmac.compare_digest(digest, key.secret_sha256):
            if key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now):
                logger.warning("api key %s was used after it ended", key.id)
                raise InvalidKeyError
            found: ApiKey = key
            return found
    if key_attempt_failed(prefix=prefix, address=address):
        for key in candidates:
            _record_guesses(key)
    raise InvalidKeyError


def _record_guesses(key: ApiKey) -> None:
    """In a transaction of its own: the request is refused."""
    with open_scope(tenant=TenantId(key.tenant_id), scopes=[], reason="refuse an API key after wrong secrets"):
        emit(
            action="tenants.api_key.guessed",
            core={"failures": settings.GLASSBOX_KEY_FAILURES, "seconds": settings.GLASSBOX_FAILURE_WINDOW_SECONDS},
            outcome="refused",
            subject_type="api_key",
            subject_id=key.id,
        )


def api_key_used(principal: Principal, key: ApiKey) -> None:
    """Note the last use, to the minute: as the system, since a key may change no key, nor itself.

    In a transaction of its own: within the request's, a slow request would hold the row, and every other request of
    the same key would wait for it.
    """
    now = timezone.now()
    if key.last_used_at is None or now - key.last_used_at > _LAST_USE_RESOLUTION:
        with open_scope(tenant=principal.tenant_id, scopes=[], reason="note the last use of an API key"):
            ApiKey.objects.filter(id=key.id).update(last_used_at=now)


def api_key_insert(
    *,
    name: str,
    role: Role,
    scopes: Iterable[Scope],
    expires_at: datetime | None = None,
    rotated_from: ApiKey | None = None,
    person_id: UserId | None = None,
) -> tuple[ApiKey, str]:
    """Write a key and its grants, for the services that make one. The database lets a person make their own alone."""
    context = current_scope()
    prefix = secrets.token_hex(_PREFIX_CHARS // 2)
    secret = secrets.token_urlsafe(32)
    key: ApiKey = ApiKey.objects.create(
        tenant_id=context.tenant_id,
        name=name,
        prefix=prefix,
        secret_sha256=_digest(secret),
        role=role,
        created_by_id=context.principal.id,
        expires_at=expires_at,
        rotated_from=rotated_from,
        person_id=person_id,
    )
    grants_set(api_key=key, scopes=scopes)
    return key, f"gbx_{prefix}_{secret}"


def api_key_end_after(key: ApiKey, overlap: timedelta) -> None:
    """Bring a key's end forward; one that ends sooner anyway stays as it is."""
    ends_at = timezone.now() + overlap
    if key.expires_at is None or key.expires_at > ends_at:
        key.expires_at = ends_at
        key.save(update_fields=["expires_at"])


def _digest(secret: str) -> str:
    # 256 random bits need no slow hash: there is nothing to guess.
    return hashlib.sha256(secret.encode()).hexdigest()


def api_key_emit(action: str, key: ApiKey) -> None:
    person = {} if key.person_id is None else {"person_id": str(key.person_id)}
    emit(
        action=action,
        core={"name": key.name, "prefix": key.prefix, "role": key.role, **person},
        subject_type="api_key",
        subject_id=key.id,
    )
