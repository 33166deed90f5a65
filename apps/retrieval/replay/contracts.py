"""The recorded decision, the decision of the replay, and the differences between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from apps.intents.profile.means import DIRECT
from apps.retrieval.given_record import NONE_RECORDED, RecordedFilters
from apps.tenants.ids import ScopeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A fused hit. rank counts from 1; rankings are the names of those that found it."""

    chunk_id: UUID
    document_id: UUID
    kind: str
    ref_id: str
    content_sha256: str
    rank: int
    rankings: frozenset[str]
    in_context: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Decided:
    """One decision: the intent, what it could reach, what was found, and the context for the answer.

    intent: "" for unrecognised.
    hits, context_sha256, refusal: None if that part was removed from the record. context_sha256 is "" for a question
        without a context, and refusal is "" for one without a refusal.
    """

    intent: str
    kinds: tuple[str, ...]
    hits: tuple[Hit, ...] | None
    context_sha256: str | None
    refusal: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """The parts of a recorded question that a replay needs.

    text: None if only the digest was kept. filters: the filters that came with the question.
    embedding_model: "" if no model embedded the question. terms_version: the analysis that made its terms.
    stage_settings: by name; None if an earlier release recorded none. research_mode: in which it was asked.
    """

    event_id: UUID
    at: datetime
    scope_ids: tuple[ScopeId, ...]
    policy_version_id: UUID
    policy_version: int
    text: str | None
    digest: str
    key_epoch: str
    embedding_model: str
    terms_version: int
    stage_settings: Mapping[str, Any] | None
    degraded: tuple[str, ...]
    decided: Decided
    filters: RecordedFilters = NONE_RECORDED
    research_mode: str = DIRECT


class HitState(StrEnum):
    SAME = "same"
    MOVED = "moved"
    GONE = "gone"
    NEW = "new"


@dataclass(frozen=True, slots=True, kw_only=True)
class HitShift:
    """A passage in the record (then) and in the replay (now); None where it was not found.

    changed: the passage with this id has another text now.
    why: why a passage is gone, as far as it is known; else empty.
    """

    state: HitState
    then: Hit | None
    now: Hit | None
    changed: bool = False
    why: str = ""

    @property
    def hit(self) -> Hit:
        hit = self.now or self.then
        if hit is None:
            raise AssertionError("a shift of nothing")
        return hit


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A replay compared with the record. shifts: None if the recorded passages were removed.

    limits: what could not be restored as it was then, one sentence each. If there are none, a difference is a finding.
    """

    recorded: Recorded
    now: Decided
    shifts: tuple[HitShift, ...] | None
    limits: tuple[str, ...]

    @property
    def intent_equal(self) -> bool:
        return self.recorded.decided.intent == self.now.intent

    @property
    def kinds_equal(self) -> bool:
        return self.recorded.decided.kinds == self.now.kinds

    @property
    def context_equal(self) -> bool | None:
        then = self.recorded.decided.context_sha256
        return None if then is None else then == self.now.context_sha256

    @property
    def hits_equal(self) -> bool | None:
        return None if self.shifts is None else self.count(HitState.SAME) == len(self.shifts)

    @property
    def equal(self) -> bool:
        """Return whether everything that can be compared is equal."""
        return self.intent_equal and self.kinds_equal and False not in (self.context_equal, self.hits_equal)

    def count(self, state: HitState) -> int:
        return sum(each.state is state for each in self.shifts or ())

    @property
    def changed(self) -> int:
        return sum(each.changed for each in self.shifts or ())
