"""The actor on whose behalf a job runs. The actor's grants are read again for every transaction that the job writes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from uuid import UUID

from apps.corpus.services.ingest.errors import ActorRevokedError
from apps.tenants.context import open_scope
from apps.tenants.errors import InvalidKeyError, UnknownTenantError
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.principals import Principal, PrincipalKind, system_principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.grants import actor_principal


@dataclass(frozen=True, slots=True, kw_only=True)
class Actor:
    """The actor of a job, and its document, as the job's row names them; key_id is the API key of a person, if any."""

    kind: PrincipalKind
    id: UUID | None
    label: str
    tenant_id: TenantId
    scope_id: ScopeId
    document_id: UUID
    key_id: UUID | None = None


@contextmanager
def acting_as(actor: Actor) -> Iterator[Principal]:
    """Open the document's scope, and no other, with the grants that the actor has now.

    Raises: ActorRevokedError: the person or key no longer exists, or lost the role or the scope.
    """
    principal = replace(_principal(actor), runs_job_of=actor.document_id)
    if actor.scope_id not in principal.scope_ids or not principal.may(Permission.DOCUMENT_ADD):
        raise ActorRevokedError
    with open_scope(tenant=actor.tenant_id, scopes=[actor.scope_id], principal=principal):
        yield principal


def _principal(actor: Actor) -> Principal:
    if actor.kind is PrincipalKind.SYSTEM:
        return system_principal(tenant_id=actor.tenant_id, scope_ids=frozenset({actor.scope_id}), label=actor.label)
    if actor.id is None:
        raise ActorRevokedError
    try:
        return actor_principal(actor.kind, actor.id, actor.tenant_id, key_id=actor.key_id)
    except (InvalidKeyError, UnknownTenantError) as error:
        raise ActorRevokedError from error
