"""What a question reaches under one policy, what changes under another, and the result as it is stored.

Ids, counts and figures alone: no text of a question and no title of a document (see PolicyImpact).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that stood in the context of an answer, or would stand there."""

    chunk_id: UUID
    document_id: UUID
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate in its order: the pages, from 1, that it covers."""

    document_id: UUID
    page_start: int
    page_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one question reaches under one policy. kinds are in the order of the enumeration.

    hits: the passages of the context; ranked: all candidates that were kept, best first; both empty where the question
    is refused before an answer is written.
    """

    intent: str
    kinds: tuple[str, ...]
    hits: tuple[Hit, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    context_bytes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What changes for one question from the policy in force to the version.

    appearing is empty, and not known, where only the intent of the question is recorded.
    """

    intent_before: str
    intent_after: str
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    appearing: tuple[Hit, ...] = ()
    vanishing: tuple[Hit, ...] = ()

    @property
    def changes(self) -> bool:
        return self.intent_before != self.intent_after or any((self.gained, self.lost, self.appearing, self.vanishing))


class Basis(StrEnum):
    """By what a recorded question was judged."""

    TEXT = "text"
    INTENT = "intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedShift:
    event_id: UUID
    basis: Basis
    shift: Shift


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentLine:
    """Recorded questions of one intent (as it is under the policy in force) taken together."""

    intent: str
    questions: int
    gaining: int
    losing: int
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    appearing_hits: int
    vanishing_hits: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedImpact:
    """total = by_text + by_intent + not_judged: neither text nor intent is kept, or the text can't be read any more.

    without_hits: judged by intent, their passages removed since.
    """

    total: int
    by_text: int
    by_intent: int
    not_judged: int
    without_hits: int
    gaining: int
    losing: int
    appearing_hits: int
    vanishing_hits: int
    intents: tuple[IntentLine, ...]
    changed: tuple[RecordedShift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well the expected document was found. None where nothing can be expected (no pages, no document)."""

    page_recall_at_5: float | None
    document_hit_at_5: bool | None
    context_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationShift:
    query_id: UUID
    shift: Shift
    before: Score
    after: Score


@dataclass(frozen=True, slots=True, kw_only=True)
class Averages:
    """Means over the evaluation questions that have such a figure; None where none has."""

    page_recall_at_5: float | None
    document_hit_at_5: float | None
    context_bytes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationImpact:
    """with_pages and with_document count the questions behind the two figures of `before` and `after`."""

    total: int
    with_pages: int
    with_document: int
    gaining: int
    losing: int
    before: Averages
    after: Averages
    questions: tuple[EvaluationShift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenShift:
    """example_id: the version's own example, or that of the policy in force where the version has dropped it."""

    example_id: UUID
    shift: Shift


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenImpact:
    total: int
    moving: int
    gaining: int
    losing: int
    changed: tuple[GoldenShift, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactResult:
    recorded: RecordedImpact
    evaluation: EvaluationImpact
    golden: GoldenImpact
