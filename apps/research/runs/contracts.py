"""The values of a run: its plan, what its steps say, and its answer."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from apps.intents.contracts import IntentDecision
from apps.retrieval.contracts import Answer, AnswerOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenBounds:
    """The filters that came with the question. They hold for every step. None: there is no such condition."""

    documents: tuple[UUID, ...] | None = None
    companies: tuple[str, ...] | None = None
    periods: tuple[str, ...] | None = None
    kinds: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SubQuestion:
    """One cell of the plan: one part of the question, of one company and one period. Empty: the question names none.

    key: names the cell; it stays the same when the wording changes. attempt: which wording it is, from 0.
    """

    key: str
    text: str
    company: str = ""
    period: str = ""
    part: str = ""
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanyPlan:
    """A company that the question names, with its ticker, and its periods as resolved from what is held of it."""

    company: str
    ticker: str
    periods: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the run intends to do, shown before the first search.

    periods_said: the periods as the question says them. needed: kinds that it searches. withheld: kinds that the policy
    withholds for the intent; nothing is planned in them. steps: the plan in sentences.
    """

    topic: str
    question_type: str
    language: str
    companies: tuple[CompanyPlan, ...]
    periods_said: tuple[str, ...]
    parts: tuple[str, ...]
    needed: tuple[str, ...]
    withheld: tuple[str, ...]
    suggested_mode: str
    confidence: int
    phrases: tuple[str, ...]
    sub_questions: tuple[SubQuestion, ...]
    steps: tuple[str, ...]
    notices: tuple[str, ...] = ()
    wants_number: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RunContent:
    """What is sealed with the run."""

    question: str
    decision: IntentDecision
    given: GivenBounds
    plan: Plan


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchContent:
    """What is sealed with a step that asked a question. attempt: which wording of the cell it was, from 0."""

    key: str
    attempt: int
    text: str
    answer: Answer

    @property
    def is_answered(self) -> bool:
        return self.answer.outcome is AnswerOutcome.ANSWERED


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One of the four scores of a round, 0 to 100, with its reason."""

    name: str
    value: int
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreContent:
    """What is sealed with a step that scored a round. gaps: what is missing, in words. next: what is asked next."""

    round: int
    scores: tuple[Score, ...]
    confidence: int
    gaps: tuple[str, ...]
    next: tuple[SubQuestion, ...]
    decision: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A passage that the answer cites. mark: as in the text, such as 10K1. confidence, relevance: 0 to 100."""

    mark: str
    ref_id: str
    document_id: UUID
    chunk_id: UUID
    title: str
    version: int
    kind: str
    page: int
    section: str
    quote: str
    url: str
    char_start: int
    char_end: int
    confidence: int
    relevance: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sentence:
    """A statement with the marks of its sources. grounded: whether it stands in them; else the reader is told."""

    text: str
    marks: tuple[str, ...]
    grounded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    title: str
    sentences: tuple[Sentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    text: str
    marks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    label: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The answer of a run. gaps: what was asked for and not found, in words. stopped_by: see decision.py."""

    sections: tuple[Section, ...]
    table: Table | None
    sources: tuple[Source, ...]
    gaps: tuple[str, ...]
    notices: tuple[str, ...]
    disclaimers: tuple[str, ...]
    scores: tuple[Score, ...]
    confidence: int
    stopped_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a run may use at most, by its mode."""

    rounds: int
    confidence: int
    searches: int
    tokens: int
    seconds: int
