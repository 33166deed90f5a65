from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.contracts import CutDecision, CutRule
from apps.retrieval.stages.ranking.cut_off import cut_off
from tests.retrieval.builders import candidate


def cut(scores: list[float], *, top_k: int = 12, minimum: int = 1) -> CutDecision:
    candidates = [candidate("x", number, rerank_score=score) for number, score in enumerate(scores, start=1)]
    return cut_off(candidates, top_k=top_k, minimum=minimum, cumulative_probability=0.55, cliff=0.15)


def test_without_a_reranker_a_fixed_number_is_kept_and_said() -> None:
    candidates = [candidate("x", number) for number in range(1, 31)]
    decision = cut_off(candidates, top_k=12, minimum=3, cumulative_probability=0.55, cliff=0.15)
    assert (len(decision.kept), len(decision.cut), decision.rule) == (12, 18, CutRule.TOP_K)
    assert "without a reranker" in decision.reason


def test_scores_that_are_no_probabilities_leave_a_fixed_number() -> None:
    scored = [candidate("x", number, rerank_score=1 / number) for number in range(1, 31)]
    candidates = [replace(each, rerank_calibrated=False) for each in scored]
    decision = cut_off(candidates, top_k=12, minimum=3, cumulative_probability=0.55, cliff=0.15)
    assert (len(decision.kept), decision.rule) == (12, CutRule.TOP_K)
    assert "the reranker's scores are not probabilities" in decision.reason


def test_scores_that_are_no_probabilities_are_read_where_the_settings_say_so() -> None:
    scored = [candidate("x", number, rerank_score=1 / number) for number in range(1, 31)]
    candidates = [replace(each, rerank_calibrated=False) for each in scored]
    decision = cut_off(candidates, top_k=12, minimum=1, cumulative_probability=0.9, cliff=0.4, uncalibrated=True)
    assert (len(decision.kept), decision.rule) == (1, CutRule.CLIFF)


def test_without_a_reranker_there_is_no_score_to_read_whatever_the_settings_say() -> None:
    candidates = [candidate("x", number) for number in range(1, 31)]
    decision = cut_off(candidates, top_k=12, minimum=3, cumulative_probability=0.55, cliff=0.15, uncalibrated=True)
    assert (len(decision.kept), decision.rule) == (12, CutRule.TOP_K)


def test_cumulative_probability_ends_the_list() -> None:
    decision = cut([0.30, 0.29, 0.28, 0.13])
    assert (len(decision.kept), decision.rule) == (2, CutRule.CUMULATIVE_PROBABILITY)


def test_cliff_ends_the_list() -> None:
    decision = cut([0.5, 0.3, 0.3, 0.3])
    assert (len(decision.kept), decision.rule) == (1, CutRule.CLIFF)


def test_minimum_is_kept_in_any_case() -> None:
    assert len(cut([0.9, 0.1, 0.05, 0.01], minimum=3).kept) == 3


def test_maximum_holds_for_flat_scores() -> None:
    decision = cut([0.1] * 40, top_k=12, minimum=3)
    assert (len(decision.kept), decision.rule) == (12, CutRule.MAXIMUM)


def test_nothing_to_cut() -> None:
    assert cut([]).kept == ()


@given(st.lists(st.floats(0, 1), max_size=40), st.integers(1, 20), st.integers(1, 5))
def test_kept_and_cut_are_the_whole_in_order(scores: list[float], top_k: int, minimum: int) -> None:
    ordered = sorted(scores, reverse=True)
    decision = cut(ordered, top_k=top_k, minimum=minimum)
    assert [each.rerank_score for each in (*decision.kept, *decision.cut)] == ordered
    assert len(decision.kept) <= top_k
    assert len(decision.kept) >= min(minimum, top_k, len(ordered))
