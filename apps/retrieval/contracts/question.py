"""The question that was asked, and the ids and types that all stages share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NewType
from uuid import UUID

import numpy as np
from numpy.typing import NDArray

from apps.filings.periods import Period
from apps.intents.profile.means import DIRECT
from apps.tenants.ids import ScopeId, TenantId

ChunkId = NewType("ChunkId", UUID)
DocumentId = NewType("DocumentId", UUID)
FloatVector = NDArray[np.float32]
Clock = Callable[[], float]
"""Seconds from any fixed point; injected, so that a trace can be the same twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenFilters:
    """Conditions on documents that came with a question, beside its text. None means that there is no such condition.

    Each condition narrows the search and is never relaxed. A document that does not state the fact does not meet the
    condition, and no document meets an empty tuple. A year is met by documents of that year and of each of its
    quarters; a quarter is met only by documents of that quarter.
    """

    documents: tuple[DocumentId, ...] | None = None
    companies: tuple[str, ...] | None = None
    periods: tuple[Period, ...] | None = None
    kinds: tuple[str, ...] | None = None


NO_FILTERS: Final = GivenFilters()


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolved:
    """A question as it is asked in the end, after it was read with earlier ones (stages/follow_ups).

    used: the earlier questions that it was read with, by their place among those sent; empty where nothing was changed.
    notes: what the person should know, such as that it is unclear what it refers to.
    """

    text: str
    notes: tuple[str, ...] = ()
    used: tuple[int, ...] = ()

    @property
    def is_changed(self) -> bool:
        return bool(self.used)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadWith:
    """How a question was read with the earlier ones that came with it.

    typed: the question as it came in. asked_as: what is asked in the end; None where that is the same.
    sent: how many earlier questions came with it. notes: as those of Resolved.
    """

    typed: str
    asked_as: str | None
    sent: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The question, and the tenant and scopes for which it is asked. The open scope token grants the scopes.

    language: "en" or "de"; if empty, it is detected from the text.
    as_of: search the document versions that were current at that instant (aware); None for the versions that are
        current now.
    given: filters that came beside the text. The case of company names does not matter.
    research_mode: how far it is researched, which the policy's profile bounds; None where it is still to be chosen.
    read_with: how `text` was read with earlier questions; None where none came with it.
    """

    text: str
    tenant_id: TenantId
    scope_ids: tuple[ScopeId, ...]
    language: str = ""
    as_of: datetime | None = None
    given: GivenFilters = NO_FILTERS
    research_mode: str | None = DIRECT
    read_with: ReadWith | None = None
