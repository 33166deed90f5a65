from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from apps.retrieval.contracts import Candidate, ChunkId, StoredChunk
from apps.retrieval.stages.ranking.expand import expand
from tests.retrieval.builders import candidate, document

PARENT = [candidate(f"Sentence {number}.", number, page=1, char_start=100 * number) for number in range(1, 9)]


def around(*found: Candidate) -> dict[ChunkId, tuple[StoredChunk, ...]]:
    """All of them are of one parent."""
    return {
        each.hit.chunk_id: tuple(other.chunk for other in PARENT if other.hit.chunk_id != each.hit.chunk_id)
        for each in found
    }


def numbers(candidates: tuple[Candidate, ...]) -> list[int]:
    return [each.chunk.number for each in candidates]


def test_the_nearest_are_added_behind_all_that_was_found_as_they_are_read() -> None:
    found = (PARENT[4], PARENT[0])
    assert numbers(expand(found, around(PARENT[4]), most=3)) == [5, 1, 3, 4, 6]


def test_what_is_added_has_no_rank_no_score_and_the_passage_that_brought_it() -> None:
    added = expand((PARENT[4],), around(PARENT[4]), most=1)[1]
    assert (added.chunk.number, added.hit.ranks, added.hit.rrf_score) == (4, (), 0.0)
    assert added.around == PARENT[4].hit.chunk_id


def test_what_was_found_is_not_added_again() -> None:
    found = (PARENT[3], PARENT[4])
    result = expand(found, around(*found), most=2)
    assert result[:2] == found
    assert numbers(result[2:]) == [2, 3, 6, 7]


def test_what_holds_characters_that_stand_there_already_is_left_out() -> None:
    longer = replace(PARENT[5].chunk, text="x" * 150)
    result = expand((PARENT[6],), {PARENT[6].hit.chunk_id: (longer, PARENT[7].chunk)}, most=2)
    assert numbers(result) == [7, 8]


def test_another_document_is_never_what_stands_around() -> None:
    stray = candidate("Sentence.", 9, facts=document(2), page=2).chunk
    other_version = replace(PARENT[1].chunk, document=replace(PARENT[1].chunk.document, version=2))
    assert expand((PARENT[0],), {PARENT[0].hit.chunk_id: (stray, other_version)}, most=5) == (PARENT[0],)


def test_without_anything_around_the_list_stays_as_it_was() -> None:
    assert expand(tuple(PARENT), {}, most=5) == tuple(PARENT)


@given(st.lists(st.sampled_from(PARENT), unique=True), st.integers(1, 8))
def test_none_stands_there_twice_and_no_passage_brings_more_than_allowed(found: list[Candidate], most: int) -> None:
    result = expand(found, around(*found), most=most)
    assert list(result[: len(found)]) == found
    assert len({each.hit.chunk_id for each in result}) == len(result)
    for each in found:
        assert sum(added.around == each.hit.chunk_id for added in result) <= most
