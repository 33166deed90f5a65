from __future__ import annotations

import pytest

from apps.corpus.kinds import DocumentType
from apps.filings.text.period_mentions import read_period_mentions
from apps.retrieval.contracts import Certainty, FilterField, MetadataFilter, Period, QueryAnalysis
from apps.retrieval.stages.question.periods import resolve_periods
from apps.retrieval.stages.question.relax import document_filter, states
from tests.retrieval.builders import analysed, document, entry

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
        ("in '22", ["FY2022"]),
        ("from '20 to '22", ["FY2020", "FY2021", "FY2022"]),
        ("F22 revenue", ["FY2022"]),
        ("im Geschäftsjahr 22/23", ["FY2023"]),
        ("im Geschäftsjahr 2022/2023", ["FY2023"]),
        ("22/23 revenue", ["FY2023"]),
        ("it's 22/24 and 12/31", []),
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


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("drawdown of last quarter compared with the previous quarter", ("Q4 2024", "Q3 2024")),
        ("from the previous quarter to the last quarter", ("Q4 2024", "Q3 2024")),
        ("the last two quarters and the previous two quarters", ("Q4 2024", "Q3 2024", "Q2 2024", "Q1 2024")),
        ("last quarter's sales against a year earlier", ("Q4 2024", "Q4 2023")),
        ("the last quarter, year over year", ("Q4 2024", "Q4 2023")),
        ("last year's staff and the year before", ("FY2024", "FY2023")),
        ("year over year in the last two years", ("FY2024", "FY2023")),
        ("last quarter and over the last twelve months", ("Q4 2024", "Q3 2024", "Q2 2024", "Q1 2024")),
        ("das letzte Quartal gegen\u00fcber dem Vorquartal", ("Q4 2024", "Q3 2024")),
        ("Umsatz im letzten Gesch\u00e4ftsjahr und im Jahr davor", ("FY2024",)),
        ("in the past quarter", ("Q4 2024",)),
        ("last quarters drawdown and that of the quarter before", ("Q4 2024", "Q3 2024")),
        ("last years revenue", ("FY2024",)),
    ],
)
def test_several_relative_words_are_resolved_together(text: str, labels: tuple[str, ...]) -> None:
    quarters = [entry("A", year, quarter) for year in (2023, 2024) for quarter in (1, 2, 3, 4)]
    found = resolved(text, *quarters)
    assert (found.values, found.certainty) == (labels, Certainty.SURE)


def test_several_relative_words_are_resolved_for_each_company() -> None:
    held = [entry("A", 2024, 3), entry("A", 2024, 4), entry("B", 2024, 1), entry("B", 2024, 2)]
    found = resolved("last quarter against the previous quarter", *held)
    assert {each.company: [period.label for period in each.periods] for each in found.of_companies} == {
        "A": ["Q4 2024", "Q3 2024"],
        "B": ["Q2 2024", "Q1 2024"],
    }


def test_a_period_to_compare_with_that_is_not_held_is_said() -> None:
    reading = resolve_periods(read_period_mentions("last quarter against a year earlier"), [entry("A", 2024, 4)])
    assert reading.filters[0].values == ("Q4 2024",)
    assert "could not be resolved" in reading.notices[1]


@pytest.mark.parametrize(
    "text",
    [
        "the year before last",
        "over the last quarters it fell",
        "Vorjahresvergleich",
        "in the year",
        "the quarter",
        "Jahr",
    ],
)
def test_words_about_time_that_name_no_period_are_left_alone(text: str) -> None:
    assert resolve_periods(read_period_mentions(text), FUND_REPORTS).filters == ()


def test_the_year_before_a_bare_year_is_preferred_with_it() -> None:
    found = resolved("staff in 2024, and how many the year before?", entry("A", 2023), entry("A", 2024))
    assert (found.values, found.certainty) == (("FY2023", "FY2024"), Certainty.LIKELY)


def test_latest_beside_a_bare_year_adds_no_year() -> None:
    assert resolved("the latest figures of 2024", entry("A", 2023), entry("A", 2024)).values == ("FY2024",)


# --- each company's own ---


ALPHA = [entry("Alpha Fund", 2023, quarter) for quarter in (1, 2, 3, 4)] + [
    entry("Alpha Fund", 2024, quarter) for quarter in (1, 2, 3, 4)
]
BETA = [entry("Beta Fund", 2023, 4), entry("Beta Fund", 2024, 1), entry("Beta Fund", 2024, 2)]


def chosen(text: str, *entries) -> dict[str, list[str]]:
    """Return the labels of the periods that the question means, by company."""
    (found,) = (each for each in analysed(text, *entries).filters if each.field is FilterField.PERIOD)
    assert found.certainty is Certainty.SURE
    return {each.company: [period.label for period in each.periods] for each in found.of_companies}


