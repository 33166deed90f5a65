"""Compute one question's figures: the quality of the ranking, the context and the answer against what is expected."""

from __future__ import annotations

from typing import Final

from apps.quality.evaluation import metrics
from apps.quality.evaluation.contracts import EvaluationQuestion, Expected, Judgement, Observation
from apps.quality.evaluation.expected_figure import expected_figure, holds_figure
from apps.retrieval.contracts import GroundingStatus

RECALL: Final = {k: f"page_recall@{k}" for k in metrics.RECALL_AT}


def judge(question: EvaluationQuestion, seen: Observation) -> Judgement:
    """Return the judgement on one question's outcome."""
    expected = question.expected
    passed, why = _verdict(question, seen)
    return Judgement(
        scores={**_of_ranking(seen, expected), **_of_context(seen, expected), "faithfulness": _faithfulness(seen)},
        ranks={page: metrics.first_rank(seen.ranking, [page]) for page in sorted(expected.pages)},
        first_rank=metrics.first_rank(seen.ranking, expected.pages),
        passed=passed,
        why=why,
    )


def _of_ranking(seen: Observation, expected: Expected) -> dict[str, float | None]:
    ranking, pages = seen.ranking, expected.pages
    by_page: dict[str, float | None] = dict.fromkeys([*RECALL.values(), "mrr", "ndcg@10", "precision@5"])
    if pages:
        by_page = {
            **{name: metrics.page_recall(ranking, pages, k) for k, name in RECALL.items()},
            "mrr": metrics.reciprocal_rank(ranking, pages),
            "ndcg@10": metrics.ndcg(ranking, pages, 10),
            "precision@5": metrics.precision(ranking, pages, 5),
        }
    hit = metrics.document_hit(ranking, expected.documents, 5) if expected.answerable else None
    return {**by_page, "document_hit@5": hit}


def _of_context(seen: Observation, expected: Expected) -> dict[str, float | None]:
    if not expected.pages:
        return {"context_precision": None, "context_recall": None}
    return {
        "context_precision": metrics.precision(seen.context, expected.pages),
        "context_recall": metrics.page_recall(seen.context, expected.pages),
    }


def _faithfulness(seen: Observation) -> float | None:
    """Return the share of an answer's claims that its citations support; None for a refusal or without claims."""
    if not seen.answered or not seen.claims.total:
        return None
    return seen.claims.supported / seen.claims.total


def _verdict(question: EvaluationQuestion, seen: Observation) -> tuple[bool | None, str]:
    """Return whether a question passed, and if not, why."""
    expected = question.expected
    if not expected.answerable:
        return None, ""
    if not seen.answered:
        return False, f"refused: {seen.refusal}"
    if seen.grounding != GroundingStatus.GROUNDED:
        return False, f"the answer is not grounded: {seen.grounding or 'unchecked'}"
    figure = expected_figure(question.answer, question=question.text)
    if figure is not None:
        right = holds_figure(seen.answer, figure)
        return right, "" if right else "the answer does not contain the expected figure"
    right = any(page in expected.pages or (not expected.pages and page[0] in expected.documents) for page in seen.cited)
    return right, "" if right else "no citation is from an expected page"
