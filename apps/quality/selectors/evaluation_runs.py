"""Evaluation runs as one may see them: the figures are the tenant's, each question is of its scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from apps.corpus.models import Document
from apps.quality.models import EvaluationAnswer, EvaluationRun, RunState

SHOWN: Final = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerLine:
    """told: whether all documents that it names are there for the reader; what it quotes of them is left out if not."""

    answer: EvaluationAnswer
    told: bool


def evaluation_runs(*, dataset: str = "") -> list[EvaluationRun]:
    """The newest ones, newest first. One query."""
    runs = EvaluationRun.objects.order_by("-started_at", "-id")
    return list((runs.filter(dataset=dataset) if dataset else runs)[:SHOWN])


def evaluation_datasets() -> list[str]:
    """Names of what was evaluated, the last one first. One query."""
    names = EvaluationRun.objects.order_by("-started_at", "-id").values_list("dataset", flat=True)
    return list(dict.fromkeys(names))


def evaluation_run(run_id: UUID) -> EvaluationRun | None:
    found: EvaluationRun | None = EvaluationRun.objects.filter(id=run_id).first()
    return found


def finished(run_id: UUID) -> EvaluationRun | None:
    found: EvaluationRun | None = EvaluationRun.objects.filter(id=run_id, state=RunState.DONE).first()
    return found


def answer_lines(run: EvaluationRun) -> list[AnswerLine]:
    """A run's questions within the scopes that the reader holds, in their order. Two queries."""
    answers: Sequence[EvaluationAnswer] = list(EvaluationAnswer.objects.filter(run=run).order_by("position", "id"))
    named = {document_id for answer in answers for document_id in answer.document_ids}
    # One that is restricted is not there for who may not see it, as little as one that was removed.
    there = set(Document.objects.filter(id__in=named).values_list("id", flat=True))
    return [AnswerLine(answer=answer, told=there.issuperset(answer.document_ids)) for answer in answers]
