"""What is kept of a question that was answered: enough to show the answer again, without how it was found."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from apps.intents.contracts import IntentDecision, KindGrant
from apps.retrieval.contracts import Answer, ContextBlock
from apps.retrieval.kept.reading import from_json
from apps.retrieval.serialise import to_json
from apps.retrieval.trace import CandidateList, FusedRanking, Trace


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerContent:
    """A question and its answer. intent: its label then."""

    question: str
    answer: Answer
    intent: str
    policy_version: int
    policy_version_id: UUID
    recording_mode: str
    elapsed_ms: float

    def as_bytes(self) -> bytes:
        return json.dumps(to_json(self), ensure_ascii=False).encode()


def answer_content(
    text: str, answer: Answer, trace: Trace, decision: IntentDecision, grant: KindGrant
) -> AnswerContent:
    return AnswerContent(
        question=text,
        answer=answer,
        intent=decision.label,
        policy_version=grant.policy_version,
        policy_version_id=grant.policy_version_id,
        recording_mode=grant.recording_mode.value,
        elapsed_ms=trace.elapsed_ms,
    )


def content_from_bytes(raw: bytes) -> AnswerContent:
    """Raises: TypeError, ValueError, KeyError: it is no such content."""
    return from_json(AnswerContent, json.loads(raw))


def documents_of(answer: Answer, trace: Trace) -> Collection[UUID]:
    """Return the documents that the answer was written from: those in the context, and those that it cites."""
    context = trace.output(ContextBlock)
    passages = context.passages if context else ()
    return {each.chunk.document.document_id for each in passages} | {each.document_id for each in answer.citations}


def documents_shown(answer: Answer, trace: Trace) -> Collection[UUID]:
    """Return every document that the way of the answer names: all that was found, too."""
    found = {hit.document_id for fused in trace.outputs(FusedRanking) for hit in fused.hits}
    lines = {line.document_id for listed in trace.outputs(CandidateList) for line in listed.candidates}
    return {*found, *lines, *documents_of(answer, trace)}
