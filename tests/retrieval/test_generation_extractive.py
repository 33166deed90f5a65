from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from apps.retrieval.contracts import GroundingStatus, RefusalReason
from apps.retrieval.generation.extractive import ExtractiveGenerator
from apps.retrieval.stages.grounding.quotations import check_quotations
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
ANALYSIS = analysed(CAPEX_QUESTION, NORTHWIND)


def test_figure_is_quoted_from_its_row() -> None:
    context = context_of(ANALYSIS, [candidate(CASH_FLOWS, 1, page=60)], budgets=[budget(cap_chars=600)])
    answer = ExtractiveGenerator().generate(ANALYSIS, context)
    assert answer.quotes[0].text == (
        "Purchases of property, plant and equipment (PP&E) | 2018: (1,577) | 2017: (1,373) | 2016: (1,420)"
    )
    assert answer.ref_ids[0] == "northwind-1|p60|c1"


def test_each_passage_speaks_before_one_speaks_twice() -> None:
    rows = "Capital expenditure of the north | 2018: 5\nCapital expenditure of the south | 2018: 6"
    context = context_of(ANALYSIS, [candidate(rows, 1), candidate("Capital expenditure of all | 2018: 11", 2)])
    answer = ExtractiveGenerator(maximum_quotes=2).generate(ANALYSIS, context)
    assert len(answer.ref_ids) == 2


def test_plain_row_is_quoted_with_its_column_headings() -> None:
    text = "(Millions) 2018 2017\nPurchases of property, plant and equipment (1,577) (1,373)"
    answer = ExtractiveGenerator().generate(ANALYSIS, context_of(ANALYSIS, [candidate(text)]))
    assert answer.quotes[0].columns == "(Millions) 2018 2017"
    row = answer.quotes[0].row
    assert row is not None
    assert (row.label, [(cell.column, cell.value) for cell in row.cells]) == (
        "Purchases of property, plant and equipment",
        [("2018", "(1,577)"), ("2017", "(1,373)")],
    )
    assert "Purchases of property, plant and equipment \u2013 2018: (1,577); 2017: (1,373)" in answer.text


def test_unrelated_context_is_refused() -> None:
    context = context_of(ANALYSIS, [candidate("Apples and pears are sold on the market.")])
    refusal = ExtractiveGenerator().generate(ANALYSIS, context).refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NOT_IN_CONTEXT


def test_figure_of_another_fund_is_no_answer() -> None:
    analysis = analysed("What was the maximum drawdown of the Orion fund in Q4 2024?")
    facts = document(1, title="Alpha fund report", kind="run", company="Alpha")
    context = context_of(
        analysis,
        [candidate("Maximum drawdown | Q4 2024: -4.2%", facts=facts, header="Alpha fund report")],
        budgets=None,
    )
    answer = ExtractiveGenerator().generate(analysis, context)
    assert answer.closest or answer.refusal is not None


def test_empty_context_is_refused() -> None:
    refusal = ExtractiveGenerator().generate(ANALYSIS, context_of(ANALYSIS, [])).refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NOT_IN_CONTEXT


@settings(max_examples=50, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=6), st.integers(80, 900))
def test_quotes_are_verbatim_and_grounded(texts: list[str], cap_chars: int) -> None:
    candidates = [candidate(text, number) for number, text in enumerate(texts, start=1)]
    context = context_of(ANALYSIS, candidates, budgets=[budget(cap_chars=cap_chars)])
    answer = ExtractiveGenerator().generate(ANALYSIS, context)
    by_ref = {passage.ref_id: passage for passage in context.passages}
    for quote in answer.quotes:
        passage = by_ref[quote.ref_id]
        assert passage.chunk.text[quote.start : quote.end] == quote.text
        assert any(quote.text in excerpt.text for excerpt in passage.excerpts)
    if answer.refusal is None:
        assert check_quotations(answer.quotes, context).status is GroundingStatus.GROUNDED


@settings(max_examples=20, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_same_context_same_answer(texts: list[str]) -> None:
    candidates = [candidate(text, number) for number, text in enumerate(texts, start=1)]
    context = context_of(ANALYSIS, candidates)
    assert ExtractiveGenerator().generate(ANALYSIS, context) == ExtractiveGenerator().generate(ANALYSIS, context)


def test_where_no_period_is_named_the_newest_of_reports_that_are_alike_speaks_first() -> None:
    analysis = analysed(
        "What was the maximum drawdown of Northwind?", entry("Northwind", 2018), entry("Northwind", 2022)
    )
    older, newer = document(1), document(2, title="Northwind 2022 10-K", fiscal_year=2022)
    texts = ("The maximum drawdown of the year was 5.26 %.", "The maximum drawdown of the year was 7.84 %.")
    passages = [candidate(texts[0], 1, facts=older), candidate(texts[1], 2, facts=newer)]
    answer = ExtractiveGenerator().generate(analysis, context_of(analysis, passages))
    assert [quote.text for quote in answer.quotes] == [texts[1], texts[0]]
    named = analysed("What was the maximum drawdown of Northwind in FY2018?", entry("Northwind", 2018))
    assert ExtractiveGenerator().generate(named, context_of(named, passages)).quotes[0].text == texts[0]
