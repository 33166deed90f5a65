"""The metrics of one question against values worked out by hand, and what must hold of them whatever is ranked."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.quality.evaluation.contracts import PageKey, RankedChunk
from apps.quality.evaluation.metrics import (
    document_hit,
    first_rank,
    mean,
    ndcg,
    page_recall,
    percentile,
    precision,
    reciprocal_rank,
)
from tests.quality.evaluation.rankings import chunk, chunks, pages

RANKING = chunks("a3", "b1", "a1-2", "b2", "a9", "c5")
RELEVANT = pages("a2", "c5")


def test_page_recall_is_the_share_of_the_relevant_pages_that_the_first_chunks_cover() -> None:
    assert [page_recall(RANKING, RELEVANT, k) for k in (1, 2, 3, 5, 6, 30)] == [0, 0, 0.5, 0.5, 1, 1]
    assert page_recall(RANKING, RELEVANT) == 1


def test_a_page_of_another_document_with_the_same_number_does_not_count() -> None:
    assert page_recall(chunks("b2"), pages("a2"), 1) == 0


def test_a_document_counts_as_hit_among_the_first_five_and_not_behind_them() -> None:
    assert document_hit(RANKING, frozenset("c"), 5) == 0
    assert document_hit(RANKING, frozenset("c"), 6) == 1
    assert document_hit((), frozenset("c"), 5) == 0


def test_the_reciprocal_rank_is_of_the_first_chunk_on_a_relevant_page() -> None:
    assert (first_rank(RANKING, RELEVANT), reciprocal_rank(RANKING, RELEVANT)) == (3, 1 / 3)
    assert (first_rank(RANKING, pages("z1")), reciprocal_rank(RANKING, pages("z1"))) == (None, 0.0)


def test_ndcg_counts_each_page_once_at_its_first_place() -> None:
    # The pages in order: a3 b1 a1 a2 b2 a9 c5; a2 stands fourth and c5 seventh.
    gained = 1 / math.log2(5) + 1 / math.log2(8)
    best = 1 / math.log2(2) + 1 / math.log2(3)
    assert ndcg(RANKING, RELEVANT, 10) == pytest.approx(gained / best)
    assert ndcg(chunks("a2", "a2", "a2", "c5"), RELEVANT, 10) == 1
    assert ndcg(RANKING, RELEVANT, 6) == pytest.approx(1 / math.log2(5) / best)


def test_precision_counts_places_and_not_what_happens_to_be_there() -> None:
    assert precision(RANKING, RELEVANT, 5) == 1 / 5
    assert precision(chunks("a2"), RELEVANT, 5) == 1 / 5
    assert precision(chunks("a2", "b1"), RELEVANT) == 1 / 2
    assert precision((), RELEVANT) == 0


def test_a_mean_leaves_out_what_is_not_known() -> None:
    assert (mean([1.0, None, 0.0]), mean([None]), mean([])) == (0.5, None, None)


def test_a_percentile_lies_between_its_neighbours() -> None:
    assert percentile([4.0, 1.0, 3.0, 2.0], 0.5) == 2.5
    assert percentile([10.0], 0.95) == 10.0
    assert percentile([float(n) for n in range(101)], 0.95) == 95.0


places = st.builds(
    lambda document, page, more: chunk(f"{document}{page}-{page + more}"),
    st.sampled_from("abc"),
    st.integers(1, 9),
    st.integers(0, 2),
)
rankings = st.lists(places, max_size=40).map(tuple)
relevant_pages = st.frozensets(st.tuples(st.sampled_from("abc"), st.integers(1, 9)), min_size=1, max_size=6)


@given(rankings, relevant_pages)
def test_every_metric_lies_between_nothing_and_all(
    ranking: tuple[RankedChunk, ...], relevant: frozenset[PageKey]
) -> None:
    for value in (
        page_recall(ranking, relevant, 5),
        reciprocal_rank(ranking, relevant),
        ndcg(ranking, relevant, 10),
        precision(ranking, relevant, 5),
        precision(ranking, relevant),
    ):
        assert 0 <= value <= 1


@given(rankings, relevant_pages)
def test_recall_never_falls_with_more_chunks_and_ends_at_that_of_all(
    ranking: tuple[RankedChunk, ...], relevant: frozenset[PageKey]
) -> None:
    recalls = [page_recall(ranking, relevant, k) for k in range(1, 50)]
    assert recalls == sorted(recalls)
    assert recalls[-1] == page_recall(ranking, relevant)


@given(rankings, relevant_pages)
def test_the_relevant_pages_first_is_the_best_order(
    ranking: tuple[RankedChunk, ...], relevant: frozenset[PageKey]
) -> None:
    ideal = tuple(chunk(f"{document}{page}") for document, page in sorted(relevant))
    assert ndcg((*ideal, *ranking), relevant, 10) == pytest.approx(1)
    assert reciprocal_rank((*ideal, *ranking), relevant) == 1


@given(rankings, relevant_pages, places)
def test_a_chunk_on_no_relevant_page_put_first_makes_nothing_better(
    ranking: tuple[RankedChunk, ...], relevant: frozenset[PageKey], other: RankedChunk
) -> None:
    if any(other.covers(page) for page in relevant):
        return
    behind = (other, *ranking)
    assert reciprocal_rank(behind, relevant) <= reciprocal_rank(ranking, relevant)
    assert page_recall(behind, relevant, 5) <= page_recall(ranking, relevant, 5)
    assert ndcg(behind, relevant, 10) <= ndcg(ranking, relevant, 10) + 1e-12


@given(st.lists(st.floats(0, 1e6), min_size=1), st.floats(0, 1))
def test_a_percentile_is_within_its_values(values: list[float], share: float) -> None:
    assert min(values) <= percentile(values, share) <= max(values) * (1 + 1e-12)
