"""Hold the lease on a preview for as long as the version is the one that was asked about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from apps.quality.errors import ImpactError
from apps.quality.models import PolicyImpact
from apps.tenants.ids import ScopeId
from apps.tenants.leased_jobs import Lease, holding


@contextmanager
def holding_current(
    lease: Lease[PolicyImpact], *, scopes: Iterable[ScopeId] | None = None, **changes: Any
) -> Iterator[PolicyImpact]:
    """Do what `holding` does, for as long as nobody changes the draft.

    Raises: LeaseLostError; ImpactError: the draft was changed since the request.
    """
    with holding(lease, scopes=scopes, **changes) as impact:
        if impact.version.revision != impact.revision:
            raise ImpactError("retrieval.impact_outdated", number=impact.version.number)
        yield impact
