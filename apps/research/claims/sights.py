"""What each sentence of a text may be held against: its own intent, classified and gated as a question is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from uuid import UUID

from apps.intents.contracts import FALLBACK_NAME, IntentDecision, KindGrant, RecordingMode
from apps.research.claims.plain_text import PlainSentence
from apps.retrieval.contracts import DocumentFilter, Question, Refusal, SearchBounds
from apps.retrieval.dependencies import PipelineDependencies
from apps.retrieval.recorder import TraceRecorder
from apps.retrieval.services.pinned import Pinned
from apps.retrieval.steps.bounds import within_jurisdictions
from apps.retrieval.steps.profile import check_question
from apps.tenants.short_scopes import ShortScopes

_FEWEST_WORDS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """What one sentence may be held against."""

    decision: IntentDecision
    grant: KindGrant
    refusal: Refusal | None
    bounds: SearchBounds

    @property
    def pinned(self) -> Pinned:
        """Under which its claims in words are searched for: the same intent and kinds, and no text in the log."""
        return Pinned(
            decision=self.decision,
            kinds=frozenset(self.grant.permitted),
            recording_mode=RecordingMode.HASH_ONLY,
        )


class SightReader:
    """Reads sights, and classifies equal sentences once while one policy is in force."""

    def __init__(self, scopes: ShortScopes, as_of: datetime | None) -> None:
        self._scopes, self._as_of = scopes, as_of
        self._decisions: dict[tuple[UUID, str], IntentDecision] = {}

    def read(
        self, sentences: Sequence[PlainSentence], version_id: UUID, deps: PipelineDependencies
    ) -> dict[int, Sight]:
        """Return what each sentence that may claim something may be held against, by where it begins.

        Args: version_id: of the policy in force.
        """
        sights: dict[int, Sight] = {}
        before = ""
        for sentence in sentences:
            if _may_claim(sentence):
                sight = sights[sentence.start] = self._sight(sentence, before, version_id, deps)
                before = sentence.text if sight.grant.intent else before
        return sights

    def _sight(self, sentence: PlainSentence, before: str, version_id: UUID, deps: PipelineDependencies) -> Sight:
        """Args: before: the last sentence whose intent was recognised. What says too little alone is read with it."""
        question = Question(
            text=sentence.text,
            tenant_id=self._scopes.tenant_id,
            scope_ids=tuple(sorted(self._scopes.scope_ids)),
            as_of=self._as_of,
        )
        decision = self._classify(sentence.text, version_id, deps)
        if before and not decision.recognised:
            decision = self._classify(f"{before} {sentence.text}", version_id, deps)
        grant = deps.intents.grant(decision)
        refusal = check_question(TraceRecorder(deps.clock), question, sentence.text, grant, deps)
        bounds = SearchBounds(
            tenant_id=question.tenant_id,
            scope_ids=question.scope_ids,
            kinds=grant.permitted,
            as_of=self._as_of,
            filter=within_jurisdictions(DocumentFilter(), deps.profile, grant.intent or FALLBACK_NAME),
        )
        return Sight(decision=decision, grant=grant, refusal=refusal, bounds=bounds)

    def _classify(self, text: str, version_id: UUID, deps: PipelineDependencies) -> IntentDecision:
        key = (version_id, text)
        if key not in self._decisions:
            self._decisions[key] = deps.intents.classify(text)
        return self._decisions[key]


def _may_claim(sentence: PlainSentence) -> bool:
    return any(map(str.isdigit, sentence.text)) or len(sentence.text.split()) >= _FEWEST_WORDS
