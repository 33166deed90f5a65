"""What intents hand to the other floors: the policy as an immutable value, the decision, and the grant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from apps.corpus.kinds import Kind
from apps.intents.retrieval_settings import RetrievalSettings

UNRECOGNISED = ""
"""The intent name of a question that no intent recognises."""


class RecordingMode(StrEnum):
    """How the text of a question is kept in the audit record."""

    HASH_ONLY = "hash_only"
    ENCRYPTED_TEXT = "encrypted_text"

    @classmethod
    def strictest_for(cls, value: str) -> RecordingMode:
        """The mode of that name; an unknown one counts as the strictest, so that a typing slip records less."""
        return cls.ENCRYPTED_TEXT if value == cls.ENCRYPTED_TEXT else cls.HASH_ONLY


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTerm:
    """A word or phrase that speaks for an intent. `#` stands for one digit. Decisive terms weigh more."""

    text: str
    decisive: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenQuestion:
    """An example question with the intent it must get; `intent` is UNRECOGNISED for a counter-example."""

    id: UUID
    text: str
    intent: str


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentRule:
    """One intent of a policy version."""

    name: str
    label: str
    description: str
    kinds: tuple[Kind, ...]
    recording_mode: RecordingMode
    terms: tuple[OwnTerm, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class FallbackRule:
    """What an unrecognised question reaches."""

    label: str
    description: str
    kinds: tuple[Kind, ...]
    recording_mode: RecordingMode


@dataclass(frozen=True, slots=True, kw_only=True)
class KindBudget:
    """How many characters of a kind may stand in the context; position 1 has the highest priority."""

    kind: Kind
    label: str
    cap_chars: int
    position: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassifierSettings:
    """The classifier's thresholds. Scores and similarities lie between -1 and about 1.5."""

    neighbours: int
    term_weight: float
    decisive_points: float
    points_for_full_weight: float
    minimum_score: float
    minimum_margin: float
    minimum_term_points: float
    minimum_term_margin: float
    minimum_golden_accuracy: float


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicySnapshot:
    """One policy version as a value: what the pipeline works with, never the rows themselves."""

    version_id: UUID
    number: int
    status: str
    origin: str
    author_label: str
    approver_label: str
    reason: str
    valid_from: datetime | None
    valid_to: datetime | None
    intents: tuple[IntentRule, ...]
    fallback: FallbackRule
    examples: tuple[GoldenQuestion, ...]
    budgets: tuple[KindBudget, ...]
    total_cap_chars: int
    classifier: ClassifierSettings
    retrieval: RetrievalSettings

    def intent(self, name: str) -> IntentRule | None:
        return next((rule for rule in self.intents if rule.name == name), None)

    def label_of(self, name: str) -> str:
        rule = self.intent(name)
        return rule.label if rule else self.fallback.label


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestExample:
    """A golden example near the question."""

    text: str
    intent: str
    cosine_similarity: float


@dataclass(frozen=True, slots=True, kw_only=True)
class IntentDecision:
    """Which intent a question has, and why. `intent` is UNRECOGNISED where `recognised` is false."""

    intent: str
    label: str
    recognised: bool
    score: float
    margin: float
    reason: str
    nearest: tuple[NearestExample, ...]
    matched_terms: tuple[str, ...]
    set_aside: tuple[str, ...]
    degraded: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class KindGrant:
    """What a question may reach. `permitted` and `budgets` are in budget order, highest priority first."""

    intent: str
    permitted: tuple[Kind, ...]
    withheld: tuple[Kind, ...]
    policy_version: int
    policy_version_id: UUID
    budgets: tuple[KindBudget, ...]
    total_cap_chars: int
    recording_mode: RecordingMode
