"""Opening the wall: who acts, for which tenant, in which scopes, for one transaction."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import InternalError, connection, transaction
from psycopg.pq import TransactionStatus

from apps.errors import ApplicationError
from apps.tenants.errors import NoScopeError, ScopeNotGrantedError
from apps.tenants.events import emit
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.principals import Principal, PrincipalKind, system_principal
from apps.tenants.tokens import (
    IDENTITY_SETTING,
    SCOPE_SETTING,
    Bearer,
    Identity,
    identity_token,
    scope_token,
)
from config.secrets import SigningKey, given


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopeContext:
    """What the current transaction was granted."""

    tenant_id: TenantId
    scope_ids: frozenset[ScopeId]
    principal: Principal
    reason: str


logger = logging.getLogger("glassbox.tenants")

_AFTERWARDS = "record what failed"
_current: ContextVar[ScopeContext | None] = ContextVar("glassbox_scope", default=None)
# Failures that the outermost open scope of their tenant records when it ends, whatever was rolled back on the way.
_failures: ContextVar[list[Mapping[str, Any]] | None] = ContextVar("glassbox_failures", default=None)


def current_scope() -> ScopeContext:
    """The open scope. Raises NoScopeError when none is open."""
    context = _current.get()
    if context is None:
        raise NoScopeError
    return context


def open_tenant_id() -> TenantId | None:
    context = _current.get()
    return None if context is None else context.tenant_id


@contextmanager
def open_scope(
    *,
    tenant: TenantId,
    scopes: Iterable[ScopeId] | None = None,
    principal: Principal | None = None,
    reason: str = "",
) -> Iterator[ScopeContext]:
    """Open a transaction that sees one tenant's rows in the given scopes, and nothing else.

    Args:    tenant: whose rows.
             scopes: which of its scopes; None for all that the principal holds, or all of the tenant's without one.
             principal: who acts; None for the system itself, and then a reason is required.
             reason: why the system opens the scope; kept in the events that it writes.
    Yields:  the ScopeContext. A nested call narrows or changes the scope and gives the outer one back.
    Raises:  ScopeNotGrantedError: a scope that the principal does not hold.
             ValueError: neither a principal nor a reason was given.
    Costs:   two queries; two more for all scopes of a tenant without a principal, one more within a transaction.
    """
    if principal is None and not reason:
        raise ValueError("open_scope without a principal needs a reason")
    # Asked for twice where what failed is recorded afterwards.
    scopes = None if scopes is None else frozenset(scopes)
    # Asked of the scope, not of the list: what runs after the commit finds the list still there, and already written.
    if open_tenant_id() == tenant:
        with _opened(tenant, scopes, principal, reason) as context:
            yield context
        return
    failures: list[Mapping[str, Any]] = []
    reset = _failures.set(failures)
    try:
        with _opened(tenant, scopes, principal, reason) as context:
            yield context
            for failure in failures:
                emit(**failure)
    except BaseException:
        # All of the above is undone, what was recorded in it too: each failure is recorded by itself.
        for failure in failures:
            _record_afterwards(failure, tenant, scopes, principal, reason)
        raise
    finally:
        _failures.reset(reset)


def record_failure(**event: Any) -> None:
    """Record an act that fails, though it is rolled back: written when its tenant's outermost open scope ends.

    If that is rolled back as well, or its connection breaks, in a transaction of its own; where the principal may not
    any more, by the system, which names them. Where the connection broke while it was being committed, nobody can say
    whether it was: it may be recorded twice then, and never not at all.

    Args: event: what events.emit takes.
    """
    current_scope()
    failures = _failures.get()
    if failures is None:
        raise NoScopeError
    failures.append(event)


def _record_afterwards(
    failure: Mapping[str, Any],
    tenant: TenantId,
    scopes: Iterable[ScopeId] | None,
    principal: Principal | None,
    reason: str,
) -> None:
    """In a transaction of its own, with a token of its own; the last resort is the process' log.

    Nothing is raised: the caller is about to raise what went wrong with the act itself.
    """
    named = system_principal(
        tenant_id=tenant,
        scope_ids=frozenset(failure.get("scopes") or ()),
        label=f"system, for {principal.label if principal else reason}",
    )
    for actor in (principal, named):
        try:
            with _opened(tenant, scopes if actor is principal else named.scope_ids, actor, reason or _AFTERWARDS):
                emit(**failure)
        except Exception as error:  # noqa: BLE001 - tried once more; and what failed first is raised by the caller
            # Not its message: a database's may quote a row. A connection that broke is not used again.
            code = error.code if isinstance(error, ApplicationError) else type(error).__name__
            logger.critical("%s of tenant %s is not recorded: %s", failure["action"], tenant, code)
            if not connection.in_atomic_block:
                connection.close()
        else:
            return


@contextmanager
def _opened(
    tenant: TenantId, scopes: Iterable[ScopeId] | None, principal: Principal | None, reason: str
) -> Iterator[ScopeContext]:
    ends = _ends_with_us()
    with transaction.atomic():
        (identity, outer), bearer = _read(IDENTITY_SETTING, SCOPE_SETTING)
        put_back: dict[str, str] = {}
        if scopes is not None:
            wanted = frozenset(scopes)
        elif principal:
            wanted = principal.scope_ids
        else:
            _write({IDENTITY_SETTING: _identity_token(Identity(directory=tenant), bearer)})
            wanted = _scope_ids(tenant)
            put_back = {IDENTITY_SETTING: identity}
        if principal and not wanted <= principal.scope_ids:
            raise ScopeNotGrantedError(scope=", ".join(sorted(str(s) for s in wanted - principal.scope_ids)))
        actor = principal or system_principal(tenant_id=tenant, scope_ids=wanted, label=f"system: {reason}")
        context = ScopeContext(tenant_id=tenant, scope_ids=wanted, principal=actor, reason=reason)
        _write({**put_back, SCOPE_SETTING: _token(context, bearer)})
        with _current_is(context):
            yield context
        _close(ends, {SCOPE_SETTING: outer})


@contextmanager
def widened_scope(*, added: ScopeId) -> Iterator[ScopeContext]:
    """The open scope plus one that is being created in it: a row must be visible to whoever inserts it."""
    outer = current_scope()
    context = ScopeContext(
        tenant_id=outer.tenant_id,
        scope_ids=outer.scope_ids | {added},
        principal=outer.principal,
        reason=outer.reason,
    )
    with transaction.atomic():
        (before,), bearer = _read(SCOPE_SETTING)
        _write({SCOPE_SETTING: _token(context, bearer)})
        with _current_is(context):
            yield context
        _close(False, {SCOPE_SETTING: before})


def renew_scope() -> None:
    """Keep the system's open scope open beyond the minute of its token: the same grants, in the same transaction.

    For work that must be one transaction and takes long. A person's grants may have ended meanwhile: theirs is not
    renewed (apps/tenants/streaming.py reads them again instead). Costs: two queries.

    Raises: ValueError: somebody acts who is not the system.
    """
    context = current_scope()
    if context.principal.kind is not PrincipalKind.SYSTEM:
        raise ValueError("only the system's own scope is renewed")
    _, bearer = _read(SCOPE_SETTING)
    _write({SCOPE_SETTING: _token(context, bearer)})


@contextmanager
def open_identity(identity: Identity) -> Iterator[None]:
    """Let a sign-in read the directory rows that the identity names (see authz.sql); never a document."""
    with _identified(identity):
        yield


def tenant_scope_ids(tenant: TenantId) -> frozenset[ScopeId]:
    """All scopes of a tenant, read as its directory."""
    with _identified(Identity(directory=tenant)):
        return _scope_ids(tenant)


def _scope_ids(tenant: TenantId) -> frozenset[ScopeId]:
    """Where the tenant's directory is open."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM tenants_scope WHERE tenant_id = %s", [tenant])
        return frozenset(ScopeId(row[0]) for row in cursor.fetchall())


