"""Documents with tables, for tests of what is read from them."""

from __future__ import annotations

from collections.abc import Sequence

from apps.corpus.extraction import ExtractedDocument, extract
from apps.filings.contracts import ReadFact
from apps.filings.reading.tables import read_table_facts

Rows = Sequence[Sequence[str]]


def html_table(rows: Rows) -> str:
    """Return a table whose cells may span columns: "June 30,@2" spans two."""
    lines = []
    for row in rows:
        cells = []
        for cell in row:
            text, _, span = cell.partition("@")
            cells.append(f'<td colspan="{span or 1}">{text}</td>')
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return f"<table>{''.join(lines)}</table>"


def html_document(*parts: str | Rows) -> ExtractedDocument:
    """Return a page: texts become headings if they begin with "# ", else paragraphs; rows become tables."""
    body = []
    for part in parts:
        if not isinstance(part, str):
            body.append(html_table(part))
        elif part.startswith("# "):
            body.append(f"<h2>{part[2:]}</h2>")
        else:
            body.append(f"<p>{part}</p>")
    return extract(f"<html><body>{''.join(body)}</body></html>".encode(), filename="report.html")


def read(
    document: ExtractedDocument, *, year: int | None = 2024, quarter: int | None = None, language: str = "en"
) -> tuple[ReadFact, ...]:
    return read_table_facts(document, fiscal_year=year, fiscal_quarter=quarter, language=language)


def only(facts: Sequence[ReadFact], label: str, year: int | None = None, **wanted: object) -> ReadFact:
    """Return the one fact of a label, and of a fiscal year."""
    found = [
        fact
        for fact in facts
        if fact.label == label
        and (year is None or fact.fiscal_year == year)
        and all(getattr(fact, name) == value for name, value in wanted.items())
    ]
    assert len(found) == 1, found
    return found[0]


INCOME_ROWS: Rows = (
    ("Net sales", "5,000", "4,600"),
    ("Cost of sales", "3,000", "2,800"),
    ("Gross profit", "2,000", "1,800"),
    ("Selling, general and administrative expenses", "1,100", "1,050"),
    ("Operating income", "900", "750"),
    ("Interest expense", "100", "90"),
    ("Income before income taxes", "800", "660"),
    ("Provision for income taxes", "200", "160"),
    ("Net income", "$ 600", "$ 500"),
    ("Earnings per share:", "", ""),
    ("Basic", "$ 1.50", "$ 1.25"),
    ("Diluted", "$ 1.48", "$ 1.24"),
    ("Weighted average shares outstanding:", "", ""),
    ("Basic", "400.0", "400.0"),
    ("Diluted", "405.4", "403.2"),
)
BALANCE_ROWS: Rows = (
    ("Assets", "", ""),
    ("Cash and cash equivalents", "$ 700", "$ 500"),
    ("Accounts receivable, net", "900", "800"),
    ("Total current assets", "1,600", "1,300"),
    ("Property, plant and equipment, net", "2,000", "1,900"),
    ("Goodwill", "400", "—"),
    ("Total assets", "$ 4,000", "$ 3,200"),
    ("Liabilities and equity", "", ""),
    ("Accounts payable", "600", "500"),
    ("Total current liabilities", "600", "500"),
    ("Long-term debt", "1,000", "1,000"),
    ("Total liabilities", "1,600", "1,500"),
    ("Common stock", "100", "100"),
    ("Retained earnings", "2,300", "1,600"),
    ("Total stockholders' equity", "2,400", "1,700"),
    ("Total liabilities and stockholders' equity", "$ 4,000", "$ 3,200"),
)
CASH_ROWS: Rows = (
    ("Cash flows from operating activities:", "", ""),
    ("Net income", "$ 600", "$ 500"),
    ("Depreciation and amortization", "300", "280"),
    ("Accounts receivable", "(100)", "(50)"),
    ("Net cash provided by operating activities", "800", "730"),
    ("Cash flows from investing activities:", "", ""),
    ("Capital expenditures", "(400)", "(380)"),
    ("Net cash used in investing activities", "(400)", "(380)"),
    ("Cash flows from financing activities:", "", ""),
    ("Dividends paid", "(190)", "(180)"),
    ("Net cash used in financing activities", "(190)", "(180)"),
    ("Effect of exchange rate changes on cash", "(10)", "5"),
    ("Net increase in cash and cash equivalents", "200", "175"),
    ("Cash and cash equivalents at beginning of year", "500", "325"),
    ("Cash and cash equivalents at end of year", "$ 700", "$ 500"),
)
YEARS: Rows = (("", "Years ended December 31,@2"), ("", "2024", "2023"))


def income_statement(rows: Rows = INCOME_ROWS, heads: Rows = YEARS) -> ExtractedDocument:
    return html_document("# Consolidated Statements of Income", "(In millions, except per share data)", (*heads, *rows))


def balance_sheet(
    rows: Rows = BALANCE_ROWS, heads: Rows = (("", "December 31, 2024", "December 31, 2023"),)
) -> ExtractedDocument:
    return html_document("# Consolidated Balance Sheets", "(In millions, except share data)", (*heads, *rows))


def cash_flow_statement(rows: Rows = CASH_ROWS, heads: Rows = YEARS) -> ExtractedDocument:
    return html_document("# Consolidated Statements of Cash Flows", "(In millions)", (*heads, *rows))
