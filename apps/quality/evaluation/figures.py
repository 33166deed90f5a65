"""Compute the figures of many questions: means, by type of question, by stage, and the time of each stage. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from apps.quality.evaluation import metrics
from apps.quality.evaluation.contracts import EvaluationQuestion, Judgement, Observation
from apps.quality.evaluation.judging import RECALL

MEANS: Final = (
    *RECALL.values(),
    "document_hit@5",
    "mrr",
    "ndcg@10",
    "precision@5",
    "context_precision",
    "context_recall",
    "faithfulness",
)
# In reading order, because a JSON column of PostgreSQL keeps no order.
METRICS: Final = (*MEANS, "pass_rate", "answered", "refused", "refused_rightly")
FINAL: Final = "final"
OTHER: Final = "(no type)"
Metrics = dict[str, float | int | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One question, its outcome, and the judgement on it."""

    question: EvaluationQuestion
    seen: Observation
    judgement: Judgement


def metrics_of(judged: Sequence[Judged]) -> Metrics:
    """Return the metrics by name. A figure that applies to no question is None.

    A question whose answer is not in the corpus counts in refused_rightly and nowhere else.
    """
    answerable = [each for each in judged if each.question.expected.answerable]
    others = [each for each in judged if not each.question.expected.answerable]
    answered = sum(each.seen.answered for each in answerable)
    return {
        **{name: _rounded(metrics.mean(each.judgement.scores[name] for each in answerable)) for name in MEANS},
        "pass_rate": _rounded(metrics.mean(float(bool(each.judgement.passed)) for each in answerable)),
        "answered": answered,
        "refused": len(answerable) - answered,
        "refused_rightly": _rounded(metrics.mean(float(not each.seen.answered) for each in others)),
    }


def by_type(judged: Sequence[Judged]) -> dict[str, Metrics]:
    """Return the metrics of each type of question, by name, with the number of questions under "questions"."""
    sorts: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        sorts[each.question.type or OTHER].append(each)
    return {name: {"questions": len(sorts[name]), **metrics_of(sorts[name])} for name in sorted(sorts)}


def by_stage(judged: Sequence[Judged]) -> dict[str, Metrics]:
    """Return page recall after each stage that ranks, in the order of the pipeline, and of the final order.

    A stage that did not run for a question counts as having found nothing for it.
    """
    asked = [each for each in judged if each.question.expected.pages]
    names = list(dict.fromkeys(name for each in asked for name in each.seen.stages))
    recall: dict[str, Metrics] = {
        name: {
            label: _rounded(
                metrics.mean(
                    metrics.page_recall(each.seen.stages.get(name, ()), each.question.expected.pages, k)
                    for each in asked
                )
            )
            for k, label in RECALL.items()
        }
        for name in names
    }
    final = {
        label: _rounded(
            metrics.mean(metrics.page_recall(each.seen.ranking, each.question.expected.pages, k) for each in asked)
        )
        for k, label in RECALL.items()
    }
    return {**recall, FINAL: dict(final)} if asked else {}


def latency_of(seen: Sequence[Observation]) -> dict[str, dict[str, float]]:
    """Return milliseconds by stage: the median, and the 95th percentile."""
    spent: dict[str, list[float]] = defaultdict(list)
    for each in seen:
        for stage, elapsed_ms in each.stage_ms.items():
            spent[stage].append(elapsed_ms)
    return {
        stage: {
            "p50": round(metrics.percentile(values, 0.5), 2),
            "p95": round(metrics.percentile(values, 0.95), 2),
        }
        for stage, values in spent.items()
    }


def is_failure(judgement: Judgement) -> bool:
    """Return whether a question is a failure: it did not pass, or none of its pages is among the first five."""
    return judgement.passed is False or judgement.scores["page_recall@5"] == 0.0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
