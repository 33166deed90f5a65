"""Answers that are made after the request's transaction has ended, and that may outlast the principal's grants."""

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
    """Make the parts of an answer one by one, each in a separate transaction.

    The grants are read again before each part, so that a principal who loses them gets no further part. In that case
    the iterator raises, which makes the server break the connection. The response must carry its Content-Length, so
    that the client notices an incomplete answer.

    Args:    principal: who asked, as the request knew them.
             parts: functions that are called in order, each once the part before it was sent. They must keep nothing
                 open between them.
             scopes: all scopes that the parts may see.
             permission: the permission that the principal needs; None if every principal of the tenant may get the
                 answer.
             cut_short: records that the answer ended early, given the error and the number of bytes sent until then.
                 It is called in a scope of the system, because the principal may hold none any more.
    Raises:  UnknownTenantError, InvalidKeyError, ScopeNotGrantedError, PermissionDeniedError: the principal lost what
             it needs; and whatever a part raises.
    Costs:   about 25 short statements for each part beside those of the part itself, so a part should be large.
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
