"""What holds for the facts of every table."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given
from hypothesis import strategies as st

from apps.filings.contracts import FactUnit
from apps.filings.reading.amounts import read_amount
from apps.filings.reading.checks import check_facts
from apps.filings.reading.headings import ColumnKind, kind_of, read_period
from tests.filings.reading import YEARS, html_document, read

_AMOUNTS = st.one_of(
    st.integers(min_value=0, max_value=10**9).map(lambda number: f"{number:,}"),
    st.integers(min_value=1, max_value=10**6).map(lambda number: f"({number:,})"),
    st.integers(min_value=1, max_value=10**6).map(lambda number: f"$ {number:,}"),
    st.decimals(min_value=0, max_value=10**6, places=2).map(lambda number: f"{number:,}"),
    st.just("—"),
)
_LABELS = ("Net sales", "Cost of sales", "Interest expense", "Operating income", "Income before income taxes")
_MORE = (
    "Provision for income taxes",
    "Net income",
    "Basic earnings per share",
    "Diluted earnings per share",
    "Dividends",
)
_TABLES = st.lists(st.tuples(_AMOUNTS, _AMOUNTS), min_size=10, max_size=10)


def _document(amounts: list[tuple[str, str]]):
    rows = [(label, *pair) for label, pair in zip((*_LABELS, *_MORE), amounts, strict=True)]
    return html_document("# Consolidated Statements of Income", "(In millions, except per share data)", (*YEARS, *rows))


@given(_TABLES)
def test_the_cell_of_a_fact_reads_what_is_printed(amounts):
    document = _document(amounts)
    text = {page.number: page.text for page in document.pages}
    for fact in read(document):
        assert text[fact.page][fact.cell.start : fact.cell.end] == fact.printed


@given(_TABLES)
def test_the_row_of_a_fact_has_its_label_and_its_cell(amounts):
    document = _document(amounts)
    text = {page.number: page.text for page in document.pages}
    for fact in read(document):
        row = text[fact.page][fact.row.start : fact.row.end]
        assert row.startswith(fact.label)
        assert fact.printed in row


@given(_TABLES)
def test_the_value_is_what_is_printed_times_its_scale(amounts):
    for fact in read(_document(amounts)):
        amount = read_amount(fact.printed, decimal_comma=False)
        assert amount is not None
        assert fact.value == amount.value * 10 ** (fact.exponent or 0)


@given(_TABLES)
def test_only_money_has_a_currency(amounts):
    for fact in read(_document(amounts)):
        assert not fact.currency or fact.unit in (FactUnit.MONEY, FactUnit.PER_SHARE)


@given(_TABLES)
def test_a_check_changes_no_printed_text(amounts):
    facts = read(_document(amounts))
    assert [fact.printed for fact in check_facts(facts)] == [fact.printed for fact in facts]


@given(st.integers(min_value=-(10**12), max_value=10**12), st.booleans())
def test_an_amount_reads_back(number, decimal_comma):
    written = f"{abs(number):,}".replace(",", "." if decimal_comma else ",")
    amount = read_amount(f"({written})" if number < 0 else written, decimal_comma=decimal_comma)
    assert amount is not None
    assert amount.value == Decimal(number)


@given(st.text(max_size=400))
def test_any_text_may_stand_in_a_cell(text):
    amount = read_amount(text, decimal_comma=False)
    assert amount is None or amount.value.is_finite()


@given(st.text(max_size=400))
def test_any_text_may_head_a_column(text):
    assert read_period(text).months in (0, 1, 3, 6, 9, 12)


@given(st.text(max_size=400))
def test_any_heading_is_of_a_kind(text):
    assert kind_of(text) in ColumnKind
