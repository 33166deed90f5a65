"""Compute one question's figures: the quality of the ranking, the context and the answer against what is expected."""

from __future__ import annotations

from typing import Final

from apps.quality.evaluation import metrics
from apps.quality.evaluation.accepting import accepted, held_by, says_yes_or_no
from apps.quality.evaluation.contracts import EvaluationQuestion, Expected, Judgement, Observation, PageKey
from apps.quality.evaluation.expected_figure import expected_figure, holds_figure
from apps.retrieval.contracts import AnswerOutcome, GroundingStatus

RECALL: Final = {k: f"page_recall@{k}" for k in metrics.RECALL_AT}


def judge(question: EvaluationQuestion, seen: Observation) -> Judgement:
    """Return the judgement on one question's outcome."""
    expected = question.expected
    passed, why = _verdict(question, seen)
    return Judgement(
        scores={**_of_ranking(seen, expected), **_of_context(seen, expected), **_of_answer(question, seen, passed)},
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


def _of_answer(question: EvaluationQuestion, seen: Observation, passed: bool | None) -> dict[str, float | None]:
    """Return what became of the answer.

    answered_rightly: it is right. useful: it is right, or the first of the closest passages holds the answer.
    confidently_wrong: it was given as an answer and is not right.
    not_answered: of a question whose answer is not in the corpus.
    """
    wrong = float(seen.answered and not passed)
    if not question.expected.answerable:
        return {
            "answered_rightly": None,
            "useful": None,
            "confidently_wrong": wrong,
            "not_answered": float(not seen.answered),
        }
    return {
        "answered_rightly": float(bool(passed)),
        "useful": float(bool(passed) or _helps(question, seen)),
        "confidently_wrong": wrong,
        "not_answered": None,
    }


def _verdict(question: EvaluationQuestion, seen: Observation) -> tuple[bool | None, str]:
    """Return whether a question was answered rightly, and what is wrong if it was not."""
    if not question.expected.answerable:
        return None, "it was answered, and the corpus does not hold the answer" if seen.answered else ""
    if seen.outcome is AnswerOutcome.REFUSED:
        return False, f"refused: {seen.refusal}"
    if seen.outcome is AnswerOutcome.CLOSEST:
        holds = "holds" if _helps(question, seen) else "does not hold"
        return False, f"not answered; the first of the closest passages {holds} the answer"
    if seen.grounding != GroundingStatus.GROUNDED:
        return False, f"the answer is not grounded: {seen.grounding or 'unchecked'}"
    said = says_yes_or_no(seen.answer)
    if question.polarity and said and said != question.polarity:
        return False, f"the answer says {said}"
    if question.accepts:
        right = accepted(held_by((seen.answer, *(each.beside for each in seen.citations))), question.accepts)
        return right, "" if right else "the answer does not say what is accepted"
    figure = expected_figure(question.answer, question=question.text)
    if figure is not None:
        right = holds_figure(seen.answer, figure)
        return right, "" if right else "the answer does not contain the expected figure"
    right = any(_is_expected(each.page, question.expected) for each in seen.citations)
    return right, "" if right else "no citation is from an expected page"


def _helps(question: EvaluationQuestion, seen: Observation) -> bool:
    """Return whether the first of the closest passages holds the answer."""
    if seen.outcome is not AnswerOutcome.CLOSEST or not seen.citations:
        return False
    first = seen.citations[0]
    if question.accepts:
        right = accepted(held_by((first.quote, first.beside)), question.accepts)
        return right and first.page[0] in question.expected.documents
    return _is_expected(first.page, question.expected)


def _is_expected(page: PageKey, expected: Expected) -> bool:
    return page in expected.pages or (not expected.pages and page[0] in expected.documents)