@contextmanager
def _identified(identity: Identity) -> Iterator[None]:
    ends = _ends_with_us()
    with transaction.atomic():
        (before,), bearer = _read(IDENTITY_SETTING)
        _write({IDENTITY_SETTING: _identity_token(identity, bearer)})
        yield
        _close(ends, {IDENTITY_SETTING: before})


def _ends_with_us() -> bool:
    """Whether the next atomic block is a transaction, and not a part of one that goes on after it."""
    return not connection.in_atomic_block and connection.get_autocommit()


def _close(ends: bool, before: Mapping[str, str]) -> None:
    """Put back what was set before, unless the transaction's end does; on success alone, as a failure undoes it.

    Raises: InternalError: an error of the database was passed over, so that a COMMIT would undo all and not say so.
    """
    if connection.needs_rollback:
        return
    if not ends:
        _write(before)
    elif connection.connection.info.transaction_status == TransactionStatus.INERROR:
        raise InternalError("the transaction failed, and whoever was told so went on")


def signing_key() -> SigningKey:
    """The newest scope-token key; older ones stay valid in the database until they are removed there."""
    key: SigningKey = given(settings.GLASSBOX_SCOPE_KEYS, "GLASSBOX_SCOPE_TOKEN_KEYS")[0]
    return key


@contextmanager
def _current_is(context: ScopeContext) -> Iterator[None]:
    reset = _current.set(context)
    try:
        yield
    finally:
        _current.reset(reset)


def _identity_token(identity: Identity, bearer: Bearer) -> str:
    return identity_token(key=signing_key(), bearer=bearer, identity=identity)


def _token(context: ScopeContext, bearer: Bearer) -> str:
    return scope_token(
        key=signing_key(),
        bearer=bearer,
        tenant=context.tenant_id,
        scopes=context.scope_ids,
        permissions=context.principal.permissions | {context.principal.actor_claim},
    )


def _read(*settings: str) -> tuple[list[str], Bearer]:
    """The settings as they are, and the transaction that a token would be for. One query."""
    columns = "coalesce(current_setting(%s, true), ''), " * len(settings)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}pg_backend_pid(), authz.transaction_mark()", settings)
        *values, backend_pid, mark = cursor.fetchone()
        return values, Bearer(backend_pid=backend_pid, transaction=mark)


def _write(values: Mapping[str, str]) -> None:
    """Set them for this transaction. One query."""
    columns = ", ".join(["set_config(%s, %s, true)"] * len(values))
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {columns}", [part for pair in values.items() for part in pair])


def acting_user_id(principal: Principal) -> UUID | None:
    return principal.id if principal.kind is PrincipalKind.USER else None
