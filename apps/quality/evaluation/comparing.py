"""Compare two runs: what became better and worse, as a whole and by question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from apps.quality.errors import EvaluationError
from apps.quality.evaluation.figures import METRICS, NO_LONGER_MEASURED, figure_of
from apps.quality.models import EvaluationAnswer, EvaluationRun, RunState
from apps.retrieval.contracts import AnswerOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """The change of one metric. before, after: None if the metric applies to no question of the run."""

    name: str
    before: float | None
    after: float | None

    @property
    def difference(self) -> float | None:
        return None if self.before is None or self.after is None else round(self.after - self.before, 4)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionChange:
    """A question that both runs asked and that had different results. Ranks are of the first expected page."""

    before: EvaluationAnswer
    after: EvaluationAnswer

    @property
    def rank_change(self) -> int:
        """Return by how many ranks the right page moved up. A page that is not found ranks below all others."""
        return _place(self.before) - _place(self.after)

    @property
    def better(self) -> bool | None:
        """Return whether it is better: by the answer, else by the right page's rank; None if neither changed."""
        before, after = _grade(self.before), _grade(self.after)
        if before != after:
            return after > before
        return self.rank_change > 0 if self.rank_change else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """The comparison of two runs.

    before: the run that `after` is compared with.
    same_corpus, same_questions: whether both runs searched and asked the same. If not, a difference is not due to the
        program alone.
    """

    before: EvaluationRun
    after: EvaluationRun
    metrics: tuple[MetricChange, ...]
    changed: tuple[QuestionChange, ...]
    settings: Mapping[str, tuple[Any, Any]]
    common: int

    @property
    def same_corpus(self) -> bool:
        return bool(self.before.corpus_sha256 == self.after.corpus_sha256)

    @property
    def same_questions(self) -> bool:
        return bool(self.before.questions_sha256 == self.after.questions_sha256)


def finished_run(run_id: UUID) -> EvaluationRun:
    """Return a finished run of the open tenant.

    Raises: EvaluationError: there is no such run in the open tenant, or it did not finish.
    """
    run: EvaluationRun | None = EvaluationRun.objects.filter(id=run_id, state=RunState.DONE).first()
    if run is None:
        raise EvaluationError("retrieval.evaluation_unknown_run", run=run_id)
    return run


def compare(before: EvaluationRun, after: EvaluationRun) -> Comparison:
    """Compare two runs within the open scope, over questions that the reader may see. Costs two queries."""
    earlier, later = (_answers(run) for run in (before, after))
    common = [key for key in later if key in earlier]
    changes = [QuestionChange(before=earlier[key], after=later[key]) for key in common]
    return Comparison(
        before=before,
        after=after,
        metrics=metric_changes(before.metrics, after.metrics),
        changed=tuple(sorted((each for each in changes if _changed(each)), key=_most_first)),
        settings=_settings_between(before, after),
        common=len(common),
    )


def metric_changes(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[MetricChange, ...]:
    """Return the changes of the metrics, in the order of figures.METRICS.

    A metric that is no longer measured is named if both runs have it.
    """
    former = [name for name in NO_LONGER_MEASURED if name in before and name in after]
    return tuple(
        MetricChange(name=name, before=figure_of(before, name), after=figure_of(after, name))
        for name in (*METRICS, *former)
    )


def _answers(run: EvaluationRun) -> dict[str, EvaluationAnswer]:
    answers: Sequence[EvaluationAnswer] = list(EvaluationAnswer.objects.filter(run=run).order_by("position", "id"))
    return {answer.key: answer for answer in answers}


def _changed(change: QuestionChange) -> bool:
    before, after = change.before, change.after
    return (_grade(before), before.first_rank, before.outcome) != (_grade(after), after.first_rank, after.outcome)


def _grade(answer: EvaluationAnswer) -> int:
    """Return how good an answer is: wrong, none, closest passages that hold it, right."""
    if answer.passed:
        return 3
    if answer.outcome is AnswerOutcome.ANSWERED:
        return 0
    return 2 if answer.scores.get("useful") else 1


def _most_first(change: QuestionChange) -> tuple[int, int, int]:
    """Return the sort key: what became worse first, then by how far."""
    order = {False: 0, True: 1, None: 2}[change.better]
    return order, -abs(change.rank_change), change.after.position


def _settings_between(before: EvaluationRun, after: EvaluationRun) -> dict[str, tuple[Any, Any]]:
    flat = [_settings_of(run) for run in (before, after)]
    names = sorted({*flat[0], *flat[1]})
    return {name: (flat[0].get(name), flat[1].get(name)) for name in names if flat[0].get(name) != flat[1].get(name)}


def _settings_of(run: EvaluationRun) -> dict[str, Any]:
    settings = {name: value for part in run.settings.values() for name, value in part.items()}
    return {**settings, "generation_profile": run.models_used.get("generation", {}).get("profile")}


def _place(answer: EvaluationAnswer) -> int:
    return answer.first_rank if answer.first_rank is not None else 10**6
