from __future__ import annotations

import pytest

from apps.retrieval.contracts import Certainty, FilterField, InventoryEntry, Period
from apps.retrieval.stages.question.relax import admits, document_filter, period_matches, states
from tests.retrieval.builders import analysed, entry

HELD = (entry("Northwind", 2018), entry("Northwind", 2022), entry("Contoso", 2020, 2, document_type="10-Q"))


def test_filters_that_are_met_stay() -> None:
    analysis = analysed("capex of Northwind in FY2018", *HELD)
    assert analysis.relaxed == ()
    assert document_filter(analysis.filters).companies == ("Northwind",)


def test_period_that_is_not_held_is_relaxed_visibly() -> None:
    analysis = analysed("capex of Northwind in FY2029", *HELD)
    (relaxed,) = analysis.relaxed
    assert (
        relaxed.reason == "No document held has period FY2029 together with Northwind; the search continues without it."
    )
    assert relaxed.reason in analysis.notices


def test_company_is_the_last_to_go() -> None:
    analysis = analysed("8-K of Northwind in FY2029 about capex", *HELD)
    assert [each.filter.field.value for each in analysis.relaxed] == ["document_type", "period"]
    assert document_filter(analysis.filters).companies == ("Northwind",)


def test_likely_filters_never_narrow() -> None:
    assert document_filter(analysed("capex of Northwind in 2018", *HELD).filters).periods == ()


@pytest.mark.parametrize(
    ("period", "year", "quarter", "matches"),
    [
        (Period(fiscal_year=2024), 2024, 3, True),
        (Period(fiscal_year=2024), 2024, None, True),
        (Period(fiscal_year=2024, fiscal_quarter=4), 2024, 4, True),
        (Period(fiscal_year=2024, fiscal_quarter=4), 2024, None, True),
        (Period(fiscal_year=2024, fiscal_quarter=4), 2024, 3, False),
        (Period(fiscal_year=2024, fiscal_quarter=4), 2023, 4, False),
        (Period(fiscal_year=2024), None, None, False),
    ],
)
def test_period_matches(period: Period, year: int | None, quarter: int | None, matches: bool) -> None:
    assert period_matches(period, year, quarter) is matches


@pytest.mark.parametrize(
    ("question", "silent", "other"),
    [
        ("capex of Northwind", entry(""), entry("Contoso")),
        ("capex in FY2018", entry("A"), entry("A", 2022)),
        ("capex in the 10-Q", entry("A", document_type="other"), entry("A", document_type="10-K")),
        ("What does German law say?", entry("A"), entry("A", jurisdictions=("CH",))),
    ],
)
def test_a_search_keeps_what_states_nothing_of_the_kind(
    question: str, silent: InventoryEntry, other: InventoryEntry
) -> None:
    held = (*HELD, entry("Gamma AG", jurisdictions=("DE",)))
    (condition,) = analysed(question, *held).filters[:1]
    assert condition.certainty is Certainty.SURE
    assert (admits(silent, condition), states(silent, condition), admits(other, condition)) == (True, False, False)


def test_last_quarter_is_relaxed_where_no_companys_own_is_held_together_with_the_rest() -> None:
    held = (entry("A Inc", 2024, 4, document_type="10-Q"), entry("A Inc", 2023, 1, document_type="earnings_release"))
    analysis = analysed(
        "revenue of A Inc last quarter as in the 10-K", *held, entry("B Inc", 2024, document_type="10-K")
    )
    assert [each.filter.field for each in analysis.relaxed] == [FilterField.DOCUMENT_TYPE]
    assert [each.label for each in document_filter(analysis.filters).periods] == ["Q4 2024"]


def test_a_year_without_a_report_is_looked_for_in_the_next_one() -> None:
    analysis = analysed("capex of Northwind in FY2020", *HELD)
    assert [period.fiscal_year for period in analysis.periods] == [2020]
    assert [period.fiscal_year for period in document_filter(analysis.filters).periods] == [2020, 2022]
    assert "No report of Northwind for FY2020 is held; its report for FY2022 is read." in analysis.notices
    assert analysis.relaxed == ()


def test_no_report_is_later_than_a_five_year_summary_reaches() -> None:
    (relaxed,) = analysed("capex of Northwind in FY2016", entry("Northwind", 2022)).relaxed
    assert "FY2016" in relaxed.reason


def test_a_company_in_small_letters_is_not_left_for_another_one_s_report() -> None:
    held = (entry("Quorvane Systems plc", 2024), entry("Northwind", 2022))
    analysis = analysed("quorvane capex FY2022", *held)
    assert document_filter(analysis.filters).companies == ("Quorvane Systems plc",)
