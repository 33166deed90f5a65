"""The types that intents pass to the other apps: the policy as an immutable value, the decision, and the grant."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from uuid import UUID

from apps.corpus.kinds import Kind, RetentionClass, Right, SourceType
from apps.intents.invariants import Invariant
from apps.intents.profile.contracts import ProfileRule
from apps.intents.retrieval_settings import RetrievalSettings
from apps.intents.reviewers import TwoFor
from apps.tenants.roles import Role

UNRECOGNISED = ""
"""The intent name of a question that no intent recognises."""

FALLBACK_NAME = "unrecognised"
"""The name of the fallback's row and of its place in addresses; no intent may have it."""


class RecordingMode(StrEnum):
    """How the text of a question is kept in the audit record."""

    HASH_ONLY = "hash_only"
    ENCRYPTED_TEXT = "encrypted_text"

    @classmethod
    def strictest_for(cls, value: str) -> RecordingMode:
        """Return the mode with that name, or the strictest for an unknown name, so that a typing error records less."""
        return cls.ENCRYPTED_TEXT if value == cls.ENCRYPTED_TEXT else cls.HASH_ONLY


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTerm:
    """A word or phrase whose occurrence supports an intent. `#` stands for one digit. Decisive terms weigh more."""

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
    """The rule for unrecognised questions."""

    label: str
    description: str
    kinds: tuple[Kind, ...]
    recording_mode: RecordingMode


@dataclass(frozen=True, slots=True, kw_only=True)
class KindBudget:
    """A kind of document of the version, with its context budget in characters; position 1 has the highest priority.

    label: the heading of its passages in the context. examples: of such documents, in words. uploaders, correctors,
    removers: the roles that may upload it, correct it, and propose its removal; empty for all whose role may do that at
    all, and no correctors for those who upload it. retired: whether nothing more is uploaded as such.
    """

    kind: Kind
    label: str
    cap_chars: int
    position: int
    name: str = ""
    description: str = ""
    examples: tuple[str, ...] = ()
    retention_class: RetentionClass = RetentionClass.RECORD
    source_category: SourceType = SourceType.INTERNAL
    uploaders: tuple[Role, ...] = ()
    retired: bool = False
    correctors: tuple[Role, ...] = ()
    removers: tuple[Role, ...] = ()

    def named_for(self, right: Right) -> tuple[Role, ...]:
        """Return the roles that are named for the right itself."""
        return {Right.UPLOAD: self.uploaders, Right.CORRECT: self.correctors, Right.REMOVE: self.removers}[right]

    def holders_of(self, right: Right) -> frozenset[Role]:
        """Return the roles that have the right, by name or by default."""
        if right is Right.CORRECT and not self.correctors:
            return self.holders_of(Right.UPLOAD)
        return frozenset(self.named_for(right) or right.roles)


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
    """One policy version as a value. The pipeline works with snapshots, never with the rows themselves."""

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
    invariants: tuple[Invariant, ...] = ()
    profile: tuple[ProfileRule, ...] = ()
    two_reviewers_for: tuple[TwoFor, ...] = ()

    def intent(self, name: str) -> IntentRule | None:
        return next((rule for rule in self.intents if rule.name == name), None)

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Return the kinds of the version by priority, the retired ones too."""
        return tuple(budget.kind for budget in sorted(self.budgets, key=lambda budget: budget.position))

    @property
    def reaches(self) -> tuple[IntentRule | FallbackRule, ...]:
        """Return the intents, then the fallback: everything that reaches kinds."""
        return (*self.intents, self.fallback)

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
    """The intent of a question, and the reason for it. `intent` is UNRECOGNISED if `recognised` is false."""

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
    """The kinds that a question may reach. `permitted` and `budgets` are in budget order, highest priority first."""

    intent: str
    permitted: tuple[Kind, ...]
    withheld: tuple[Kind, ...]
    policy_version: int
    policy_version_id: UUID
    budgets: tuple[KindBudget, ...]
    total_cap_chars: int
    recording_mode: RecordingMode
