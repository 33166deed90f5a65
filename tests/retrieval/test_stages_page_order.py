"""Pages before their further passages."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.contracts import Candidate
from apps.retrieval.stages.ranking.fuse import page_by_page
from tests.retrieval.builders import candidate, document


def found(*places: tuple[int, int]) -> list[Candidate]:
    return [
        candidate("Text.", number, facts=document(of), page=page) for number, (of, page) in enumerate(places, start=1)
    ]


def numbers(candidates: tuple[Candidate, ...]) -> list[int]:
    return [each.chunk.number for each in candidates]


def test_the_best_passage_of_each_page_comes_before_further_ones_of_any() -> None:
    assert numbers(page_by_page(found((1, 5), (1, 5), (1, 6), (2, 5), (1, 6)))) == [1, 3, 4, 2, 5]


@given(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), max_size=12))
def test_nothing_is_lost_and_each_part_keeps_its_order(places: list[tuple[int, int]]) -> None:
    ordered = numbers(page_by_page(found(*places)))
    assert sorted(ordered) == list(range(1, len(places) + 1))
    distinct = len(set(places))
    assert ordered[:distinct] == sorted(ordered[:distinct])
    assert ordered[distinct:] == sorted(ordered[distinct:])
    assert len({places[number - 1] for number in ordered[:distinct]}) == distinct
