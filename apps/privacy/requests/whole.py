"""Open all scopes of a tenant, so that the counts and ids of an inventory do not depend on the reader's scopes."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from apps.tenants.context import current_scope, open_scope

_REASON: Final = "what an erasure request concerns"


@contextmanager
def whole_tenant() -> Iterator[None]:
    """Widen the open transaction to all scopes, as the platform. Callers give out only ids and counts from it."""
    with open_scope(tenant=current_scope().tenant_id, reason=_REASON):
        yield
