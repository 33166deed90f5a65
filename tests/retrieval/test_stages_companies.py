from __future__ import annotations

import pytest

from apps.retrieval.contracts import Certainty
from apps.retrieval.stages.question.companies import read_companies
from tests.retrieval.builders import entry

HELD = (
    entry("3M Company"),
    entry("Amcor plc", ticker="AMCR"),
    entry("JPMorgan Chase & Co."),
    entry("MGM Resorts International"),
    entry("American Water Works"),
    entry("Foot Locker, Inc."),
    entry("The Boeing Company"),
    entry("Alpha Growth Fund"),
    entry("Beta Income Fund"),
    entry("Beta Credit Fund"),
    entry("Growth Fund"),
)


def found(text: str) -> dict[str, set[str]]:
    return {each.certainty.value: set(each.values) for each in read_companies(text, HELD).filters}


@pytest.mark.parametrize(
    ("text", "company"),
    [
        ("What is 3M's capex?", "3M Company"),
        ("What is the capex of 3M Company?", "3M Company"),
        ("has amcor paid", "Amcor plc"),
        ("AMCOR's quick ratio", "Amcor plc"),
        ("what of AMCR", "Amcor plc"),
        ("Which of JPM's segments", "JPMorgan Chase & Co."),
        ("MGM in 2022", "MGM Resorts International"),
        ("American Water in 2020", "American Water Works"),
        ("similar to Footlocker", "Foot Locker, Inc."),
        ("is Boeing cyclical", "The Boeing Company"),
        ("drawdown of the Alpha fund", "Alpha Growth Fund"),
    ],
)
def test_company_is_recognised_for_sure(text: str, company: str) -> None:
    assert found(text) == {"sure": {company}}


@pytest.mark.parametrize(
    "text",
    ["Is the business capital intensive?", "the amcorp filing", "growth in income", "capital growth", "a boeings"],
)
def test_nothing_is_recognised(text: str) -> None:
    assert found(text) == {}


def test_three_months_is_only_likely_the_company() -> None:
    assert found("the 3m rate") == {"likely": {"3M Company"}}


def test_shared_first_word_is_likely_for_all() -> None:
    assert found("drawdown of the Beta funds") == {"likely": {"Beta Income Fund", "Beta Credit Fund"}}


def test_capital_at_the_beginning_is_only_likely() -> None:
    assert found("Alpha decay explained") == {"likely": {"Alpha Growth Fund"}}


def test_reason_names_the_wording() -> None:
    (condition,) = read_companies("Which of JPM's segments", HELD).filters
    assert condition.certainty is Certainty.SURE
    assert "“JPM” is the abbreviation of JPMorgan" in condition.reason


def test_names_are_blanked_in_place() -> None:
    text = "What is 3M's capex?"
    rest = read_companies(text, HELD).rest
    assert len(rest) == len(text)
    assert "3M" not in rest


ALIKE = (
    entry("Delta Global Equity Fund"),
    entry("Delta Global Equity Income Fund"),
    entry("Delta Power Partners LP"),
    entry("Epsilon Power, Inc.", ticker="EPS"),
)


@pytest.mark.parametrize("company", ["Delta Global Equity Fund", "Delta Global Equity Income Fund"])
def test_words_within_a_longer_name_are_not_another_fund(company: str) -> None:
    (condition,) = read_companies(f"the drawdown of the {company} in 2024", ALIKE).filters
    assert (condition.certainty, condition.values) == (Certainty.SURE, (company,))


def test_two_names_that_are_both_written_out_both_count() -> None:
    text = "Compare Delta Global Equity Fund with Delta Global Equity Income Fund"
    (condition,) = read_companies(text, ALIKE).filters
    assert set(condition.values) == {"Delta Global Equity Fund", "Delta Global Equity Income Fund"}


def test_beginning_that_two_names_share_still_counts_for_both() -> None:
    (condition,) = read_companies("the drawdown of the Delta Global funds", ALIKE[:2]).filters
    assert set(condition.values) == {"Delta Global Equity Fund", "Delta Global Equity Income Fund"}


@pytest.mark.parametrize("text", ["What applies under Swiss law?", "What do Swiss funds pay?"])
def test_a_country_is_not_the_company_whose_name_begins_with_it(text: str) -> None:
    held = (entry("Swiss Re", 2024), entry("Deutsche Bank AG", 2024))
    assert read_companies(text, held).filters == ()
    assert read_companies("What did Swiss Re pay?", held).filters[0].values == ("Swiss Re",)


def test_the_first_word_of_a_comparison_is_as_sure_as_the_name_that_follows() -> None:
    held = (entry("Harbour Stores plc"), entry("Northwind"))
    (compared,) = read_companies("Harbour versus Northwind: revenue 2024", held).filters
    assert (compared.certainty, set(compared.values)) == (Certainty.SURE, {"Harbour Stores plc", "Northwind"})
    # Alone, a capital at the beginning of a question is no sign of a name.
    (alone,) = read_companies("Harbour revenue 2024", held).filters
    assert (alone.certainty, alone.values) == (Certainty.LIKELY, ("Harbour Stores plc",))
