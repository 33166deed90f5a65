"""What was asked, and the ids and types that all stages share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NewType
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from apps.retrieval.contracts.analysis import Period
from apps.tenants.ids import ScopeId, TenantId

ChunkId = NewType("ChunkId", UUID)
DocumentId = NewType("DocumentId", UUID)
FloatVector = NDArray[np.float32]
Clock = Callable[[], float]
"""Seconds from any fixed point; injected, so that a trace can be the same twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFilters:
    """Conditions on documents that came with a question, beside its text. None: no condition on that.

    Each narrows, and none is ever relaxed: a document that states nothing on it does not meet it, and an empty tuple is
    met by none. A year is met by documents of it and of each of its quarters, a quarter by its own alone.
    """

    documents: tuple[DocumentId, ...] | None = None
    companies: tuple[str, ...] | None = None
    periods: tuple[Period, ...] | None = None
    kinds: tuple[str, ...] | None = None


NO_FILTERS: Final = GivenFilters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, and on whose behalf. Scopes are those that the open scope token grants.

    language: "en" or "de"; empty to be told from the text.
    as_of: search the document versions that were the current ones at that instant (aware); None for those of now.
    given: filters beside the text; companies in any case.
    """

    text: str
    tenant_id: TenantId
    scope_ids: tuple[ScopeId, ...]
    language: str = ""
    as_of: datetime | None = None
    given: GivenFilters = NO_FILTERS
