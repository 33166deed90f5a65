from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.intents.retrieval_settings import RetrievalSettings
from apps.retrieval.contracts import Candidate, ChunkId, FloatVector
from apps.retrieval.dependencies import Slots
from apps.retrieval.optional.diversifiers.mmr import MaximalMarginalRelevance, mmr_order, repetitions
from apps.retrieval.pipeline import answer
from apps.retrieval.trace import CandidateList, Stage, StageStatus
from tests.retrieval.builders import analysed, candidate, document, entry
from tests.retrieval.doubles import asked, dependencies

NAMED, UNNAMED = "What was the drawdown of Northwind in FY2018?", "What was the drawdown of Northwind?"
OF_2018, OF_2017 = document(1, fiscal_year=2018), document(2, fiscal_year=2017)
FOUND = [
    candidate("The drawdown was 4.2 %.", 1, facts=OF_2018, page=1),
    candidate("The drawdown was 7.9 %.", 2, facts=OF_2017, page=1),
    candidate("The drawdown was 4.2 per cent.", 3, facts=OF_2018, page=2),
    candidate("How a drawdown is measured.", 4, facts=OF_2018, page=3),
]
SAME, ELSE = (1.0, 0.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)
STORED: dict[ChunkId, FloatVector] = {
    each.hit.chunk_id: np.array(row, dtype=np.float32)
    for each, row in zip(FOUND, (SAME, SAME, SAME, ELSE), strict=True)
}


def looked_up(chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, FloatVector]:
    return {each: STORED[each] for each in chunk_ids}


def order(question: str) -> list[int]:
    diversified = MaximalMarginalRelevance(trade_off=0.5).apply(
        analysed(question, entry("Northwind", 2018)), tuple(FOUND), looked_up
    )
    return [each.hit.chunk_id.int for each in diversified]


def test_repetitions_come_after_what_says_something_else() -> None:
    assert order(UNNAMED) == [1, 4, 2, 3]


def test_report_of_another_year_is_no_repetition_when_the_question_names_the_year() -> None:
    assert order(NAMED) == [1, 2, 4, 3]


def test_relevance_alone_keeps_the_order_of_relevance() -> None:
    assert mmr_order([0.9, 0.2, 0.5], np.ones((3, 3), dtype=np.float32), trade_off=1.0) == (0, 2, 1)


def test_novelty_alone_takes_what_is_furthest_from_all_chosen() -> None:
    repetition = np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]], dtype=np.float32)
    assert mmr_order([0.1, 1.0, 0.1], repetition, trade_off=0.0) == (0, 2, 1)


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0, 1))
def test_every_passage_is_chosen_once(relevance: list[float], trade_off: float) -> None:
    repetition = np.full((len(relevance), len(relevance)), 0.5, dtype=np.float32)
    assert sorted(mmr_order(relevance, repetition, trade_off=trade_off)) == list(range(len(relevance)))


def test_passage_without_a_vector_repeats_nothing() -> None:
    held = {FOUND[0].hit.chunk_id: STORED[FOUND[0].hit.chunk_id]}
    found = repetitions(FOUND[:2], held, within_documents_only=False)
    assert found.tolist() == [[1.0, 0.0], [0.0, 0.0]]
    assert repetitions(FOUND[:2], {}, within_documents_only=False).tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_opposite_is_no_repetition() -> None:
    opposite = {
        FOUND[0].hit.chunk_id: STORED[FOUND[0].hit.chunk_id],
        FOUND[1].hit.chunk_id: -STORED[FOUND[1].hit.chunk_id],
    }
    assert repetitions(FOUND[:2], opposite, within_documents_only=False)[0, 1] == 0.0


def piped(found: Sequence[Candidate], stored: dict[ChunkId, FloatVector]) -> tuple[list[int], str, StageStatus]:
    policy = RetrievalSettings(mmr_enabled=True)
    deps = dependencies(
        found, policy=policy, slots=Slots(diversifier=MaximalMarginalRelevance(trade_off=0.5)), stored=stored
    )
    record = answer(asked(UNNAMED), deps=deps).trace.record(Stage.DIVERSIFY)
    assert record is not None
    assert isinstance(record.output, CandidateList)
    return [UUID(str(each.chunk_id)).int for each in record.output.candidates], " ".join(record.notes), record.status


def test_pipeline_shows_the_new_order_and_leaves_nothing_out() -> None:
    numbers, said, status = piped(FOUND, STORED)
    assert (numbers, status) == ([1, 4, 2, 3], StageStatus.RAN)
    assert "By mmr. Lambda 0.50" in said


def test_missing_vectors_are_said() -> None:
    _, said, _ = piped(FOUND, {FOUND[0].hit.chunk_id: STORED[FOUND[0].hit.chunk_id]})
    assert "3 of 4 have no stored vector" in said


@pytest.mark.parametrize("count", [0, 1])
def test_nothing_is_looked_up_for_fewer_than_two(count: int) -> None:
    def never(chunk_ids: Sequence[ChunkId]) -> dict[ChunkId, FloatVector]:
        raise AssertionError("looked up")

    few = tuple(FOUND[:count])
    assert MaximalMarginalRelevance(trade_off=0.5).apply(analysed(UNNAMED), few, never) == few
