"""Start an evaluation run, keep each answer as it comes, and end the run. Its start and its end are events.

Single answers are not events: no person asks the questions, and the documents were put there to be asked about.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.services import record
from apps.corpus.models import Document
from apps.intents.contracts import PolicySnapshot
from apps.intents.rendering import policy_sha256
from apps.quality.evaluation.contracts import EvaluationQuestion, RankedChunk
from apps.quality.evaluation.figures import Judged, Metrics
from apps.quality.events import EVALUATION_RUN_FINISHED, EVALUATION_RUN_STARTED
from apps.quality.models import EvaluationAnswer, EvaluationRun, RunState
from apps.tenants.context import current_scope
from apps.tenants.roles import Permission

FOUND_KEPT: Final = 5
# A run that has not reported for this long is taken to have been killed.
LOST_AFTER: Final = timedelta(minutes=15)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """The facts of a run that are known when it begins; see EvaluationRun."""

    dataset: str
    settings: Mapping[str, Any]
    changes: Mapping[str, Any]
    models_used: Mapping[str, Any]
    policy: PolicySnapshot
    corpus_sha256: str
    documents: int
    chunks: int
    failed_documents: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFigures:
    """The figures of a run: see figures.py."""

    metrics: Metrics
    latency_ms: Mapping[str, Mapping[str, float]]
    by_stage: Mapping[str, Metrics]
    by_type: Mapping[str, Metrics]
    ablations: Mapping[str, Metrics]


def run_start(
    facts: RunFacts, questions: Sequence[EvaluationQuestion], names: Mapping[str, str] | None = None
) -> EvaluationRun:
    """Begin a run in the open scope. Mark earlier runs that were killed as stopped.

    Args:   names: of documents, by key. They are part of the questions' fingerprint, because a document that is read
                again gets another key while the question stays the same.
    Raises: PermissionDeniedError.
    """
    context = current_scope()
    context.principal.require(Permission.POLICY_EDIT)
    now = timezone.now()
    with transaction.atomic():
        for lost in EvaluationRun.objects.filter(state=RunState.RUNNING, seen_at__lt=now - LOST_AFTER):
            _end(lost, RunState.STOPPED, code="lost")
        run: EvaluationRun = EvaluationRun.objects.create(
            tenant_id=context.tenant_id,
            dataset=facts.dataset[:200],
            started_at=now,
            seen_at=now,
            settings=facts.settings,
            changes=facts.changes,
            models_used=facts.models_used,
            policy_number=facts.policy.number,
            policy_sha256=policy_sha256(facts.policy),
            corpus_sha256=facts.corpus_sha256,
            questions_sha256=_digest([_asked(each, names or {}) for each in questions]),
            documents=facts.documents,
            chunks=facts.chunks,
            failed_documents=facts.failed_documents,
            questions=len(questions),
        )
        _record(run, EVALUATION_RUN_STARTED, Outcome.SUCCESS)
    return run


def answer_keep(run: EvaluationRun, position: int, judged: Judged, names: Mapping[str, str]) -> EvaluationAnswer:
    """Keep the outcome of one question, in its scope.

    Args: names: of documents, by key; a document without a name is named by its key.
    """
    question, seen, judgement = judged.question, judged.seen, judged.judgement
    top = seen.ranking[:FOUND_KEPT]
    answer: EvaluationAnswer = EvaluationAnswer.objects.create(
        tenant_id=run.tenant_id,
        scope_id=question.scope_id,
        run=run,
        position=position,
        key=question.key,
        text=question.text,
        type=question.type[:200],
        expected_answer=question.answer,
        expected=[
            {"document": names.get(document, document), "page": page, "rank": judgement.ranks[document, page]}
            for document, page in sorted(question.expected.pages)
        ],
        found=[_place(chunk, names) for chunk in top],
        document_ids=sorted({*_versions_of(question), *(chunk.document_id for chunk in (*top, *seen.context))}),
        answer=seen.answer,
        refusal=seen.refusal[:50],
        grounding=seen.grounding,
        passed=judgement.passed,
        why=judgement.why,
        first_rank=judgement.first_rank,
        scores=dict(judgement.scores),
        elapsed_ms=seen.stage_ms.get("total", 0.0),
    )
    EvaluationRun.objects.filter(id=run.id).update(seen_at=timezone.now())
    return answer


def run_finish(run: EvaluationRun, figures: RunFigures) -> EvaluationRun:
    """Keep a run's figures, and record the event."""
    with transaction.atomic():
        run.metrics = figures.metrics
        run.latency_ms = figures.latency_ms
        run.by_stage = figures.by_stage
        run.by_type = figures.by_type
        run.ablations = figures.ablations
        _end(run, RunState.DONE)
    return run


def run_stop(run: EvaluationRun, *, code: str) -> EvaluationRun:
    """End a run that did not finish; its answers stay.

    Args: code: the reason, such as an error's code.
    """
    with transaction.atomic():
        return _end(run, RunState.STOPPED, code=code)


def run_seen(run_id: UUID) -> None:
    """Record that a run is still running."""
    EvaluationRun.objects.filter(id=run_id).update(seen_at=timezone.now())


def _end(run: EvaluationRun, state: RunState, *, code: str = "") -> EvaluationRun:
    run.state = state
    run.finished_at = timezone.now()
    run.save()
    _record(run, EVALUATION_RUN_FINISHED, Outcome.SUCCESS if state == RunState.DONE else Outcome.FAILED, code=code)
    return run


def _record(run: EvaluationRun, action: str, outcome: Outcome, *, code: str = "") -> None:
    ended = {} if action == EVALUATION_RUN_STARTED else {"code": code, "metrics_sha256": _digest(run.metrics)}
    record(
        action=action,
        outcome=outcome,
        core={
            "corpus_sha256": run.corpus_sha256,
            "questions_sha256": run.questions_sha256,
            "policy_version": run.policy_number,
            "documents": run.documents,
            "questions": run.questions,
            "changed_settings": sorted(run.changes),
            **ended,
        },
        subject_type="evaluation_run",
        subject_id=run.id,
    )


def _asked(question: EvaluationQuestion, names: Mapping[str, str]) -> list[Any]:
    expected = question.expected
    # Added where it is known alone, so that other questions count as the same as in earlier runs.
    accepted = [question.accepts, question.polarity] if question.accepts or question.polarity else []
    return [
        question.key,
        question.text,
        question.answer,
        sorted(names.get(document, document) for document in expected.documents),
        sorted([names.get(document, document), page] for document, page in expected.pages),
        *accepted,
    ]


def _versions_of(question: EvaluationQuestion) -> list[UUID]:
    """Return the expected documents. Their names stand in the row, which must be removed when they are."""
    series = [key for key in question.expected.documents if _is_id(key)]
    return list(Document.objects.filter(series_id__in=series).values_list("id", flat=True))


def _is_id(key: str) -> bool:
    try:
        UUID(key)
    except ValueError:
        return False
    return True


def _place(chunk: RankedChunk, names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "document": names.get(chunk.document, chunk.document),
        "document_id": str(chunk.document_id),
        "page": chunk.page_start,
        "page_end": chunk.page_end,
    }


def _digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
