"""What was asked, and the ids and types that all stages share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import NewType
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from apps.tenants.ids import ScopeId, TenantId

ChunkId = NewType("ChunkId", UUID)
DocumentId = NewType("DocumentId", UUID)
FloatVector = NDArray[np.float32]
Clock = Callable[[], float]
"""Seconds from any fixed point; injected, so that a trace can be the same twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked, and on whose behalf. Scopes are those that the open scope token grants.

    language: "en" or "de"; empty to be told from the text.
    as_of: search the document versions that were the current ones at that instant (aware); None for those of now.
    """

    text: str
    tenant_id: TenantId
    scope_ids: tuple[ScopeId, ...]
    language: str = ""
    as_of: datetime | None = None
