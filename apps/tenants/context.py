"""Open a scope for one transaction: who acts, for which tenant, and in which of the tenant's scopes."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db import connection, transaction

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
from apps.tenants.transaction_tokens import (
    close_settings,
    ends_with_us,
    read_settings,
    signing_key,
    write_settings,
)


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
# Failures to record when the outermost open scope of their tenant ends, even if inner transactions were rolled back.
_failures: ContextVar[list[Mapping[str, Any]] | None] = ContextVar("glassbox_failures", default=None)


def current_scope() -> ScopeContext:
    """Return the open scope. Raises NoScopeError when none is open."""
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

    Args:    tenant: the tenant whose rows are visible.
             scopes: the scopes to open; None for all that the principal holds, or for all of the tenant's scopes if
                 there is no principal.
             principal: who acts; None for the system itself, which must give a reason.
             reason: why the system opens the scope; kept in the events that it writes.
    Yields:  the ScopeContext. A nested call narrows or changes the scope, and restores the outer scope at its end.
    Raises:  ScopeNotGrantedError: a scope that the principal does not hold.
             ValueError: neither a principal nor a reason was given.
    Costs:   two queries; two more to read all scopes of a tenant if there is no principal, and one more if the call is
             nested in a transaction.
    """
    if principal is None and not reason:
        raise ValueError("open_scope without a principal needs a reason")
    # An iterator could be read only once, and recording a failure afterwards reads the scopes a second time.
    scopes = None if scopes is None else frozenset(scopes)
    # Test the open scope and not the list of failures: a callback that runs after the commit still finds that list,
    # and its entries are already written.
    if open_tenant_id() == tenant:
        with _opened(tenant, scopes, principal, reason) as context:
            yield context
        return
    failures: list[Mapping[str, Any]] = []
    reset = _failures.set(failures)
    try:
        with _opened(tenant, scopes, principal, reason) as context:
            yield context
            # Somebody may have marked the transaction to be rolled back: then nothing more can be written in it.
            rolled_back = transaction.get_rollback()
            if not rolled_back:
                for failure in failures:
                    emit(**failure)
        if rolled_back:
            for failure in failures:
                _record_afterwards(failure, tenant, scopes, principal, reason)
    except BaseException:
        # The whole transaction is rolled back, including failures that were recorded in it. Record each failure again,
        # in a transaction of its own.
        for failure in failures:
            _record_afterwards(failure, tenant, scopes, principal, reason)
        raise
    finally:
        _failures.reset(reset)


def record_failure(**event: Any) -> None:
    """Record an action that fails, even though the action itself is rolled back.

    The event is written when the outermost open scope of its tenant ends. If that scope's transaction is rolled back as
    well, or its connection breaks, the event is written in a transaction of its own. If the principal may no longer
    write it, the system writes it, with the principal's id. If the connection broke during the commit, it is unknown
    whether the commit took place; the event may then be recorded twice, but it is never lost.

    Args: event: the arguments of events.emit.
    """
    current_scope()
    failures = _failures.get()
    if failures is None:
        raise NoScopeError
    failures.append(event)


def record_separately(
    *, tenant: TenantId, scopes: Iterable[ScopeId], principal: Principal | None, reason: str, event: Mapping[str, Any]
) -> None:
    """Record what has happened, in a transaction of its own: by the principal, or else by the system in its name.

    Without a principal the system records it.

    The function raises nothing. What neither could record is reported in the log of the process. In an open scope of
    the tenant, the event is recorded as record_failure does.

    Args: scopes: the scopes to open for the event; event: the arguments of events.emit.
    """
    if open_tenant_id() == tenant:
        record_failure(**event)
    else:
        _record_afterwards(event, tenant, frozenset(scopes), principal, reason)


