"""The frozen values that the harness's modules exchange, such as questions and judgements, and the Watcher.

A document is named by a key. The key is its series, so that every version counts as the same document; for a document
that is not in the corpus, it is a name that no ranking holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol
from uuid import UUID

from apps.quality.evaluation.accepting import Accepts
from apps.retrieval.contracts import AnswerOutcome
from apps.tenants.ids import ScopeId

PageKey = tuple[str, int]
"""A document's key and a page of it, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What should be found.

    pages: empty if only the document is known. documents: empty if nothing in the corpus answers the question.
    """

    documents: frozenset[str] = frozenset()
    pages: frozenset[PageKey] = frozenset()

    @property
    def answerable(self) -> bool:
        return bool(self.documents)


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationQuestion:
    """A question to ask, within its scopes.

    answer: the right answer, or empty. type, language: for the tables, or empty.
    accepts: what a right answer must say (accepting.py); empty if that is not known.
    polarity: `yes` or `no`, the right answer to a question that asks for one of them; empty for any other.
    """

    key: str
    text: str
    answer: str
    type: str
    expected: Expected
    scope_id: ScopeId
    scope_ids: tuple[ScopeId, ...]
    accepts: Accepts = ()
    polarity: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedChunk:
    """A chunk of a ranking: its document, and the pages from first to last that it covers."""

    document: str
    page_start: int
    page_end: int
    document_id: UUID

    def covers(self, page: PageKey) -> bool:
        return self.document == page[0] and self.page_start <= page[1] <= self.page_end


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPassage:
    """A citation of an answer.

    beside: the column headings of a quoted row, and what its table says of unit and scale.
    """

    page: PageKey
    quote: str
    beside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """The outcome of one question.

    ranking: all candidates in their last order before the tail is cut off.
    stages: the ranking after each stage that made one, in the order of the pipeline.
    context: the passages from which the answer was to be written.
    citations: those of the answer, or the closest passages, in their order.
    refusal, grounding: codes, empty if there is none.
    model_failed: whether the model did not answer, so that passages were quoted instead.
    stage_ms: milliseconds by stage, all wordings together, and "total".
    """

    ranking: tuple[RankedChunk, ...]
    stages: Mapping[str, tuple[RankedChunk, ...]]
    context: tuple[RankedChunk, ...]
    citations: tuple[CitedPassage, ...]
    outcome: AnswerOutcome
    answer: str
    refusal: str
    grounding: str
    model_failed: bool
    stage_ms: Mapping[str, float]

    @property
    def answered(self) -> bool:
        return self.outcome is AnswerOutcome.ANSWERED


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One question's figures by name (metrics.py), None for a figure that does not apply to it.

    ranks: for every expected page, in order, the rank of the first chunk on it, from 1.
    passed: whether it was answered rightly; None for a question whose answer is not in the corpus.
    why: what is wrong, in words; empty if nothing is.
    """

    scores: Mapping[str, float | None]
    ranks: Mapping[PageKey, int | None]
    first_rank: int | None
    passed: bool | None
    why: str


class Watcher(Protocol):
    """Receives the progress of an evaluation: the command draws it on a terminal, a test counts it."""

    def begin(self, what: str, total: float) -> None:
        """Begin a new part of the work, with the given total."""

    def progress(self, done: float, detail: str = "") -> None:
        """Report how much of the part is done."""

    def say(self, line: str) -> None:
        """Report something that the person should read, such as a file that failed."""
