"""Decide how many candidates go on to the context."""

from __future__ import annotations

from collections.abc import Sequence

from apps.retrieval.contracts import Candidate, CutDecision, CutRule


def cut_off(
    candidates: Sequence[Candidate],
    *,
    top_k: int,
    minimum: int,
    cumulative_probability: float,
    cliff: float,
    uncalibrated: bool = False,
) -> CutDecision:
    """Cut the tail of candidates that would only fill the context.

    If a reranker gave scores (probabilities between 0 and 1), the first of these conditions ends the list: the kept
    scores hold the wanted share of their sum; the next score falls by more than the cliff; top_k are kept. At least
    `minimum` are kept in any case. RRF scores are not probabilities (the first and the thirtieth differ by a factor of
    two whatever the question), so without a reranker a fixed number is kept. The same is true if the reranker's scores
    only order passages.

    Args:    candidates: best first.
             top_k: the most to keep, >= 1.
             minimum: the fewest to keep with adaptive rules, if there are that many.
             cumulative_probability: share of the score sum, in (0, 1].
             cliff: largest fall from one score to the next, in (0, 1].
             uncalibrated: let the adaptive rules also use scores that only order passages.
    Returns: kept and cut candidates in their order, the rule that decided, and the reason with its figures.
    """
    scores = [each.rerank_score if each.rerank_calibrated or uncalibrated else None for each in candidates]
    calibrated = [score for score in scores if score is not None]
    if len(calibrated) < len(scores) or not scores:
        return _cut_at(candidates, top_k)
    kept, rule, reason = _adaptive(calibrated, top_k, minimum, cumulative_probability, cliff)
    return CutDecision(kept=tuple(candidates[:kept]), cut=tuple(candidates[kept:]), rule=rule, reason=reason)


def _cut_at(candidates: Sequence[Candidate], top_k: int) -> CutDecision:
    kept, cut = tuple(candidates[:top_k]), tuple(candidates[top_k:])
    if not cut:
        reason = f"All {len(kept)} are kept: no more than the fixed {top_k}."
        return CutDecision(kept=kept, cut=(), rule=CutRule.ALL_KEPT, reason=reason)
    ordered = candidates[0].rerank_score is not None
    why = "the reranker's scores are not probabilities" if ordered else "without a reranker no score is a probability"
    reason = (
        f"The first {top_k} of {len(candidates)} are kept, a fixed number: {why}, so neither the cumulative threshold "
        "nor the cliff applies."
    )
    return CutDecision(kept=kept, cut=cut, rule=CutRule.TOP_K, reason=reason)


def _adaptive(
    scores: Sequence[float], top_k: int, minimum: int, cumulative_probability: float, cliff: float
) -> tuple[int, CutRule, str]:
    total = sum(scores)
    running = 0.0
    for index, score in enumerate(scores):
        kept = index + 1
        running += score
        if kept == len(scores):
            break
        if kept >= top_k:
            return kept, CutRule.MAXIMUM, f"{top_k} are kept, the most allowed."
        if kept < minimum:
            continue
        if total > 0 and running / total >= cumulative_probability:
            reason = f"The first {kept} hold {running / total:.0%} of the score, at least {cumulative_probability:.0%}."
            return kept, CutRule.CUMULATIVE_PROBABILITY, reason
        fall = score - scores[kept]
        if fall > cliff:
            reason = f"After {kept} the score falls by {fall:.2f}, from {score:.2f} to {scores[kept]:.2f}."
            return kept, CutRule.CLIFF, reason
    return len(scores), CutRule.ALL_KEPT, f"All {len(scores)} are kept: no rule ended the list."
