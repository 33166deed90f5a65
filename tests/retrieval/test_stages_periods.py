from __future__ import annotations

import pytest

from apps.retrieval.contracts import Certainty, MetadataFilter, Period
from apps.retrieval.stages.question.period_mentions import read_period_mentions
from apps.retrieval.stages.question.periods import resolve_periods
from tests.retrieval.builders import entry

FUND_REPORTS = (entry("Alpha Fund", 2023, 4), entry("Alpha Fund", 2024, 4))


def named(text: str) -> list[str]:
    return [each.period.label for each in read_period_mentions(text).named]


def resolved(text: str, *entries) -> MetadataFilter:
    (found,) = resolve_periods(read_period_mentions(text), entries).filters
    return found


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("FY2018 revenue", ["FY2018"]),
        ("FY 2018 revenue", ["FY2018"]),
        ("FY18 revenue", ["FY2018"]),
        ("fiscal 2018 revenue", ["FY2018"]),
        ("fiscal year 2018", ["FY2018"]),
        ("Q4 2024", ["Q4 2024"]),
        ("Q4'24", ["Q4 2024"]),
        ("Q4 of FY2024", ["Q4 2024"]),
        ("4Q24", ["Q4 2024"]),
        ("2024 Q4", ["Q4 2024"]),
        ("FY2023Q1", ["Q1 2023"]),
        ("FY24 Q2", ["Q2 2024"]),
        ("the second quarter of 2023", ["Q2 2023"]),
        ("the second fiscal quarter of 2023", ["Q2 2023"]),
        ("2023's second quarter", ["Q2 2023"]),
        ("H1 2023", ["Q2 2023"]),
        ("FY2018 - FY2020", ["FY2018", "FY2019", "FY2020"]),
        ("from FY2016 to FY2018", ["FY2016", "FY2017", "FY2018"]),
        ("FY2022 and FY2021", ["FY2022", "FY2021"]),
        ("in 2022", ["FY2022"]),
        ("im vierten Quartal 2024", ["Q4 2024"]),
        ("des dritten Quartals des Geschäftsjahres 2023", ["Q3 2023"]),
        ("im 2. Quartal 2023", ["Q2 2023"]),
        ("im Geschäftsjahr 2023", ["FY2023"]),
        ("Ende 2023", ["FY2023"]),
        ("Q4 30-day volatility", []),
        ("1,2018 shares", []),
        ("$2018", []),
        ("version 2018.5", []),
    ],
)
def test_named_periods(text: str, labels: list[str]) -> None:
    assert named(text) == labels


def test_last_quarter_is_the_newest_quarter_held() -> None:
    found = resolved("What was last quarter's drawdown?", *FUND_REPORTS)
    assert (found.values, found.certainty) == (("Q4 2024",), Certainty.SURE)


def test_relative_period_tells_what_it_was_resolved_from() -> None:
    found = resolved("What was last quarter's drawdown?", *FUND_REPORTS)
    assert "held are Q4 2024 and Q4 2023" in found.reason
    assert "not from today" in found.reason


def test_previous_quarter_is_the_one_before_the_newest() -> None:
    assert resolved("drawdown of the previous quarter", *FUND_REPORTS).values == ("Q4 2023",)


def test_latest_report_takes_the_newest_period_of_any_length() -> None:
    assert resolved("in the latest report", entry("A", 2023, 4), entry("A", 2024)).values == ("FY2024",)


def test_last_two_years() -> None:
    held = (entry("A", 2022), entry("A", 2023), entry("A", 2024))
    assert resolved("capex over the last two years", *held).values == ("FY2024", "FY2023")


def test_companies_without_the_newest_period_are_named() -> None:
    found = resolved("last quarter", entry("Alpha Fund", 2024, 4), entry("Beta Fund", 2024, 3))
    assert "No document of Q4 2024 is held for Beta Fund" in found.reason


def test_unresolvable_relative_period_is_said() -> None:
    reading = resolve_periods(read_period_mentions("last quarter's drawdown"), [entry("A")])
    assert reading.filters == ()
    assert "could not be resolved" in reading.notices[0]


def test_bare_year_is_only_likely() -> None:
    assert resolved("growth in 2022", entry("A", 2022)).certainty is Certainty.LIKELY


def test_bare_year_beside_an_explicit_one_is_left_to_the_text() -> None:
    assert resolved("As of FY2021, what is expected for 2024?", entry("A", 2021)).values == ("FY2021",)


def test_comparison_with_the_prior_year_searches_both() -> None:
    found = resolved("VaR in Q2 2023 compared to the same period in the prior year", entry("A", 2023, 2))
    assert found.periods == (Period(fiscal_year=2022, fiscal_quarter=2), Period(fiscal_year=2023, fiscal_quarter=2))


def test_quarter_before_the_first_is_the_fourth_of_the_year_before() -> None:
    found = resolved("Q1 2024 against the previous quarter", entry("A", 2024, 1))
    assert found.values == ("Q4 2023", "Q1 2024")


def test_order_of_the_inventory_changes_nothing() -> None:
    assert resolved("last quarter", *FUND_REPORTS) == resolved("last quarter", *reversed(FUND_REPORTS))


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("Drawdown im letzten Quartal", ("Q4 2024",)),
        ("Rendite in diesem Quartal", ("Q4 2024",)),
        ("der Wert des vorigen Quartals", ("Q3 2024",)),
        ("im Vorquartal", ("Q3 2024",)),
        ("Dividende für das letzte Geschäftsjahr", ("FY2024",)),
        ("Auszubildende im Vorjahr", ("FY2023",)),
        ("in den letzten zwei Jahren", ("FY2024", "FY2023")),
        ("how sales changed year over year", ("FY2024", "FY2023")),
        ("sales growth, quarter-on-quarter", ("Q4 2024", "Q3 2024")),
        ("YoY growth of sales", ("FY2024", "FY2023")),
        ("staff the year before", ("FY2023",)),
    ],
)
def test_relative_words_are_resolved_from_what_is_held(text: str, labels: tuple[str, ...]) -> None:
    found = resolved(text, entry("A", 2023, 4), entry("A", 2024, 3), entry("A", 2024, 4))
    assert (found.values, found.certainty) == (labels, Certainty.SURE)


@pytest.mark.parametrize("text", ["the year before last", "Vorjahresvergleich", "in the year", "the quarter", "Jahr"])
def test_words_about_time_that_name_no_period_are_left_alone(text: str) -> None:
    assert resolve_periods(read_period_mentions(text), FUND_REPORTS).filters == ()


def test_the_year_before_a_bare_year_is_preferred_with_it() -> None:
    found = resolved("staff in 2024, and how many the year before?", entry("A", 2023), entry("A", 2024))
    assert (found.values, found.certainty) == (("FY2023", "FY2024"), Certainty.LIKELY)


def test_latest_beside_a_bare_year_adds_no_year() -> None:
    assert resolved("the latest figures of 2024", entry("A", 2023), entry("A", 2024)).values == ("FY2024",)
