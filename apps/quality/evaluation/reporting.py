"""Render a run as one JSON object, with its failures: what was expected, its rank, and what was found instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from apps.quality.evaluation.comparing import Comparison
from apps.quality.evaluation.figures import Judged, is_failure
from apps.quality.evaluation.folder_contents import Failure
from apps.quality.evaluation.runner import Outcome


def run_json(
    outcome: Outcome,
    names: Mapping[str, str],
    *,
    failed_documents: Sequence[Failure] = (),
    notes: Sequence[str] = (),
    comparison: Comparison | None = None,
    policy: str = "",
) -> dict[str, Any]:
    """Return the object that `manage.py evaluate --json` prints; design/retrieval.md names its keys."""
    run = outcome.run
    body: dict[str, Any] = {
        "dataset": run.dataset,
        "run_id": str(run.id),
        "queries": run.questions,
        "documents": run.documents,
        "chunks": run.chunks,
        "metrics": run.metrics,
        "latency_ms": run.latency_ms,
        "ablations": run.ablations,
        "failures": failures_json(outcome.judged, names),
        "failed_documents": [{"file": each.file, "error": each.error} for each in failed_documents],
        "by_stage": run.by_stage,
        "by_type": run.by_type,
        "policy": policy,
        "settings": run.settings,
        "changes": run.changes,
        "models_used": run.models_used,
        "corpus_sha256": run.corpus_sha256,
        "notes": list(notes),
    }
    return body if comparison is None else {**body, "comparison": comparison_json(comparison)}


def failures_json(judged: Iterable[Judged], names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return one object per question that is a failure (figures.is_failure).

    rank: of the first chunk on an expected page, from 1; null if none was found.
    found: the first chunk of the ranking.
    """
    return [_failure(each, names) for each in judged if is_failure(each.judgement)]


def comparison_json(comparison: Comparison) -> dict[str, Any]:
    return {
        "run_id": str(comparison.before.id),
        "same_corpus": comparison.same_corpus,
        "same_questions": comparison.same_questions,
        "metrics": {
            each.name: {"before": each.before, "after": each.after, "difference": each.difference}
            for each in comparison.metrics
        },
        "settings": {name: list(values) for name, values in comparison.settings.items()},
        "changed": [
            {
                "id": each.after.key,
                "better": each.better,
                "rank": [each.before.first_rank, each.after.first_rank],
                "passed": [each.before.passed, each.after.passed],
                "outcome": [each.before.outcome.value, each.after.outcome.value],
            }
            for each in comparison.changed
        ],
    }


def _failure(each: Judged, names: Mapping[str, str]) -> dict[str, Any]:
    judgement, question = each.judgement, each.question
    first = each.seen.ranking[0] if each.seen.ranking else None
    return {
        "id": question.key,
        "text": question.text,
        "type": question.type,
        "why": judgement.why or "no expected page is among the first five",
        "passed": judgement.passed,
        "outcome": each.seen.outcome.value,
        "rank": judgement.first_rank,
        "expected": [
            {"document": names.get(document, document), "page": page, "rank": rank}
            for (document, page), rank in judgement.ranks.items()
        ],
        "found": None
        if first is None
        else {"document": names.get(first.document, first.document), "page": first.page_start},
        "answer": each.seen.answer,
        "expected_answer": question.answer,
    }
