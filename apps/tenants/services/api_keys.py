"""API keys: made, used, rotated, revoked. The secret leaves this module once, and is never stored."""

from __future__ import annotations

import hashlib
import hmac
import logging
import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.tenants.attempts import key_attempt
from apps.tenants.context import current_scope, open_identity, open_scope
from apps.tenants.errors import (
    ApiKeyError,
    InvalidKeyError,
    KeyMadeInPersonError,
    NotInPersonError,
    ReasonMissingError,
)
from apps.tenants.events import emit
from apps.tenants.ids import TenantId, UserId
from apps.tenants.models import ApiKey, Scope
from apps.tenants.principals import Principal, PrincipalKind
from apps.tenants.roles import Permission, Role
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
    Raises:  KeyMadeInPersonError: a key acts.
    """
    _require_person()
    with transaction.atomic():
        key, plain = api_key_insert(name=name, role=role, scopes=scopes, expires_at=expires_at)
        api_key_emit("tenants.api_key.created", key)
    return key, plain


def api_key_rotate(
    key: ApiKey, *, overlap: timedelta = timedelta(hours=24), expires_at: datetime | None = None
) -> tuple[ApiKey, str]:
    """Make a successor with the same role and scopes; the old key ends after the overlap, so that clients can move.

    Args:   expires_at: when the successor ends; None for never.
    Raises: NotInPersonError: the key acts for a person (personal_keys.py).
            KeyMadeInPersonError: a key acts.
            ApiKeyError: whoever acts sees none of its scopes.
    """
    if key.person_id is not None:
        raise NotInPersonError
    _require_person()
    with transaction.atomic():
        api_key_lock(key)
        scopes = list(Scope.objects.filter(grants__api_key=key, grants__valid_to__isnull=True))
        if not scopes:
            raise ApiKeyError("tenants.key_reaches_nothing", name=key.name)
        successor, plain = api_key_insert(
            name=key.name, role=Role(key.role), scopes=scopes, expires_at=expires_at, rotated_from=key
        )
        api_key_end_after(key, overlap)
        api_key_emit("tenants.api_key.rotated", key)
    return successor, plain


def api_key_rename(key_id: UUID, *, name: str, reason: str) -> ApiKey:
    """Give a key another name, in use or revoked: it may hold a person's. What it is, reaches and may stays.

    Raises: PermissionDeniedError, ReasonMissingError, ApiKeyError.
    """
    current_scope().principal.require(Permission.KEY_MANAGE)
    said = require_reason(reason)
    with transaction.atomic():
        key: ApiKey | None = ApiKey.objects.filter(id=key_id).select_for_update(no_key=True).first()
        if key is None:
            raise ApiKeyError("tenants.key_not_found")
        if key.name != name:
            key.name = name
            key.save(update_fields=["name"])
            emit(
                action="tenants.api_key.renamed",
                core={"fields": "name"},
                actor={"reason": said},
                subject_type="api_key",
                subject_id=key.id,
            )
    return key


def _require_person() -> None:
    """A key makes no key, which would outlive its own revocation. The database asks the same (sql/api_keys.sql)."""
    principal = current_scope().principal
    if principal.kind is not PrincipalKind.SYSTEM and not principal.is_signed_in:
        raise KeyMadeInPersonError


def require_reason(reason: str) -> str:
    """Raises: ReasonMissingError."""
    if not reason.strip():
        raise ReasonMissingError
    return reason.strip()


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
    with open_identity(Identity(key_prefix=prefix)):
        candidates = list(ApiKey._base_manager.filter(prefix=prefix))
    digest = _digest(secret)
    found: ApiKey | None = next((key for key in candidates if hmac.compare_digest(digest, key.secret_sha256)), None)
    if key_attempt(prefix=prefix, address=address, is_right=found is not None):
        for key in candidates:
            _record_guesses(key)
    if found is None:
        raise InvalidKeyError
    if found.revoked_at is not None or (found.expires_at is not None and found.expires_at <= timezone.now()):
        logger.warning("api key %s was used after it ended", found.id)
        raise InvalidKeyError
    return found


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


def api_key_lock(key: ApiKey) -> None:
    """Lock a key against every other change until the transaction ends: what hands on or sets its grants reads them
    after that, so that no grant which ends meanwhile is given again.
    """
    ApiKey.objects.filter(id=key.id).select_for_update(no_key=True, of=("self",)).first()


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