def test_last_quarter_is_each_companys_own() -> None:
    assert chosen("drawdown of last quarter", *ALPHA, *BETA) == {"Alpha Fund": ["Q4 2024"], "Beta Fund": ["Q2 2024"]}


def test_the_choice_is_told_by_company() -> None:
    analysis = analysed("drawdown of last quarter", *ALPHA, *BETA)
    (found,) = analysis.filters
    assert found.values == ("Q4 2024 for Alpha Fund", "Q2 2024 for Beta Fund")
    assert "“last quarter”: Q4 2024 for Alpha Fund, Q2 2024 for Beta Fund." in found.reason
    assert found.reason in analysis.notices


def test_only_the_companies_that_the_question_names_are_resolved() -> None:
    assert chosen("drawdown of the Beta Fund last quarter", *ALPHA, *BETA) == {"Beta Fund": ["Q2 2024"]}


def test_an_older_quarter_does_not_pass_as_the_newest_of_another_company() -> None:
    (found,) = analysed("drawdown of last quarter", *ALPHA, *BETA).filters
    assert [each.company for each in (*ALPHA, *BETA) if states(each, found)] == ["Alpha Fund", "Beta Fund"]
    assert states(document(company="Beta Fund", fiscal_year=2024, fiscal_quarter=2), found)
    assert not states(document(company="Alpha Fund", fiscal_year=2024, fiscal_quarter=2), found)
    assert not states(document(company="Beta Fund", fiscal_year=2024, fiscal_quarter=4), found)


def test_the_search_gets_the_periods_with_their_companies() -> None:
    (found,) = analysed("drawdown of last quarter", *ALPHA, *BETA).filters
    narrowed = document_filter([found])
    assert narrowed.of_companies == found.of_companies
    assert {period.label for period in narrowed.periods} == {"Q4 2024", "Q2 2024"}
    assert narrowed.of_quarters


def test_documents_without_a_company_have_a_newest_period_of_their_own() -> None:
    outlook = (entry("", 2024, 2), entry("", 2024, 3))
    expected = {"": ["Q3 2024"], "Alpha Fund": ["Q4 2024"]}
    assert chosen("drawdown of last quarter", *ALPHA, *outlook) == expected
    # A filter on companies keeps them in the search, so they count beside the company that is named.
    assert chosen("drawdown of the Alpha Fund last quarter", *ALPHA, *BETA, *outlook) == expected
    (found,) = analysed("drawdown of last quarter", *ALPHA, *outlook).filters
    assert found.values == ("Q4 2024 for Alpha Fund", "Q3 2024 for documents without a company")


def test_documents_without_a_company_alone_resolve_nothing_for_a_named_company() -> None:
    held = (entry("Alpha Fund", 2024), entry("", 2024, 3))
    analysis = analysed("drawdown of the Alpha Fund last quarter", *held)
    assert [each.field for each in analysis.filters] == [FilterField.COMPANY]
    assert any("no document of a quarter is held here" in notice for notice in analysis.notices)


def test_a_company_without_a_quarter_is_named() -> None:
    analysis = analysed("drawdown of last quarter", *ALPHA, entry("Gamma Fund", 2024), entry("Delta Fund"))
    assert chosen("drawdown of last quarter", *ALPHA, entry("Gamma Fund", 2024)) == {"Alpha Fund": ["Q4 2024"]}
    assert "No such period is held for Gamma Fund: documents of other periods are left out there." in analysis.notices


def test_fiscal_quarters_of_two_companies_are_not_compared() -> None:
    ahead = entry("Ahead Inc", 2026, 1)
    assert chosen("revenue of last quarter", *BETA, ahead) == {"Ahead Inc": ["Q1 2026"], "Beta Fund": ["Q2 2024"]}


def test_periods_count_for_the_companies_that_the_other_filters_leave() -> None:
    german = (entry("Alpha AG", 2024, 4, jurisdictions=("DE",)), entry("Silent AG", 2024, 3))
    swiss = entry("Beta AG", 2024, 2, jurisdictions=("CH",))
    found = chosen("What must be disclosed under German law for the last quarter?", *german, swiss)
    assert found == {"Alpha AG": ["Q4 2024"], "Silent AG": ["Q3 2024"]}


@pytest.mark.parametrize(
    "text",
    [
        "revenue of the last twelve months",
        "revenue for the past 12 months",
        "trailing twelve months revenue",
        "trailing-twelve-month revenue",
        "LTM revenue",
        "the revenue, TTM",
        "Umsatz der letzten zwölf Monate",
        "Umsatz in den vergangenen 12 Monaten",
    ],
)
def test_twelve_months_are_the_newest_four_quarters_or_the_newest_year(text: str) -> None:
    held = (*ALPHA, *BETA, entry("Gamma Fund", 2022), entry("Gamma Fund", 2023))
    assert chosen(text, *held) == {
        "Alpha Fund": ["Q4 2024", "Q3 2024", "Q2 2024", "Q1 2024"],
        "Beta Fund": ["Q2 2024", "Q1 2024", "Q4 2023"],
        "Gamma Fund": ["FY2023"],
    }


