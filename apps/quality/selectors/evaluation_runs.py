"""Select evaluation runs as the reader may see them: figures are the tenant's, each question belongs to its scope."""

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
    """An answer of a run.

    told: whether the reader may see all documents that the answer names. If not, its quotations are left out.
    """

    answer: EvaluationAnswer
    told: bool


def evaluation_runs(*, dataset: str = "") -> list[EvaluationRun]:
    """Return the newest runs, newest first. Costs one query."""
    runs = EvaluationRun.objects.order_by("-started_at", "-id")
    return list((runs.filter(dataset=dataset) if dataset else runs)[:SHOWN])


def evaluation_datasets() -> list[str]:
    """Return the names of the datasets that were evaluated, the most recent first. Costs one query."""
    names = EvaluationRun.objects.order_by("-started_at", "-id").values_list("dataset", flat=True)
    return list(dict.fromkeys(names))


def evaluation_run(run_id: UUID) -> EvaluationRun | None:
    found: EvaluationRun | None = EvaluationRun.objects.filter(id=run_id).first()
    return found


def finished(run_id: UUID) -> EvaluationRun | None:
    found: EvaluationRun | None = EvaluationRun.objects.filter(id=run_id, state=RunState.DONE).first()
    return found


def answer_lines(run: EvaluationRun) -> list[AnswerLine]:
    """Return a run's questions within the scopes that the reader holds, in their order. Costs two queries."""
    answers: Sequence[EvaluationAnswer] = list(EvaluationAnswer.objects.filter(run=run).order_by("position", "id"))
    named = {document_id for answer in answers for document_id in answer.document_ids}
    # For a reader who may not see it, a restricted document counts as missing, like one that was removed.
    there = set(Document.objects.filter(id__in=named).values_list("id", flat=True))
    return [AnswerLine(answer=answer, told=there.issuperset(answer.document_ids)) for answer in answers]
