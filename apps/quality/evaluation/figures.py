"""Compute the figures of many questions: means, by type of question, by stage, and the time of each stage. Pure."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apps.quality.evaluation import metrics
from apps.quality.evaluation.contracts import EvaluationQuestion, Judgement, Observation
from apps.quality.evaluation.judging import RECALL
from apps.retrieval.contracts import AnswerOutcome

MEANS: Final = (
    *RECALL.values(),
    "document_hit@5",
    "mrr",
    "ndcg@10",
    "precision@5",
    "context_precision",
    "context_recall",
    "answered_rightly",
    "useful",
    "confidently_wrong",
    "not_answered",
)
# In reading order, because a JSON column of PostgreSQL keeps no order.
METRICS: Final = (*MEANS, "answered", "closest_passages", "refused", "model_failed")
# Of runs of earlier releases: names that mean the same, and what is no longer measured.
_FORMER_NAMES: Final = {"answered_rightly": "pass_rate", "not_answered": "refused_rightly"}
NO_LONGER_MEASURED: Final = ("faithfulness",)
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

    A mean is over the questions to which it applies: confidently_wrong over all, not_answered over those whose answer
    is not in the corpus, any other over those whose answer is. Outcomes are counted of questions whose answer is in the
    corpus, and model_failed of all.
    """
    outcomes = Counter(each.seen.outcome for each in judged if each.question.expected.answerable)
    return {
        **{name: _rounded(metrics.mean(each.judgement.scores[name] for each in judged)) for name in MEANS},
        "answered": outcomes[AnswerOutcome.ANSWERED],
        "closest_passages": outcomes[AnswerOutcome.CLOSEST],
        "refused": outcomes[AnswerOutcome.REFUSED],
        "model_failed": sum(each.seen.model_failed for each in judged),
    }


def figure_of(figures: Mapping[str, Any], name: str) -> float | int | None:
    """Return a metric of a run, whatever it was called when the run was made; None if the run has none."""
    found: float | int | None = figures.get(name, figures.get(_FORMER_NAMES.get(name, name)))
    return found


def has_figure(figures: Mapping[str, Any], name: str) -> bool:
    return name in figures or _FORMER_NAMES.get(name, name) in figures


def by_type(judged: Sequence[Judged]) -> dict[str, Metrics]:
    """Return the metrics of each type of question, by name, with the number of questions under "questions".

    If the questions are in several languages, each language has a line too ("in de").
    """
    sorts: dict[str, list[Judged]] = defaultdict(list)
    languages: dict[str, list[Judged]] = defaultdict(list)
    for each in judged:
        sorts[each.question.type or OTHER].append(each)
        languages[each.question.language].append(each)
    if len(languages) > 1:
        sorts |= {f"in {language}": of_it for language, of_it in languages.items() if language}
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
    """Return whether a question is a failure.

    It was not answered rightly, it was answered although nothing answers it, or none of its pages is among the first
    five.
    """
    scores = judgement.scores
    return judgement.passed is False or scores["not_answered"] == 0.0 or scores["page_recall@5"] == 0.0


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 4)
