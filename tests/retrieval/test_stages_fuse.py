from __future__ import annotations

import random
from dataclasses import replace
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.contracts import SparseHit
from apps.retrieval.errors import InvalidRankingError
from apps.retrieval.stages.ranking.fuse import boost, fuse, take_turns
from tests.retrieval.builders import analysed, candidate, document, entry, ranking

NUMBERS = st.lists(st.integers(1, 40), unique=True, max_size=30)


def test_formula() -> None:
    fused = fuse([ranking("dense", [1, 2]), ranking("sparse", [2])], k=60)
    assert [(hit.chunk_id.int, hit.rrf_score) for hit in fused] == [(2, 1 / 62 + 1 / 61), (1, 1 / 61)]


def test_ties_are_broken_by_chunk_id() -> None:
    fused = fuse([ranking("dense", [9]), ranking("sparse", [3])], k=60)
    assert [hit.chunk_id.int for hit in fused] == [3, 9]


def test_each_hit_tells_its_ranks() -> None:
    (hit,) = fuse([ranking("sparse", [5]), ranking("dense", [5])], k=60)
    assert [(each.ranking, each.rank) for each in hit.ranks] == [("dense", 1), ("sparse", 1)]


def test_a_ranking_with_a_weight_adds_so_many_times_as_much() -> None:
    weighed = replace(ranking("metadata", [1]), weight=0.5)
    fused = fuse([ranking("dense", [2, 1]), weighed], k=60)
    assert [(hit.chunk_id.int, hit.rrf_score) for hit in fused] == [(1, 0.5 / 61 + 1 / 62), (2, 1 / 61)]


def test_hits_that_a_ranking_cannot_tell_apart_share_a_rank_where_it_says_so() -> None:
    made = ranking("metadata", [1, 2, 3, 4])
    scores = (9.0, 7.0, 7.0, 5.0)
    hits = tuple(
        replace(hit, bm25_score=score)
        for hit, score in zip(made.hits, scores, strict=True)
        if isinstance(hit, SparseHit)
    )
    ranks = {
        shared: {
            hit.chunk_id.int: hit.ranks[0].rank for hit in fuse([replace(made, hits=hits, ranks_shared=shared)], k=60)
        }
        for shared in (True, False)
    }
    assert ranks == {True: {1: 1, 2: 2, 3: 2, 4: 4}, False: {1: 1, 2: 2, 3: 3, 4: 4}}


def test_repeated_chunk_in_one_ranking_is_a_defect() -> None:
    with pytest.raises(InvalidRankingError, match=str(UUID(int=7))):
        fuse([ranking("dense", [7, 8, 7])], k=60)


def test_nothing_from_nothing() -> None:
    assert fuse([], k=60) == ()


@given(st.lists(NUMBERS, min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_order_of_rankings_changes_nothing(lists: list[list[int]], shuffler: random.Random) -> None:
    rankings = [ranking(f"r{position}", numbers) for position, numbers in enumerate(lists)]
    shuffled = rankings[:]
    shuffler.shuffle(shuffled)
    assert fuse(rankings, k=60) == fuse(shuffled, k=60)


@pytest.mark.slow
@given(st.lists(NUMBERS, min_size=1, max_size=4))
def test_every_chunk_comes_out_once_best_first(lists: list[list[int]]) -> None:
    fused = fuse([ranking(f"r{position}", numbers) for position, numbers in enumerate(lists)], k=60)
    assert {hit.chunk_id.int for hit in fused} == set().union(*lists)
    assert [(-hit.rrf_score, hit.chunk_id) for hit in fused] == sorted((-hit.rrf_score, hit.chunk_id) for hit in fused)


@given(NUMBERS, NUMBERS)
def test_higher_in_both_is_higher_in_the_end(first: list[int], second: list[int]) -> None:
    fused = [hit.chunk_id.int for hit in fuse([ranking("a", first), ranking("b", second)], k=60)]
    for x in first:
        for y in first:
            if x in second and y in second and first.index(x) < first.index(y) and second.index(x) < second.index(y):
                assert fused.index(x) < fused.index(y)


def test_likely_filter_lifts_what_meets_it() -> None:
    analysis = analysed("growth in 2022", entry("A", 2022))
    other = candidate("x", 1, facts=document(1, fiscal_year=2018))
    wanted = candidate("x", 2, facts=document(2, fiscal_year=2022))
    lifted = boost([other, wanted], filters=analysis.filters, weight=0.1)
    assert [each.hit.chunk_id.int for each in lifted] == [2, 1]
    assert lifted[0].boost_reasons == ("period FY2022",)


def test_the_report_of_a_quarter_comes_before_that_of_its_year() -> None:
    analysis = analysed("growth in Q3 2022", entry("A", 2022))
    annual = candidate("x", 1, facts=document(1, fiscal_year=2022))
    quarterly = candidate("x", 2, facts=document(2, fiscal_year=2022, fiscal_quarter=3))
    lifted = boost([annual, quarterly], filters=analysis.filters, weight=0.1)
    assert [each.hit.chunk_id.int for each in lifted] == [2, 1]
    assert lifted[0].boost_reasons == ("of Q3 2022 itself",)


def test_where_a_year_is_asked_for_too_no_quarter_is_lifted() -> None:
    analysis = analysed("growth in Q3 2022 and FY2022", entry("A", 2022))
    quarterly = candidate("x", facts=document(fiscal_year=2022, fiscal_quarter=3))
    (only,) = boost([quarterly], filters=analysis.filters, weight=0.1)
    assert only.boost == 0.0


def test_sure_filter_on_a_year_lifts_nothing() -> None:
    analysis = analysed("growth in FY2022", entry("A", 2022))
    (only,) = boost([candidate("x", facts=document(fiscal_year=2022))], filters=analysis.filters, weight=0.1)
    assert only.boost == 0.0


def test_the_quarter_that_lifts_is_the_companys_own() -> None:
    analysis = analysed("growth in the last twelve months", entry("A", 2022, 3), entry("B", 2023))
    of_a = candidate("x", 1, facts=document(1, company="A", fiscal_year=2022, fiscal_quarter=3))
    of_b = candidate("x", 2, facts=document(2, company="B", fiscal_year=2022, fiscal_quarter=3))
    lifted = boost([of_a, of_b], filters=analysis.filters, weight=0.1)
    assert [each.boost_reasons for each in lifted] == [("of Q3 2022 itself",), ()]


def test_companies_that_are_compared_take_turns() -> None:
    places = [("Acme", 1), ("Acme", 2), ("Acme", 3), ("Bolt", 4), ("", 5), ("Bolt", 6)]
    made = [candidate("text", number, facts=document(number, company=company)) for company, number in places]
    turns = take_turns(made, ("Bolt", "Acme"))
    assert [each.chunk.document.company for each in turns] == ["Acme", "Bolt", "Acme", "Bolt", "Acme", ""]
    assert {each.hit.chunk_id for each in turns} == {each.hit.chunk_id for each in made}
