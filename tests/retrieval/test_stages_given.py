"""Filters that come with a question, in words, and beside those that its text implies."""

from __future__ import annotations

from dataclasses import replace
from uuid import UUID

import pytest

from apps.retrieval.admin.ask_panels import analysis_panel
from apps.retrieval.contracts import (
    CorpusInventory,
    DocumentId,
    GivenField,
    GivenFilter,
    InventoryEntry,
    Period,
    QueryAnalysis,
    RefusalReason,
)
from apps.retrieval.contracts import GivenFilters as Given
from apps.retrieval.pipeline import PipelineResult, answer
from apps.retrieval.stages.question.analyse import analyse
from apps.retrieval.stages.question.relax import document_filter
from tests.retrieval.builders import CAPEX_QUESTION, CASH_FLOWS, budget, candidate, entry
from tests.retrieval.doubles import asked, dependencies

HELD = (entry("Northwind", 2018), entry("Northwind", 2019), entry("Contoso", 2018))
COMPANIES = GivenFilter(field=GivenField.COMPANY, values=("Northwind", "Contoso"))
YEAR = GivenFilter(field=GivenField.PERIOD, values=("FY2018",), periods=(Period(fiscal_year=2018),))


def read(text: str, *given: GivenFilter, entries: tuple[InventoryEntry, ...] = HELD) -> QueryAnalysis:
    return analyse(
        text,
        language="en",
        inventory=CorpusInventory(entries=entries),
        minimum_chars=3,
        expansion_weight=0.6,
        statement_weight=1.0,
        given=given,
    )


def test_one_on_the_same_field_holds_in_the_place_of_what_the_text_implies() -> None:
    analysis = read("What was the capital expenditure of Northwind?", COMPANIES)
    assert document_filter(analysis.filters).companies == ()
    (relaxed,) = analysis.relaxed
    assert "the request's own filter, company Northwind or Contoso, applies instead." in relaxed.reason
    assert relaxed.reason in analysis.notices


def test_what_the_text_implies_is_not_set_aside_where_all_that_is_left_meets_it() -> None:
    analysis = read("What was the capital expenditure of Northwind?", COMPANIES, entries=HELD[:2])
    assert document_filter(analysis.filters).companies == ("Northwind",)
    assert analysis.relaxed == ()


def test_what_the_text_implies_on_another_field_narrows_further() -> None:
    analysis = read("What was the capital expenditure in FY2018?", COMPANIES)
    assert document_filter(analysis.filters).periods == (Period(fiscal_year=2018),)


def test_the_answer_is_to_be_of_the_period_that_the_text_says_and_the_given_one_says_where_it_is_searched() -> None:
    of_text = read("What was the capital expenditure in FY2019?", YEAR, entries=(HELD[0], HELD[2]))
    assert (of_text.periods, of_text.years) == ((Period(fiscal_year=2019),), (2019,))
    silent = read("What was the capital expenditure of Northwind?", YEAR, entries=(HELD[0], HELD[2]))
    assert (silent.periods, silent.years) == ((), ())


def test_where_a_period_is_given_none_is_preferred_for_being_the_newest() -> None:
    reports = tuple(entry("Northwind", year, document_type="report") for year in (2018, 2019))
    text = "What was the capital expenditure of Northwind?"
    assert "newest_report" in [each.field for each in read(text, entries=reports).filters]
    assert "newest_report" not in [each.field for each in read(text, YEAR, entries=reports).filters]


def test_the_ask_page_shows_them_before_those_of_the_text() -> None:
    unmet = replace(YEAR, unmet="Nothing is of it.")
    rows = analysis_panel(read("What was the capital expenditure of Northwind?", COMPANIES, unmet)).filters
    assert [(each.field, each.values, each.certainty) for each in rows] == [
        ("company", "Northwind, Contoso", "given"),
        ("period", "FY2018", "given"),
        ("company", "Northwind", "relaxed"),
    ]
    assert rows[1].reason == "Nothing is of it."


def ask(given: Given) -> PipelineResult:
    held = [candidate(CASH_FLOWS, 1)]
    deps = dependencies(held, entries=[entry("Northwind", 2018)], budgets=[budget(cap_chars=2000)])
    return answer(replace(asked(CAPEX_QUESTION), given=given), deps=deps)


def test_they_reach_every_search_and_the_trace() -> None:
    given = Given(companies=("Northwind",), periods=(Period(fiscal_year=2018),), kinds=("reference_report",))
    analysis = ask(given).trace.output(QueryAnalysis)
    assert analysis is not None
    assert [(each.field, each.values) for each in analysis.given] == [
        (GivenField.COMPANY, ("Northwind",)),
        (GivenField.PERIOD, ("FY2018",)),
        (GivenField.KIND, ("reference_report",)),
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Given(kinds=("run",)), "the filter and the grant have nothing in common"),
        (Given(companies=("Nobody",)), "of the company Nobody"),
        (Given(documents=(DocumentId(UUID(int=7)),)), "of the document 00000000"),
        (Given(companies=("Northwind",), periods=(Period(fiscal_year=1999),)), "period FY1999"),
    ],
)
def test_one_that_finds_nothing_is_named_in_the_refusal(given: Given, said: str) -> None:
    refusal = ask(given).answer.refusal
    assert refusal is not None
    assert refusal.reason is RefusalReason.NOTHING_WITHIN_FILTERS
    assert said in refusal.message
