"""Describe a policy's settings, as this installation applies them, in the words that the trace of an answer uses."""

from __future__ import annotations

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.optional.slots import CALIBRATED_RERANKERS
from apps.retrieval.stage_choice import stages_in_use
from apps.retrieval.stage_settings import NONE, StageSettings


def stage_words(policy: RetrievalSettings) -> tuple[str, ...]:
    stages = stages_in_use()
    return (
        _spread_out(policy, stages),
        _reordered(policy, stages),
        cut_words(policy, stages),
        *_healed(policy, stages),
    )


def cut_words(policy: RetrievalSettings, stages: StageSettings) -> str:
    """Describe how apps/retrieval/stages/ranking/cut_off.py decides."""
    reranks = policy.rerank_enabled and stages.reranker != NONE
    if reranks and (stages.cut_adaptive_uncalibrated or stages.reranker in CALIBRATED_RERANKERS):
        return (
            f"The tail is cut off once {policy.cut_off_cumulative_probability:.0%} of the probability is covered, or "
            f"where the score falls by more than {policy.cut_off_score_cliff:g}; between {stages.cut_minimum} and "
            f"{stages.cut_top_k} passages are kept."
        )
    why = "the reranker's scores are not probabilities" if reranks else "without a reranker no score is a probability"
    return (
        f"The first {stages.cut_top_k} passages are kept, a fixed number: {why}, so neither the cut-off by probability "
        f"({policy.cut_off_cumulative_probability:.0%}) nor the one by a fall ({policy.cut_off_score_cliff:g}) applies."
    )


def _spread_out(policy: RetrievalSettings, stages: StageSettings) -> str:
    if not policy.mmr_enabled:
        return "Near-duplicates are not spread out (MMR is off)."
    if stages.diversifier == NONE:
        return "Near-duplicates are not spread out: the policy asks for it, but this installation has nothing for it."
    return f"Near-duplicates are spread out (MMR, lambda {policy.mmr_lambda:g})."


def _reordered(policy: RetrievalSettings, stages: StageSettings) -> str:
    if not policy.rerank_enabled:
        return "No reranker is used."
    if stages.reranker == NONE:
        return "No reranker is used: the policy asks for one, but this installation has none."
    return f"The reranker {stages.reranker} reorders the passages, words weighing {policy.rerank_keyword_weight:g}."


def _healed(policy: RetrievalSettings, stages: StageSettings) -> tuple[str, ...]:
    if not policy.heal_rounds:
        return ()
    if stages.healer == NONE:
        return ("Nothing is asked again: the policy asks for it, but this installation has nothing for it.",)
    return (
        f"Where less than {policy.heal_minimum_coverage:.0%} of a question is covered, it is asked again for "
        f"what is missing, at most {policy.heal_rounds} times.",
    )
