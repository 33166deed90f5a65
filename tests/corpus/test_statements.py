"""Which pages print a financial statement: by title and lines together, whole or going on overleaf, and no other."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from apps.corpus.chunking import DocumentFacts, chunk_document
from apps.corpus.extraction import BlockKind, ExtractedDocument, MediaType, Page
from apps.corpus.extraction.pages import BlockDraft, build_page
from apps.corpus.extraction.statements import Statement, recognise_statements
from apps.corpus.reader.reading import counted_terms
from apps.corpus.terms import terms

BALANCE = """
    Cash and cash equivalents|Receivables, net|Inventories|Total current assets|Property, plant and equipment, net
    |Goodwill|Total assets|Accounts payable|Total current liabilities|Long-term debt|Retained earnings
    |Total liabilities and shareholders' equity
"""
INCOME = """
    Net sales|Cost of sales|Gross profit|Selling, general and administrative expenses|Operating income|Interest expense
    |Income before income taxes|Provision for income taxes|Net income|Diluted earnings per share
"""
CASH = """
    Cash flows from operating activities|Net income|Depreciation and amortization|Cash flows from investing activities
    |Purchases of property and equipment|Cash flows from financing activities|Dividends paid
    |Net decrease in cash and cash equivalents|Cash and cash equivalents at end of year
"""
BILANZ = """
    Sachanlagen|Geschäfts- oder Firmenwert|Forderungen aus Lieferungen und Leistungen|Zahlungsmittel|Summe Aktiva
    |Gezeichnetes Kapital|Gewinnrücklagen|Verbindlichkeiten|Summe Passiva
"""


def page(number: int, title: str, lines: str, *, below: Sequence[str] = ()) -> Page:
    labels = [" ".join(label.split()) for label in lines.split("|")]
    return build_page(
        number,
        [
            BlockDraft(BlockKind.HEADING, title, level=2),
            *(BlockDraft(BlockKind.PARAGRAPH, text) for text in below),
            *(
                BlockDraft(BlockKind.TABLE_ROW, f"{label} | 2023: {i}00 | 2022: {i}50")
                for i, label in enumerate(labels)
            ),
        ],
    )


def prose(number: int, title: str) -> Page:
    text = "The balance sheet, the income statement and the cash flow statement are explained in what follows."
    return build_page(number, [BlockDraft(BlockKind.HEADING, title, level=2), BlockDraft(BlockKind.PARAGRAPH, text)])


@pytest.mark.parametrize(
    ("title", "lines", "statement"),
    [
        ("Consolidated Balance Sheets", BALANCE, Statement.BALANCE_SHEET),
        ("STATEMENTS OF FINANCIAL POSITION", BALANCE, Statement.BALANCE_SHEET),
        ("Consolidated Balance Shee t", BALANCE, Statement.BALANCE_SHEET),
        ("Konzernbilanz", BILANZ, Statement.BALANCE_SHEET),
        ("Consolidated Statements of Operations", INCOME, Statement.INCOME_STATEMENT),
        ("CONSOLIDATED STATEMENT OF EARNINGS", INCOME, Statement.INCOME_STATEMENT),
        ("Income statement", INCOME, Statement.INCOME_STATEMENT),
        ("Consolidated Statements of Cash Flows", CASH, Statement.CASH_FLOW_STATEMENT),
    ],
)
def test_a_statement_is_known_by_its_title_and_lines(title: str, lines: str, statement: Statement) -> None:
    assert recognise_statements([page(7, title, lines)]) == {7: (statement,)}


@pytest.mark.parametrize(
    "no_statement",
    [
        page(1, "Segment results", BALANCE),
        page(1, "Consolidated Balance Sheets", "Alpha|Beta|Gamma|Delta|Epsilon|Zeta|Eta|Theta|Iota"),
        page(1, "Notes to consolidated balance sheets", BALANCE),
        page(1, "Selected balance sheet data", BALANCE),
        page(1, "Condensed balance sheets", BALANCE, below=["Schedule I", "Parent company only"]),
        page(1, "Consolidated statements of income", INCOME.replace("|Net income", "")),
        prose(1, "Consolidated Balance Sheets"),
    ],
    ids=["no title", "no lines", "notes", "selected data", "parent alone", "without its result", "no rows"],
)
def test_what_only_resembles_a_statement_is_none(no_statement: Page) -> None:
    assert recognise_statements([no_statement]) == {}


def test_a_statement_that_goes_on_overleaf_has_both_pages() -> None:
    assets, rest = BALANCE.split("|Accounts payable")
    found = recognise_statements(
        [
            page(3, "Consolidated Balance Sheets", assets + "|Other assets|Total other assets"),
            page(
                4, "Consolidated Balance Sheets", "Accounts payable" + rest + "|Common stock|Treasury|Other|Preferred"
            ),
        ]
    )
    assert found == {3: (Statement.BALANCE_SHEET,), 4: (Statement.BALANCE_SHEET,)}


def test_of_a_summary_and_the_statement_the_one_beside_the_others_counts() -> None:
    found = recognise_statements(
        [
            page(2, "Consolidated statements of income", INCOME),
            *(prose(number, "Discussion") for number in range(3, 30)),
            page(30, "Consolidated statements of income", INCOME),
            page(31, "Consolidated balance sheets", BALANCE),
            page(32, "Consolidated statements of cash flows", CASH),
        ]
    )
    assert found == {
        30: (Statement.INCOME_STATEMENT,),
        31: (Statement.BALANCE_SHEET,),
        32: (Statement.CASH_FLOW_STATEMENT,),
    }


def test_passages_of_a_statement_s_page_say_so_in_their_header_and_bear_its_term() -> None:
    document = ExtractedDocument(
        pages=(page(1, "Statements of financial position", BALANCE), prose(2, "Outlook")),
        media_type=MediaType.PDF,
        language="en",
        title=None,
        warnings=(),
    )
    drafts = chunk_document(
        document,
        facts=DocumentFacts(company="Northwind", period="FY2023", document_type="10-K"),
        count_tokens=lambda texts: [len(text.split()) for text in texts],
        child_tokens=96,
    )
    on_it = [draft for draft in drafts if not draft.is_parent and draft.page_start == 1]
    assert len(on_it) > 1
    for draft in on_it:
        assert "Balance sheet" in draft.context_header
        assert counted_terms(draft, "en")["statement:balance_sheet"] == 1
    other = next(draft for draft in drafts if draft.page_start == 2)
    assert "Balance sheet" not in other.context_header
    assert not [term for term in counted_terms(other, "en") if term.startswith("statement:")]


def test_no_text_makes_a_statement_s_term() -> None:
    assert "statement:balance_sheet" not in terms("statement:balance_sheet STATEMENT:BALANCE_SHEET", "en")
