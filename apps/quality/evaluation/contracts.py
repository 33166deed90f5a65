"""What is asked, expected, seen and judged, as frozen values between the harness's modules, and who watches a run.

A document is named by a key: its series, so that every version of it counts as the same document; or, for one that is
not in the corpus, a name that no ranking holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from apps.tenants.ids import ScopeId

PageKey = tuple[str, int]
"""A document's key and a page of it, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What should be found. pages is empty where the document alone is known; documents, where nothing answers it."""

    documents: frozenset[str] = frozenset()
    pages: frozenset[PageKey] = frozenset()

    @property
    def answerable(self) -> bool:
        return bool(self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationQuestion:
    """A question to ask, within its scopes. answer: the right one, or empty; type: for the tables, or empty."""

    key: str
    text: str
    answer: str
    type: str
    expected: Expected
    scope_id: ScopeId
    scope_ids: tuple[ScopeId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """A chunk in its order: the document, and the pages from first to last that it covers."""

    document: str
    page_start: int
    page_end: int
    document_id: UUID

    def covers(self, page: PageKey) -> bool:
        return self.document == page[0] and self.page_start <= page[1] <= self.page_end


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Numbers, quotes and references of an answer: how many there are, and how many its citations support."""

    supported: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """What one question led to.

    ranking: all candidates in their last order before the tail is cut off; stages: the ranking after each stage that
        made one, in the order of the pipeline; context: the passages that the answer was to be written from; cited: the
        pages of its citations. refusal and grounding: codes, empty where there is none. stage_ms: milliseconds by
        stage, all wordings together, and "total".
    """

    ranking: tuple[RankedChunk, ...]
    stages: Mapping[str, tuple[RankedChunk, ...]]
    context: tuple[RankedChunk, ...]
    cited: tuple[PageKey, ...]
    answer: str
    refusal: str
    grounding: str
    claims: Claims
    degraded: bool
    stage_ms: Mapping[str, float]

    @property
    def answered(self) -> bool:
        return not self.refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One question's figures by name (metrics.py), None where a figure does not apply to it.

    ranks: for every expected page, in order, the rank of the first chunk on it, from 1. passed: None for a question
    whose answer is not in the corpus. why: what keeps it from passing, in words; empty where it passed.
    """

    scores: Mapping[str, float | None]
    ranks: Mapping[PageKey, int | None]
    first_rank: int | None
    passed: bool | None
    why: str


class Watcher(Protocol):
    """Who is told how far an evaluation is: the command draws it on a terminal, a test counts along."""

    def begin(self, what: str, total: float) -> None:
        """A new part of the work, which has so much to do."""

    def progress(self, done: float, detail: str = "") -> None:
        """How much of the part is done."""

    def say(self, line: str) -> None:
        """Something that the person should read, such as a file that failed."""
