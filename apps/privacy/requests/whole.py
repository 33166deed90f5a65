"""The whole tenant in sight, for what an inventory counts and names by ids: nobody's scopes make it smaller."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

from apps.tenants.context import current_scope, open_scope

_REASON: Final = "what a request for erasure concerns"


@contextmanager
def whole_tenant() -> Iterator[None]:
    """The open transaction over all scopes, as the platform. What is read there and given out is ids and counts."""
    with open_scope(tenant=current_scope().tenant_id, reason=_REASON):
        yield
