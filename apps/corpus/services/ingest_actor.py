"""On whose behalf a job runs: the grants are read again, for every transaction that it writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.utils import timezone

from apps.corpus.services.ingest_errors import ActorRevokedError
from apps.tenants.context import open_scope
from apps.tenants.errors import UnknownTenantError
from apps.tenants.ids import ScopeId, TenantId, UserId
from apps.tenants.models import ApiKey, User
from apps.tenants.principals import Principal, PrincipalKind, system_principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.grants import key_principal, user_principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """Who brought the document, as the job's row names them."""

    kind: PrincipalKind
    id: UUID | None
    label: str
    tenant_id: TenantId
    scope_id: ScopeId


@contextmanager
def acting_as(actor: Actor) -> Iterator[Principal]:
    """Open the document's scope, and no other, with the actor's grants of this moment.

    Raises: ActorRevokedError: the person or key is gone, or lost the role or the scope.
    """
    principal = _principal(actor)
    if actor.scope_id not in principal.scope_ids or not principal.may(Permission.DOCUMENT_ADD):
        raise ActorRevokedError(actor=actor.label)
    with open_scope(tenant=actor.tenant_id, scopes=[actor.scope_id], principal=principal):
        yield principal


def _principal(actor: Actor) -> Principal:
    if actor.kind is PrincipalKind.SYSTEM:
        return system_principal(tenant_id=actor.tenant_id, scope_ids=frozenset({actor.scope_id}), label=actor.label)
    if actor.id is None:
        raise ActorRevokedError(actor=actor.label)
    try:
        if actor.kind is PrincipalKind.API_KEY:
            return key_principal(_valid_key(actor))
        user = User.objects.get_by_id(UserId(actor.id))
        if not user.is_active:
            raise ActorRevokedError(actor=actor.label)
        return user_principal(user, actor.tenant_id)
    except (User.DoesNotExist, UnknownTenantError) as error:
        raise ActorRevokedError(actor=actor.label) from error


def _valid_key(actor: Actor) -> ApiKey:
    with open_scope(tenant=actor.tenant_id, scopes=[], reason="read the grants of an ingest job's API key"):
        key: ApiKey | None = ApiKey.objects.filter(id=actor.id).first()
    if key is None or key.revoked_at is not None or _is_past(key.expires_at):
        raise ActorRevokedError(actor=actor.label)
    return key


def _is_past(at: datetime | None) -> bool:
    return at is not None and at <= timezone.now()
