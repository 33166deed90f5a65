"""What all rerankers share: the text that they read, and the combined score of model and keywords."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from apps.retrieval.contracts import Candidate, StoredChunk

_DECIMALS: Final = 6
"""Further ones differ between processors, and would put equal passages in an order of chance."""


def passage_text(chunk: StoredChunk) -> str:
    """Return the passage under its heading, as it was embedded and indexed."""
    return f"{chunk.context_header}\n{chunk.text}" if chunk.context_header else chunk.text


def search_scores(candidates: Sequence[Candidate]) -> tuple[float, ...]:
    """Return the search's scores (reciprocal ranks, boosted) as a share of the best one's: above 0, at most 1."""
    best = max((candidate.boosted_rrf_score for candidate in candidates), default=0.0)
    return tuple(candidate.boosted_rrf_score / best if best else 0.0 for candidate in candidates)


def rank_hybrid(
    candidates: Sequence[Candidate],
    *,
    model_scores: Sequence[float],
    keyword_scores: Sequence[float],
    keyword_weight: float,
    calibrated: bool,
) -> tuple[Candidate, ...]:
    """Order candidates by (1 - w) x model + w x keywords.

    Args:    model_scores, keyword_scores: 0 to 1, one per candidate.
             keyword_weight: w, 0 to 1.
             calibrated: whether the model's scores are probabilities; see Candidate.
    Returns: all of them with their score, best first; equal ones in their previous order.
    """
    scored = [
        replace(
            candidate,
            rerank_score=round((1 - keyword_weight) * model + keyword_weight * keyword, _DECIMALS),
            rerank_calibrated=calibrated,
        )
        for candidate, model, keyword in zip(candidates, model_scores, keyword_scores, strict=True)
    ]
    return tuple(sorted(scored, key=lambda each: -(each.rerank_score or 0.0)))