def _record_afterwards(
    failure: Mapping[str, Any],
    tenant: TenantId,
    scopes: Iterable[ScopeId] | None,
    principal: Principal | None,
    reason: str,
) -> None:
    """Record a failure in a new transaction with a new token, or else in the log of the process.

    The function raises nothing, because the caller is about to raise the error of the failed action itself.
    """
    named = system_principal(
        tenant_id=tenant,
        scope_ids=frozenset(failure.get("scopes") or ()),
        label=f"system, for {principal.without_name.label if principal else reason}",
    )
    for actor in (principal, named):
        try:
            with _opened(tenant, scopes if actor is principal else named.scope_ids, actor, reason or _AFTERWARDS):
                emit(**failure)
        except Exception as error:  # noqa: BLE001 - tried once more; and what failed first is raised by the caller
            # Do not log the error's message: a database's message may quote a row. Do not reuse a broken connection.
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
    ends = ends_with_us()
    with transaction.atomic():
        (identity, outer), bearer = read_settings(IDENTITY_SETTING, SCOPE_SETTING)
        put_back: dict[str, str] = {}
        if scopes is not None:
            wanted = frozenset(scopes)
        elif principal:
            wanted = principal.scope_ids
        else:
            write_settings({IDENTITY_SETTING: _identity_token(Identity(directory=tenant), bearer)})
            wanted = _scope_ids(tenant)
            put_back = {IDENTITY_SETTING: identity}
        if principal and not wanted <= principal.scope_ids:
            raise ScopeNotGrantedError(scope=", ".join(sorted(str(s) for s in wanted - principal.scope_ids)))
        actor = principal or system_principal(tenant_id=tenant, scope_ids=wanted, label=f"system: {reason}")
        context = ScopeContext(tenant_id=tenant, scope_ids=wanted, principal=actor, reason=reason)
        write_settings({**put_back, SCOPE_SETTING: _token(context, bearer)})
        with _current_is(context):
            yield context
        close_settings(ends, {SCOPE_SETTING: outer})


@contextmanager
def widened_scope(*, added: ScopeId) -> Iterator[ScopeContext]:
    """Add a scope that is being created to the open scope, because an inserted row must be visible to its inserter."""
    outer = current_scope()
    context = ScopeContext(
        tenant_id=outer.tenant_id,
        scope_ids=outer.scope_ids | {added},
        principal=outer.principal,
        reason=outer.reason,
    )
    with transaction.atomic():
        (before,), bearer = read_settings(SCOPE_SETTING)
        write_settings({SCOPE_SETTING: _token(context, bearer)})
        with _current_is(context):
            yield context
        close_settings(False, {SCOPE_SETTING: before})


def renew_scope() -> None:
    """Keep the system's open scope open beyond the minute of its token, with the same grants, in the same transaction.

    For long work that must be one transaction. A person's scope is not renewed, because their grants may have ended
    meanwhile (apps/tenants/streaming.py reads the grants again instead). Costs: two queries.

    Raises: ValueError: the principal is not the system.
    """
    context = current_scope()
    if context.principal.kind is not PrincipalKind.SYSTEM:
        raise ValueError("only the system's own scope is renewed")
    _, bearer = read_settings(SCOPE_SETTING)
    write_settings({SCOPE_SETTING: _token(context, bearer)})


@contextmanager
def open_identity(identity: Identity) -> Iterator[None]:
    """Let a sign-in read the directory rows that the identity names (sql/authz.sql), but never a document."""
    with _identified(identity):
        yield


def tenant_scope_ids(tenant: TenantId) -> frozenset[ScopeId]:
    """Return the ids of all scopes of a tenant, read with an identity that names its directory."""
    with _identified(Identity(directory=tenant)):
        return _scope_ids(tenant)


def _scope_ids(tenant: TenantId) -> frozenset[ScopeId]:
    """Return the ids of all scopes of a tenant whose directory the current identity token opens."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT id FROM tenants_scope WHERE tenant_id = %s", [tenant])
        return frozenset(ScopeId(row[0]) for row in cursor.fetchall())


@contextmanager
def _identified(identity: Identity) -> Iterator[None]:
    ends = ends_with_us()
    with transaction.atomic():
        (before,), bearer = read_settings(IDENTITY_SETTING)
        write_settings({IDENTITY_SETTING: _identity_token(identity, bearer)})
        yield
        close_settings(ends, {IDENTITY_SETTING: before})


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


def acting_user_id(principal: Principal) -> UUID | None:
    return principal.id if principal.kind is PrincipalKind.USER else None