def test_twelve_months_are_told_by_company() -> None:
    (found,) = analysed("revenue of the last twelve months", *ALPHA, entry("Gamma Fund", 2023)).filters[:1]
    assert found.values == ("Q1 2024 to Q4 2024 for Alpha Fund", "FY2023 for Gamma Fund")


def test_twelve_months_reach_over_no_gap() -> None:
    assert chosen("LTM drawdown", entry("A Fund", 2022, 4), entry("A Fund", 2023, 4), entry("A Fund", 2024, 2)) == {
        "A Fund": ["Q2 2024", "Q4 2023"]
    }


def test_twelve_months_are_the_year_that_ends_after_the_newest_quarter() -> None:
    quarters = [entry("A Inc", 2024, quarter) for quarter in (1, 2, 3)]
    assert chosen("LTM revenue", *quarters, entry("A Inc", 2023)) == {"A Inc": ["Q3 2024", "Q2 2024", "Q1 2024"]}
    assert chosen("LTM revenue", *quarters, entry("A Inc", 2024)) == {"A Inc": ["FY2024"]}


def test_of_twelve_months_the_newest_report_is_preferred() -> None:
    def preferred(*held) -> list[str]:
        analysis = analysed("volatility over the last twelve months", *held)
        return [value for each in analysis.filters if each.field is FilterField.NEWEST_REPORT for value in each.values]

    reports = [entry("Alpha Fund", 2024, quarter, document_type=DocumentType.REPORT.value) for quarter in (3, 4)]
    assert preferred(*reports) == ["Alpha Fund report Q4 2024"]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("sales of the last 12 quarters", 12),
        ("sales of the last ten quarters", 10),
        ("sales of the past seven quarters", 7),
        ("sales of the trailing four quarters", 4),
        ("Umsatz der letzten zwölf Quartale", 12),
        ("Umsatz in den letzten 11 Quartalen", 11),
        ("Umsatz der vergangenen neun Quartale", 9),
    ],
)
def test_up_to_twelve_quarters_are_counted_in_digits_and_words(text: str, count: int) -> None:
    held = [entry("Alpha Fund", year, quarter) for year in (2020, 2021, 2022, 2023) for quarter in (1, 2, 3, 4)]
    found = chosen(text, *held, *BETA)
    assert (len(found["Alpha Fund"]), found["Alpha Fund"][0]) == (count, "Q4 2023")
    assert found["Beta Fund"] == ["Q2 2024", "Q1 2024", "Q4 2023"]


@pytest.mark.parametrize("text", ["the last 20 quarters", "the last 0 quarters", "for twelve months", "12 Monate"])
def test_other_counts_and_lengths_of_time_are_left_alone(text: str) -> None:
    assert read_period_mentions(text).relative == ()


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("LTM revenue in Q2 2024", ["Q3 2023", "Q4 2023", "Q1 2024", "Q2 2024"]),
        ("revenue of Q1 2024 and the previous two quarters", ["Q3 2023", "Q4 2023", "Q1 2024"]),
        ("LTM revenue of FY2023", ["FY2023"]),
        ("sales in FY2023, year over year", ["FY2022", "FY2023"]),
    ],
)
def test_periods_are_counted_from_the_one_that_is_named(text: str, labels: list[str]) -> None:
    (found,) = analysed(text, *ALPHA, *BETA).filters[:1]
    assert ([period.label for period in found.periods], found.of_companies) == (labels, ())


@pytest.mark.parametrize("text", ["im neuesten Bericht", "die aktuellen Zahlen", "laut letztem Quartalsbericht"])
def test_the_latest_report_in_german(text: str) -> None:
    assert resolved(text, entry("A", 2024, 3), entry("A", 2024, 4)).values == ("Q4 2024",)


def test_an_analysis_tells_the_periods_of_a_company() -> None:
    analysis: QueryAnalysis = analysed("drawdown of last quarter", *ALPHA, *BETA)
    assert [each.label for each in analysis.periods] == ["Q4 2024", "Q2 2024"]
    assert [each.label for each in analysis.periods_of("Beta Fund")] == ["Q2 2024"]
    assert analysis.periods_of("Gamma Fund") == ()
    assert analysed("drawdown in Q1 2024", *ALPHA).periods_of("Gamma Fund") == (
        Period(fiscal_year=2024, fiscal_quarter=1),
    )
