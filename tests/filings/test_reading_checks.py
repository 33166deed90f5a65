"""Sums of statements prove their figures, and identities that don't hold warn of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from apps.filings.contracts import CheckResult, FactUnit, ReadFact
from apps.filings.reading.checks import check_facts
from tests.filings.reading import (
    BALANCE_ROWS,
    CASH_ROWS,
    INCOME_ROWS,
    Rows,
    balance_sheet,
    cash_flow_statement,
    html_document,
    income_statement,
    only,
    read,
)


def _changed(rows: Rows, label: str, first: str) -> Rows:
    """Return rows in which the first figure of a label is another."""
    return [(row[0], first, *row[2:]) if row[0] == label else row for row in rows]


def _results(facts: Sequence[ReadFact]) -> set[CheckResult]:
    return {fact.check for fact in check_facts(facts)}


@pytest.mark.parametrize("document", [income_statement(), balance_sheet(), cash_flow_statement()])
def test_every_figure_of_a_statement_that_adds_up_passes(document):
    assert _results(read(document)) == {CheckResult.PASSED}


def test_a_figure_that_passes_says_by_which_sum():
    facts = check_facts(read(income_statement()))
    assert "Gross profit" in only(facts, "Net sales", 2024).check_detail


def test_total_assets_that_do_not_balance_fail():
    rows = _changed(_changed(BALANCE_ROWS, "Total assets", "4,700"), "Goodwill", "401")
    assert only(check_facts(read(balance_sheet(rows))), "Total assets", 2024).check is CheckResult.FAILED


def test_the_other_column_of_a_balance_sheet_that_fails_passes():
    rows = _changed(_changed(BALANCE_ROWS, "Total assets", "4,700"), "Goodwill", "401")
    assert only(check_facts(read(balance_sheet(rows))), "Total assets", 2023).check is CheckResult.PASSED


def test_a_figure_that_fails_says_the_sum_in_words():
    rows = _changed(_changed(BALANCE_ROWS, "Total assets", "4,700"), "Goodwill", "401")
    detail = only(check_facts(read(balance_sheet(rows))), "Total assets", 2024).check_detail
    assert detail == "Total assets 4,700 does not equal Total liabilities and stockholders' equity $ 4,000"


def test_a_gross_profit_that_is_not_revenue_less_cost_fails():
    facts = check_facts(read(income_statement(_changed(INCOME_ROWS, "Gross profit", "2,345"))))
    assert only(facts, "Gross profit", 2024).check is CheckResult.FAILED


def test_costs_printed_in_brackets_pass_too():
    rows = _changed(INCOME_ROWS, "Cost of sales", "(3,000)")
    assert only(check_facts(read(income_statement(rows))), "Cost of sales", 2024).check is CheckResult.PASSED


def test_cash_that_does_not_roll_forward_fails():
    rows = _changed(CASH_ROWS, "Cash and cash equivalents at end of year", "765")
    facts = check_facts(read(cash_flow_statement(rows)))
    assert only(facts, "Cash and cash equivalents at end of year", 2024).check is CheckResult.FAILED


def test_cash_flows_that_another_sum_proves_do_not_fail():
    rows = _changed(CASH_ROWS, "Cash and cash equivalents at end of year", "765")
    facts = check_facts(read(cash_flow_statement(rows)))
    assert only(facts, "Net cash provided by operating activities", 2024).check is CheckResult.PASSED


def test_a_total_that_no_rows_add_up_to_is_not_checked():
    rows = (*BALANCE_ROWS[:3], ("Total other things", "123,456", "1"), *BALANCE_ROWS[3:])
    assert only(check_facts(read(balance_sheet(rows))), "Total other things", 2024).check is CheckResult.UNCHECKED


def test_a_sum_may_be_off_by_the_last_digit_printed():
    rows = _changed(CASH_ROWS, "Net cash provided by operating activities", "801")
    facts = check_facts(read(cash_flow_statement(rows)))
    assert only(facts, "Depreciation and amortization", 2024).check is CheckResult.PASSED


def test_a_sign_is_turned_where_only_so_the_rows_add_up():
    facts = check_facts(read(cash_flow_statement(_changed(CASH_ROWS, "Accounts receivable", "100"))))
    assert only(facts, "Accounts receivable", 2024).value == -100_000_000


def test_a_turned_sign_is_said():
    facts = check_facts(read(cash_flow_statement(_changed(CASH_ROWS, "Accounts receivable", "100"))))
    assert only(facts, "Accounts receivable", 2024).check_detail.startswith("The sign is turned")


def test_shares_are_scaled_as_the_result_per_share_shows():
    facts = [
        replace(fact, value=fact.value / 1000, exponent=3) if fact.unit is FactUnit.SHARES else fact
        for fact in read(income_statement())
    ]
    assert only(check_facts(facts), "Basic", 2024, unit=FactUnit.SHARES).value == Decimal(400_000_000)


def test_a_figure_elsewhere_that_a_proven_one_repeats_passes():
    parts = [[("", "2024", "2023"), *INCOME_ROWS], [("", "2024", "2023"), ("Net sales", "5,000", "4,600")]]
    document = html_document(
        "# Consolidated Statements of Income",
        "(In millions)",
        parts[0],
        "The table that follows shows how much we sold in the years that this report is of, and in the years before, "
        "all of it in millions of dollars, as said above and in the notes to these statements.",
        "# Selected figures",
        parts[1],
    )
    facts = [fact for fact in check_facts(read(document)) if not fact.statement and fact.concept == "revenue"]
    assert {fact.check for fact in facts} == {CheckResult.PASSED}


def test_facts_keep_their_order():
    facts = read(balance_sheet())
    assert [fact.cell for fact in check_facts(facts)] == [fact.cell for fact in facts]


def test_no_facts_are_checked():
    assert check_facts(()) == ()


def test_totals_without_a_label_are_named_by_their_sums():
    unnamed = ("Total assets", "Total liabilities and stockholders' equity")
    rows = [("", *row[1:]) if row[0] in unnamed else row for row in BALANCE_ROWS]
    concepts = {fact.concept for fact in check_facts(read(balance_sheet(rows))) if not fact.label}
    assert concepts == {"total assets", "total liabilities and equity"}


@pytest.mark.parametrize(("quarter", "result"), [("1,300", CheckResult.PASSED), ("1,301", CheckResult.UNCHECKED)])
def test_a_fourth_quarter_is_the_year_less_nine_months(quarter, result):
    heads = (("", "Nine months ended September 30, 2024", "Three months ended December 31, 2024", "2024"),)
    document = html_document("# Results", "(In thousands)", (*heads, ("Net sales", "3,700", quarter, "5,000")))
    facts = check_facts(read(document, year=2024))
    assert {fact.check for fact in facts if fact.concept == "revenue"} == {result}
