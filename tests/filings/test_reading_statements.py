"""Figures of primary statements become facts, with their period, unit, scale, sign and place."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from apps.filings.contracts import FactUnit, HowRead
from tests.filings.reading import (
    CASH_ROWS,
    INCOME_ROWS,
    YEARS,
    balance_sheet,
    cash_flow_statement,
    html_document,
    income_statement,
    only,
    read,
)


def test_every_figure_of_a_statement_is_a_fact():
    assert len(read(income_statement())) == 2 * (len(INCOME_ROWS) - 2)


def test_a_row_is_named_by_the_vocabulary():
    assert only(read(income_statement()), "Net sales", 2024).concept == "revenue"


def test_the_stated_scale_is_applied():
    assert only(read(income_statement()), "Net sales", 2024).value == 5_000_000_000


def test_a_figure_per_share_is_not_scaled():
    assert only(read(income_statement()), "Basic", 2024, unit=FactUnit.PER_SHARE).value == Decimal("1.50")


def test_the_line_above_tells_rows_of_one_label_apart():
    concepts = {fact.concept for fact in read(income_statement()) if fact.label == "Diluted"}
    assert concepts == {"diluted earnings per share", "weighted average diluted shares"}


def test_shares_are_scaled_where_only_figures_per_share_are_excepted():
    assert only(read(income_statement()), "Basic", 2024, unit=FactUnit.SHARES).value == 400_000_000


def test_a_flow_has_the_months_of_its_heading():
    fact = only(read(income_statement()), "Net sales", 2024)
    assert (fact.starts_on, fact.ends_on, fact.months) == (date(2024, 1, 1), date(2024, 12, 31), 12)


def test_a_balance_is_of_a_day():
    fact = only(read(balance_sheet()), "Total assets", 2023)
    assert (fact.starts_on, fact.ends_on, fact.months) == (None, date(2023, 12, 31), 0)


def test_a_dash_in_a_statement_is_zero():
    assert only(read(balance_sheet()), "Goodwill", 2023).value == 0


def test_brackets_are_negative():
    assert only(read(cash_flow_statement()), "Dividends paid", 2024).value == -190_000_000


def test_a_balance_among_cash_flows_is_no_balance():
    assert only(read(cash_flow_statement()), "Accounts receivable", 2024).concept != "accounts receivable"


def test_cash_at_the_beginning_is_of_the_end_of_the_year_before():
    fact = only(read(cash_flow_statement()), "Cash and cash equivalents at beginning of year", 2023)
    assert (fact.value, fact.ends_on, fact.months) == (500_000_000, date(2023, 12, 31), 0)


def test_the_currency_of_a_sign_in_the_table_counts():
    assert only(read(income_statement()), "Net income", 2024).currency == "USD"


def test_a_fact_says_from_what_it_was_read():
    assert {fact.how_read for fact in read(income_statement())} == {HowRead.HTML_TABLE}


def test_a_restated_column_is_marked():
    facts = read(income_statement(heads=(("", "2024", "2023 (restated)"),)))
    assert {fact.fiscal_year: fact.restated for fact in facts} == {2024: False, 2023: True}


@pytest.mark.parametrize("heading", ["% Change", "Change", "Note", "2025 forecast", "% of sales", "2025 Guidance"])
def test_a_column_of_no_amounts_is_left_out(heading):
    rows = [(*row, "7") for row in INCOME_ROWS]
    facts = read(income_statement(rows=rows, heads=(("", "2024", "2023", heading),)))
    assert {fact.column for fact in facts} == {"2024", "2023"}


def test_a_heading_over_two_columns_counts_for_both():
    rows = [(label, first, second, first, second) for label, first, second in CASH_ROWS]
    heads = (
        ("", "Three Months Ended June 30,@2", "Six Months Ended June 30,@2"),
        ("", "2024", "2023", "2024", "2023"),
    )
    facts = read(cash_flow_statement(rows=rows, heads=heads), quarter=2)
    assert [(each.fiscal_year, each.months) for each in facts if each.label == "Net income"] == [
        (2024, 3),
        (2023, 3),
        (2024, 6),
        (2023, 6),
    ]


def test_the_newest_column_is_of_the_fiscal_year_of_the_document():
    facts = read(balance_sheet(heads=(("", "February 1, 2025", "February 3, 2024"),)), year=2024)
    assert [fact.fiscal_year for fact in facts if fact.label == "Total assets"] == [2024, 2023]


def test_the_year_end_before_a_quarter_is_a_whole_year():
    facts = read(balance_sheet(heads=(("", "March 31, 2024", "December 31, 2023"),)), year=2024, quarter=1)
    periods = [(each.fiscal_year, each.fiscal_quarter) for each in facts if each.label == "Total assets"]
    assert periods == [(2024, 1), (2023, 0)]


def test_a_document_without_tables_has_no_facts():
    assert read(html_document("# Results", "Sales were strong.")) == ()


def test_a_document_has_no_more_facts_than_the_limit(monkeypatch):
    monkeypatch.setattr("apps.filings.reading.tables.MOST_FACTS", 5)
    assert len(read(income_statement())) == 5


def test_rows_with_equal_claims_to_a_concept_have_none():
    rows = (*INCOME_ROWS[:5], ("Interest expense", "7", "8"), *INCOME_ROWS[5:])
    assert {fact.concept for fact in read(income_statement(rows=rows)) if fact.label == "Interest expense"} == {""}


def test_percentages_of_the_revenue_are_left_out():
    rows = [(label, first, first and "20.5%", second, second and "19.5%") for label, first, second in INCOME_ROWS]
    facts = read(income_statement(rows=rows, heads=(("", "2024@2", "2023@2"),)))
    assert {fact.unit for fact in facts} == {FactUnit.MONEY, FactUnit.PER_SHARE, FactUnit.SHARES}


def test_shares_with_a_scale_of_their_own_have_it():
    document = html_document(
        "# Consolidated Statements of Income",
        "(Dollars in millions, except per share amounts, and shares in thousands)",
        (*YEARS, *INCOME_ROWS),
    )
    assert only(read(document), "Basic", 2024, unit=FactUnit.SHARES).value == 400_000


def test_a_scale_of_shares_is_not_that_of_money():
    document = html_document(
        "# Consolidated Statements of Income",
        "(Dollars in millions, except per share amounts, and shares in thousands)",
        (*YEARS, *INCOME_ROWS),
    )
    assert only(read(document), "Net sales", 2024).value == 5_000_000_000


def test_taxes_paid_are_not_the_taxes_charged():
    rows = (*CASH_ROWS, ("Cash paid during the year for:", "", ""), ("Income taxes", "150", "140"))
    assert only(read(cash_flow_statement(rows=rows)), "Income taxes", 2024).concept == "income taxes paid"
