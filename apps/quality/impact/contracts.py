"""What a question reaches under one policy, what changes under another policy, and the result as it is stored.

Only ids, counts and figures: no text of a question and no title of a document (see PolicyImpact).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that is, or would be, in the context of an answer."""

    chunk_id: UUID
    document_id: UUID
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranked:
    """A candidate of a ranking, with the pages, from 1, that it covers."""

    document_id: UUID
    page_start: int
    page_end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What one question reaches under one policy. kinds are in the order of the enumeration.

    hits: the passages of the context. ranked: all candidates that were kept, best first. Both are empty if the question
        is refused before an answer is written. refused: the keys of the profile's rules that refuse it.
    """

    intent: str
    kinds: tuple[str, ...]
    hits: tuple[Hit, ...] = ()
    ranked: tuple[Ranked, ...] = ()
    context_bytes: int = 0
    refused: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """What changes for one question from the policy in force to the version.

    If only the intent of the question is recorded, appearing is unknown, and empty, as is what refuses it.
    refused_before, refused_after: the keys of the profile's rules that refuse it.
    """

    intent_before: str
    intent_after: str
    gained: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    appearing: tuple[Hit, ...] = ()
    vanishing: tuple[Hit, ...] = ()
    refused_before: tuple[str, ...] = ()
    refused_after: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        return (self.intent_before, bool(self.refused_before)) != (self.intent_after, bool(self.refused_after)) or any(
            (self.gained, self.lost, self.appearing, self.vanishing)
        )

    @property
    def is_stopped(self) -> bool:
        """Whether the version's profile refuses it, and the one in force does not."""
        return bool(self.refused_after) and not self.refused_before

    @property
    def is_freed(self) -> bool:
        return bool(self.refused_before) and not self.refused_after


class Basis(StrEnum):
    """The basis on which a recorded question was judged."""

    TEXT = "text"
    INTENT = "intent"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedShift:
    event_id: UUID
    basis: Basis
    shift: Shift


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentLine:
    """Totals of the recorded questions of one intent (their intent under the policy in force)."""

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
    """Totals of the recorded questions. total = by_text + by_intent + not_judged.

    not_judged: neither text nor intent is kept, or the text can no longer be read as a question.
    without_hits: judged by intent, with their passages removed since.
    stopped, freed: newly refused by the profile, and refused no longer.
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
    stopped: int = 0
    freed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """How well the expected document was found. None if nothing can be expected (no pages, no document)."""

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
    """Means over the evaluation questions that have such a figure; None if none has."""

    page_recall_at_5: float | None
    document_hit_at_5: float | None
    context_bytes: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationImpact:
    """Totals of the evaluation questions.

    with_pages, with_document: how many questions stand behind the two figures of `before` and `after`.
    """

    total: int
    with_pages: int
    with_document: int
    gaining: int
    losing: int
    before: Averages
    after: Averages
    questions: tuple[EvaluationShift, ...]
    stopped: int = 0
    freed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenShift:
    """The change for one review example.

    example_id: the version's own example, or that of the policy in force if the version has dropped it.
    """

    example_id: UUID
    shift: Shift


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenImpact:
    total: int
    moving: int
    gaining: int
    losing: int
    changed: tuple[GoldenShift, ...]
    stopped: int = 0
    freed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImpactResult:
    recorded: RecordedImpact
    evaluation: EvaluationImpact
    golden: GoldenImpact
