"""Answers that are made after the request's transaction has ended, and may take longer than what was granted for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.selectors.grants import principal_now

Part = Callable[[], bytes]
CutShort = Callable[[ApplicationError, int], None]


def scoped_stream(
    principal: Principal,
    parts: Iterable[Part],
    *,
    scopes: Iterable[ScopeId],
    permission: Permission | None,
    cut_short: CutShort,
) -> Iterator[bytes]:
    """Make the parts of an answer one by one, each in a transaction of its own.

    The grants are read again before each part: who lost them in the middle gets no more. The iterator raises then,
    which makes the server break the connection. The response must carry its Content-Length, so that a client knows a
    part of the answer from all of it.

    Args:    principal: who asked, as the request knew them.
             parts: called in order, each when the one before it has been sent; they keep nothing open between them.
             scopes: all that the parts may see.
             permission: what the principal needs for them; None where any that belongs to the tenant may have them.
             cut_short: records that the answer ended early, given the reason and the bytes sent until then. Called
                 in a scope of the system: the principal may hold none any more.
    Raises:  UnknownTenantError, InvalidKeyError, ScopeNotGrantedError, PermissionDeniedError: the principal lost what
             it needs; and what a part raises.
    Costs:   about 25 short statements a part beside its own, so a part should be large.
    """
    wanted = frozenset(scopes)
    sent_bytes = 0
    for part in parts:
        try:
            content = _made(part, principal, wanted, permission)
        except ApplicationError as error:
            with open_scope(tenant=principal.tenant_id, scopes=wanted, reason="record an answer that was cut short"):
                cut_short(error, sent_bytes)
            raise
        yield content
        sent_bytes += len(content)


def _made(part: Part, principal: Principal, scopes: frozenset[ScopeId], permission: Permission | None) -> bytes:
    reader = principal_now(principal)
    if permission is not None:
        reader.require(permission)
    with open_scope(tenant=reader.tenant_id, scopes=scopes, principal=reader):
        return part()
