from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import ContextBlock
from apps.retrieval.stages.ranking.assemble import assemble, ref_id
from tests.retrieval.builders import (
    CAPEX_QUESTION,
    CASH_FLOWS,
    TEXTS,
    analysed,
    budget,
    candidate,
    context_of,
    document,
    entry,
)

NORTHWIND = entry("Northwind", 2018)
KINDS = [FundHouse.RUN, FundHouse.FUND_PROFILE, FundHouse.REFERENCE_REPORT]
CANDIDATES = st.lists(st.tuples(TEXTS, st.sampled_from(KINDS)), max_size=8).map(
    lambda drawn: [
        candidate(text, number, facts=document(number, kind=kind.value))
        for number, (text, kind) in enumerate(drawn, start=1)
    ]
)
QUESTIONS = st.sampled_from([CAPEX_QUESTION, "What was the drawdown of the fund?", "apples and pears"])


def block(drawn: list, question: str, caps: tuple[int, int, int], total: int) -> ContextBlock:
    budgets = [
        budget(kind, cap, position) for position, (kind, cap) in enumerate(zip(KINDS, caps, strict=True), start=1)
    ]
    return assemble(drawn, analysis=analysed(question, NORTHWIND), budgets=budgets, total_cap_chars=total)


CAPS = st.tuples(st.integers(0, 900), st.integers(0, 900), st.integers(0, 900))


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(CANDIDATES, QUESTIONS, CAPS, st.integers(0, 1500))
def test_caps_are_never_passed(drawn: list, question: str, caps: tuple[int, int, int], total: int) -> None:
    built = block(drawn, question, caps, total)
    assert len(built.text) == built.size_chars <= total
    for section in built.sections:
        assert len(section.text) <= dict(zip([kind.value for kind in KINDS], caps, strict=True))[section.kind]


@settings(max_examples=40, deadline=None)
@given(CANDIDATES, QUESTIONS, CAPS, st.integers(0, 1500))
def test_every_candidate_is_accounted_for_once(
    drawn: list, question: str, caps: tuple[int, int, int], total: int
) -> None:
    built = block(drawn, question, caps, total)
    shown = [str(passage.chunk.chunk_id) for passage in built.passages]
    evicted = [str(passage.chunk.chunk_id) for section in built.evicted for passage in section.passages]
    left_out = [each.chunk_id for each in built.left_out]
    assert sorted(shown + evicted + left_out) == sorted(str(each.hit.chunk_id) for each in drawn)


@settings(max_examples=40, deadline=None)
@given(CANDIDATES, QUESTIONS, CAPS)
def test_excerpts_are_verbatim_and_apart(drawn: list, question: str, caps: tuple[int, int, int]) -> None:
    for passage in block(drawn, question, caps, 4096).passages:
        end = -1
        for excerpt in passage.excerpts:
            assert passage.chunk.text[excerpt.start : excerpt.end] == excerpt.text
            assert excerpt.start > end
            assert excerpt.text in passage.text
            end = excerpt.end


@settings(max_examples=20, deadline=None)
@given(CANDIDATES, QUESTIONS, CAPS)
def test_same_input_same_bytes(drawn: list, question: str, caps: tuple[int, int, int]) -> None:
    first, second = block(drawn, question, caps, 2000), block(drawn, question, caps, 2000)
    assert first == second
    assert first.sha256 == hashlib.sha256(first.text.encode()).hexdigest()


def test_cash_flow_row_fits_into_six_hundred_characters() -> None:
    filler = "The company invests in its future, and management believes that spending is adequate for growth."
    candidates = [
        candidate(f"{filler} {filler} {filler} {filler} {filler}", number, page=number) for number in range(1, 8)
    ]
    candidates.append(candidate(CASH_FLOWS, 8, page=60, header="Northwind 10-K, Statement of Cash Flows"))
    built = context_of(analysed(CAPEX_QUESTION, NORTHWIND), candidates, budgets=[budget(cap_chars=600)])
    assert "Purchases of property, plant and equipment (PP&E) | 2018: (1,577)" in built.text


def test_small_cap_holds_several_passages() -> None:
    rows = [
        candidate(
            f"Other\nCapital expenditure of segment {number} | 2018: {number}00\nMore | 2018: 7", number, page=number
        )
        for number in range(1, 7)
    ]
    built = context_of(analysed(CAPEX_QUESTION, NORTHWIND), rows, budgets=[budget(cap_chars=400)])
    assert len(built.passages) >= 3
    assert all("Capital expenditure of segment" in passage.text for passage in built.passages)


def test_passage_is_prefixed_by_its_ref_id() -> None:
    only = candidate("Capital expenditure was 5.", 2, page=34)
    built = context_of(analysed("capital expenditure"), [only])
    assert ref_id(only.chunk) == "northwind-1|p34|c2"
    assert "[northwind-1|p34|c2] Capital expenditure was 5." in built.text


def test_sections_stand_in_the_order_of_the_budgets() -> None:
    candidates = [
        candidate("capital expenditure one", 1, facts=document(1, kind="reference_report")),
        candidate("capital expenditure two", 2, facts=document(2, kind="run")),
    ]
    budgets = [budget(FundHouse.REFERENCE_REPORT, 600, 2), budget(FundHouse.RUN, 600, 1)]
    built = context_of(analysed("capital expenditure"), candidates, budgets=budgets)
    assert [section.kind for section in built.sections] == ["run", "reference_report"]


def test_whole_sections_are_evicted_from_the_bottom() -> None:
    candidates = [
        candidate("capital expenditure one", 1, facts=document(1, kind="reference_report")),
        candidate("capital expenditure two", 2, facts=document(2, kind="run")),
    ]
    budgets = [budget(FundHouse.RUN, 600, 1), budget(FundHouse.REFERENCE_REPORT, 600, 2)]
    built = context_of(analysed("capital expenditure"), candidates, budgets=budgets, total_cap_chars=100)
    assert [section.kind for section in built.sections] == ["run"]
    assert [section.kind for section in built.evicted] == ["reference_report"]
    assert built.truncated


def test_a_kind_without_a_context_budget_is_left_out_and_named() -> None:
    built = context_of(analysed("capital expenditure"), [candidate("x", facts=document(kind="schedule"))])
    assert [(each.kind, each.reason) for each in built.left_out] == [
        ("schedule", "The policy has no budget for this kind.")
    ]


def test_whole_chunk_is_not_called_trimmed() -> None:
    (passage,) = context_of(analysed("capital expenditure"), [candidate("Capital expenditure.\nIt rose.")]).passages
    assert (passage.trimmed, passage.text) == (False, "Capital expenditure.\nIt rose.")


def test_sentence_longer_than_the_cap_is_cut_around_the_question() -> None:
    long = "word " * 200 + "the capital expenditure was 1,577 million " + "word " * 200
    (passage,) = context_of(
        analysed("capital expenditure"), [candidate(long)], budgets=[budget(cap_chars=150)]
    ).passages
    assert "capital expenditure was 1,577" in passage.text
    assert passage.trimmed


def test_question_without_a_match_keeps_the_order_of_the_ranking() -> None:
    candidates = [candidate(f"Sentence number {number} of this text.", number) for number in (1, 2, 3)]
    built = context_of(analysed("apples and pears"), candidates, budgets=[budget(cap_chars=100)])
    assert [passage.chunk.number for passage in built.passages] == [1]
