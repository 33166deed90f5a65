"""Judge an answer by quotation as an evaluation does: by what a question accepts, and its yes or no."""

from __future__ import annotations

from typing import Any

from apps.quality.evaluation.accepting import accepted, held_by, says_yes_or_no
from apps.retrieval.contracts import ContextBlock, GeneratedAnswer, GroundingStatus, QueryAnalysis
from apps.retrieval.steps.quoting import check_quoted


def outcome(row: dict[str, Any], draft: GeneratedAnswer, analysis: QueryAnalysis, context: ContextBlock) -> str:
    """Return "right", "wrong" or "not answered". Args: row: a line of queries.jsonl."""
    if draft.closest or draft.refusal or check_quoted(draft, context, analysis).status is not GroundingStatus.GROUNDED:
        return "not answered"
    beside = [
        text for each in draft.quotes if each.row for text in (each.row.caption, *(c.value for c in each.row.cells))
    ]
    said = says_yes_or_no(draft.text)
    if row.get("polarity") and said and said != row["polarity"]:
        return "wrong"
    return "right" if accepted(held_by((draft.text, *beside)), row["accepts"]) else "wrong"
