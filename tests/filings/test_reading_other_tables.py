"""Of tables that are no statements, rows of known concepts and of segments are read, and nothing doubtful."""

from __future__ import annotations

import pytest

from apps.filings.contracts import FactUnit
from tests.filings.reading import INCOME_ROWS, YEARS, Rows, html_document, only, read

_PROSE = (
    "The board has looked at the figures of this report, and has found that they show what the company earned and "
    "what it owns. More of what they are made of can be read in the notes that stand on the pages after this one."
)


def _note(title: str, table: Rows):
    return read(
        html_document(
            "# Consolidated Statements of Income",
            "(In millions, except per share data)",
            (*YEARS, *INCOME_ROWS),
            _PROSE,
            f"# {title}",
            "(In millions)",
            table,
        )
    )


def test_a_known_row_of_a_note_is_a_fact():
    facts = _note("Property", (("", "2024", "2023"), ("Land", "120", "110"), ("Buildings", "300", "290")))
    assert only(facts, "Land", 2024).value == 120_000_000


def test_an_unknown_row_of_a_note_is_known_by_its_label_alone():
    facts = _note("Property", (("", "2024", "2023"), ("Sundry odds and ends", "120", "110"), ("Land", "300", "290")))
    row = only(facts, "Sundry odds and ends", 2024)
    assert (row.concept, row.dimension, row.value) == ("", "", 120_000_000)
    assert row.confidence < only(facts, "Land", 2024).confidence


def test_an_unknown_row_whose_columns_name_more_than_periods_is_none():
    table = (("", "Level 1 2024", "Level 2 2024"), ("Sundry odds and ends", "120", "110"), ("Land", "300", "290"))
    assert "Sundry odds and ends" not in {fact.label for fact in _note("Property", table)}


def test_an_unknown_row_counts_money_only_where_its_table_says_so():
    facts = read(
        html_document(
            "# Consolidated Statements of Income",
            "(In millions, except per share data)",
            (*YEARS, *INCOME_ROWS),
            _PROSE,
            "# Operations",
            (("", "2024", "2023"), ("Ore that was hauled", "120", "110"), ("Fees that were paid", "$12", "$11")),
        )
    )
    assert only(facts, "Ore that was hauled", 2024).unit is FactUnit.NUMBER
    assert only(facts, "Ore that was hauled", 2024).value == 120
    assert only(facts, "Fees that were paid", 2024).unit is FactUnit.MONEY


def test_a_figure_that_the_statement_contradicts_is_left_out():
    facts = _note("The north", (("", "2024", "2023"), ("Net sales", "1,200", "1,100"), ("Land", "300", "290")))
    assert [fact.value for fact in facts if fact.concept == "revenue" and fact.fiscal_year == 2024] == [5_000_000_000]


def test_a_figure_that_the_statement_repeats_is_kept():
    facts = _note("Summary", (("", "2024", "2023"), ("Net sales", "5,000", "4,600"), ("Land", "300", "290")))
    assert len([fact for fact in facts if fact.concept == "revenue" and fact.fiscal_year == 2024]) == 2


def test_rows_of_a_segment_table_name_the_segment():
    facts = _note(
        "Net sales by region", (("", "2024", "2023"), ("Europe", "2,000", "1,900"), ("Asia", "3,000", "2,700"))
    )
    assert only(facts, "Europe", 2024).dimension == "Europe"


def test_the_title_of_a_segment_table_names_the_concept():
    facts = _note(
        "Net sales by region", (("", "2024", "2023"), ("Europe", "2,000", "1,900"), ("Asia", "3,000", "2,700"))
    )
    assert only(facts, "Europe", 2024).concept == "revenue"


def test_columns_of_a_segment_table_name_the_segment():
    table = (
        ("2024", "Europe", "Asia", "Total"),
        ("Net sales", "2,000", "3,000", "5,000"),
        ("Operating income", "1", "2", "3"),
    )
    facts = _note("Segments, year ended December 31, 2024", table)
    assert {fact.dimension for fact in facts if not fact.statement and fact.concept == "revenue"} == {
        "Europe",
        "Asia",
        "",
    }


def test_columns_with_names_in_another_table_are_left_out():
    table = (("2024", "Level A", "Level B"), ("Land", "2,000", "3,000"), ("Buildings", "1", "2"))
    assert all(fact.statement for fact in _note("Sundry, year ended December 31, 2024", table))


@pytest.mark.parametrize(
    "title", ["Pro forma information", "Fair value of assets acquired", "Unconsolidated affiliates"]
)
def test_tables_that_are_not_of_the_group_are_left_out(title):
    facts = _note(title, (("", "2024", "2023"), ("Land", "120", "110"), ("Goodwill", "300", "290")))
    assert all(fact.statement for fact in facts)


def test_a_dash_in_a_note_is_no_fact():
    facts = _note("Property", (("", "2024", "2023"), ("Land", "—", "110"), ("Buildings", "300", "290")))
    assert [fact.fiscal_year for fact in facts if fact.label == "Land"] == [2023]


def test_a_year_to_come_is_no_fact():
    facts = _note("Payments", (("", "2026", "2025"), ("Interest paid", "120", "110"), ("Dividends paid", "300", "290")))
    assert all(fact.statement for fact in facts)


def test_the_parent_company_alone_is_not_consolidated():
    facts = _note("Parent company only", (("", "2024", "2023"), ("Land", "120", "110"), ("Buildings", "300", "290")))
    assert not only(facts, "Land", 2024).consolidated


def test_employees_are_no_money():
    facts = _note("People", (("", "2024", "2023"), ("Number of employees", "12,000", "11,000"), ("Land", "300", "290")))
    assert only(facts, "Number of employees", 2024).unit is FactUnit.NUMBER


def test_employees_are_not_scaled():
    facts = _note("People", (("", "2024", "2023"), ("Number of employees", "12,000", "11,000"), ("Land", "300", "290")))
    assert only(facts, "Number of employees", 2024).value == 12_000


def test_the_row_of_a_statement_is_surer_than_that_of_a_note():
    facts = _note("Property", (("", "2024", "2023"), ("Land", "120", "110"), ("Buildings", "300", "290")))
    assert only(facts, "Net sales", 2024).confidence > only(facts, "Land", 2024).confidence
