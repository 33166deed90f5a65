"""Open a scope for one step at a time, so that no transaction is open while the work waits for something else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import wraps
from typing import Any, Final, TypeVar, cast

from django.db import DatabaseError, connections, transaction
from django.http import HttpRequest
from django.urls import Resolver404, resolve

from apps.errors import ApplicationError
from apps.tenants.context import ScopeContext, current_scope, open_scope
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.principals import Principal
from apps.tenants.selectors.grants import principal_now

PartT = TypeVar("PartT")
ViewT = TypeVar("ViewT", bound=Callable[..., Any])
_MARK: Final = "opens_own_scopes"


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortScopes:
    """Who acts, and in which scopes. Each step of the work opens them anew, with a new token."""

    principal: Principal
    scope_ids: frozenset[ScopeId]
    reason: str = ""

    @classmethod
    def all_of(cls, principal: Principal) -> ShortScopes:
        """Return all scopes that the principal holds."""
        return cls(principal=principal, scope_ids=principal.scope_ids)

    @property
    def tenant_id(self) -> TenantId:
        return self.principal.tenant_id

    @contextmanager
    def open(self) -> Iterator[ScopeContext]:
        """Open the scopes for one step. Raises and costs: as open_scope."""
        with open_scope(
            tenant=self.tenant_id, scopes=self.scope_ids, principal=self.principal, reason=self.reason
        ) as context:
            yield context

    def renewed(self) -> ShortScopes:
        """Return the same with the principal's present grants. Raises: as principal_now."""
        return replace(self, principal=principal_now(self.principal))

    def principal_as_named_now(self) -> Principal:
        """Return the principal with its old grants and its present name, or its id where it may not act any more."""
        try:
            return replace(self.principal, label=principal_now(self.principal).label)
        except (ApplicationError, DatabaseError):
            return self.principal.without_name

    def each_step(self, part: PartT) -> PartT:
        """Return the part with each of its methods in scopes of its own, opened for the call."""
        return cast("PartT", _InShortScopes(part, self))


def current_short_scopes() -> ShortScopes:
    """Return the open scope, to be opened again. Raises NoScopeError when none is open."""
    context = current_scope()
    return ShortScopes(principal=context.principal, scope_ids=context.scope_ids, reason=context.reason)


class _InShortScopes:
    def __init__(self, part: object, scopes: ShortScopes) -> None:
        self._part, self._scopes = part, scopes

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._part, name)
        if not callable(found):
            return found

        @wraps(found)
        def within(*args: Any, **kwargs: Any) -> Any:
            with self._scopes.open():
                return found(*args, **kwargs)

        return within


def opens_own_scopes(view: ViewT) -> ViewT:
    """Mark a view that waits for something else: it runs in no transaction, and opens a scope for each of its steps."""
    setattr(view, _MARK, True)
    for alias in connections:
        transaction.non_atomic_requests(using=alias)(view)
    return view


def mark_like(wrapper: Callable[..., Any], view: Callable[..., Any]) -> None:
    """Mark a view's wrapper if the view is marked."""
    if hasattr(view, _MARK):
        opens_own_scopes(wrapper)


def view_opens_own_scopes(request: HttpRequest) -> bool:
    """Return whether the view at the request's address is marked."""
    try:
        return hasattr(resolve(request.path_info).func, _MARK)
    except Resolver404:
        return False


def release_connection() -> None:
    """Give a pooled connection back while the caller waits; the next query takes one again.

    It does nothing within a transaction, or without a pool.
    """
    for connection in connections.all(initialized_only=True):
        if connection.settings_dict["OPTIONS"].get("pool") and not connection.in_atomic_block:
            connection.close()
