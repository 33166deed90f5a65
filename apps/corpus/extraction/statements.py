"""Recognise the pages that print a financial statement: the balance sheet, the income and the cash flow statement.

Two things must come together: a title near the top of the page, and the lines that such a statement has. A title alone
also stands in tables of contents and discussions; the lines alone stand in summaries. Statements are printed one after
the other, so the page that has the others near is the statement, and a summary under the same title is not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.corpus.extraction.contracts import Block, BlockKind, Page


class Statement(StrEnum):
    BALANCE_SHEET = "balance_sheet"
    INCOME_STATEMENT = "income_statement"
    CASH_FLOW_STATEMENT = "cash_flow_statement"

    def label(self, language: str) -> str:
        """As a heading names it. Args: language: "de", or anything else for English."""
        return _LABELS[self][language == "de"]


_LABELS: Final = {
    Statement.BALANCE_SHEET: ("Balance sheet", "Bilanz"),
    Statement.INCOME_STATEMENT: ("Income statement", "Gewinn- und Verlustrechnung"),
    Statement.CASH_FLOW_STATEMENT: ("Cash flow statement", "Kapitalflussrechnung"),
}

# Compared without blanks: where a title's letters are set apart, a PDF's text has blanks within its words.
_TITLES: Final = {
    Statement.BALANCE_SHEET: (
        r"balancesheet|statements?of(?:consolidated)?financial(?:position|condition)|bilanz(?!ier)"
    ),
    Statement.INCOME_STATEMENT: (
        r"statements?of(?:consolidated)?(?:net|comprehensive)?(?:income|operations|earnings|profit)|incomestatement"
        r"|^consolidatedresultsofoperations|profitandlossaccount|gewinn-undverlustrechnung"
    ),
    Statement.CASH_FLOW_STATEMENT: r"statements?of(?:consolidated)?cashflow|cashflowstatement|kapitalflussrechnung",
}
# One alternative a line that the statement has; each counts once.
_LINES: Final = {
    Statement.BALANCE_SHEET: (
        r"total assets|bilanzsumme|summe (?:der )?aktiva",
        r"total current assets|cash equivalents|cash and due|zahlungsmittel|kassenbestand",
        r"total current liabilities|total liabilities\b|accounts payable|deposits|verbindlichkeiten",
        r"total liabilities and|total .{0,25}equity|total capitali[sz]ation|summe (?:der )?passiva|summe eigenkapital",
        r"retained earnings|accumulated deficit|reinvested|paid.in capital|capital surplus|common stock|share capital"
        r"|gewinnr.cklage|gezeichnetes kapital",
        r"receivables?\b|loans|forderungen",
        r"goodwill|property,? plant|property and equipment|premises|sachanlagen|gesch.fts- oder firmenwert",
    ),
    Statement.INCOME_STATEMENT: (
        r"(?:total )?(?:net )?(?:revenues?|sales)\b|interest income|umsatzerl.se",
        r"cost of|costs? and expenses|operating expenses?|selling|compensation expense|noninterest expense"
        r"|materialaufwand|personalaufwand|umsatzkosten",
        r"operating (?:income|profit|earnings|loss|margin)|betriebsergebnis|ergebnis vor"
        r"|(?:income|earnings|profit|loss\)?).{0,30}(?:operations|before)",
        r"provision for|income tax|taxes on|ertragsteuern|steuern vom einkommen",
        r"net (?:income|earnings|loss|\(loss\))|profit for|jahres.berschuss|konzernergebnis|periodenergebnis",
        r"diluted|basic|per (?:common )?share|ergebnis je aktie",
    ),
    Statement.CASH_FLOW_STATEMENT: (
        r"operating activities|cash (?:generated )?from operations|gesch.ftst.tigkeit",
        r"investing activities|investitionst.tigkeit",
        r"financing activities|finanzierungst.tigkeit",
        r"depreciation|amorti[sz]ation|abschreibungen",
        r"(?:cash|equivalents).{0,60}(?:end|beginning) of|net (?:increase|decrease|change|\(decrease\)|\(increase\))"
        r".{0,20} in cash|zahlungsmittel|finanzmittel",
        r"capital expenditures|purchases? of (?:property|premises|investments)|capital spending|acquisitions?"
        r"|(?:additions|payments) (?:to|for) property|auszahlungen f.r (?:investitionen|sachanlagen)",
        r"dividends|repurchases?|borrowings|proceeds|repayments?|payments? of (?:long|debt)|dividende|tilgung|aufnahme",
    ),
}
_FEWEST_LINES: Final = {
    Statement.BALANCE_SHEET: 4,
    Statement.INCOME_STATEMENT: 5,
    Statement.CASH_FLOW_STATEMENT: 4,
}
_RESULT: Final = 4  # the place of the bottom line among the income statement's: without it, it is a part of one
_NO_TITLE: Final = re.compile(
    r"notes? to|\bsee\b|index|refer|analysis|discussion|information|selected|summar|anhang|\.\s*$", re.IGNORECASE
)
_NOT_THE_GROUP: Final = re.compile(
    r"parent company|registrant|condensed financial information|schedule i\b|guarantor|pro forma|supplemental",
    re.IGNORECASE,
)
_AMOUNT: Final = re.compile(r"(?<![\w.])\(?[$€£]?\d[\d.,']*\)?")
_FEWEST_ROWS: Final = 8
_TOP_BLOCKS: Final = 10
_SUBTITLE_BLOCKS: Final = 6
_LONGEST_TITLE: Final = 100
_LONGEST_LABEL: Final = 120
_NEAR_PAGES: Final = 8

_TITLE_PATTERNS: Final = {each: re.compile(pattern, re.IGNORECASE) for each, pattern in _TITLES.items()}
_LINE_PATTERNS: Final = {
    each: tuple(re.compile(rf"\b(?:{pattern})", re.IGNORECASE) for pattern in patterns)
    for each, patterns in _LINES.items()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A statement's title on a page. is_whole: enough of its lines stand below; else it may be the rest of one."""

    is_whole: bool


def recognise_statements(pages: Sequence[Page]) -> Mapping[int, tuple[Statement, ...]]:
    """Say which pages print which statement.

    Args:    pages: of one document, in order.
    Returns: page number -> the statements on it; pages without one are absent. A statement that goes on overleaf under
             its own title has both pages. Where a document prints one twice, as a summary and in full, or for the group
             and for one company, the pages count that stand nearest to the other statements.
    """
    found = {page.number: _on_page(page.blocks) for page in pages}
    whole = {
        (number, statement)
        for number, on_page in found.items()
        for statement, each in on_page.items()
        if each.is_whole or _continues(statement, found.get(number - 1, {}))
    }
    company = {place: _others_near(place, whole) for place in whole}
    most = {
        statement: max((count for (_, other), count in company.items() if other is statement), default=0)
        for statement in Statement
    }
    recognised: dict[int, list[Statement]] = {}
    for number, statement in sorted(whole):
        if company[number, statement] == most[statement]:
            recognised.setdefault(number, []).append(statement)
    return {number: tuple(statements) for number, statements in recognised.items()}


def _on_page(blocks: Sequence[Block]) -> dict[Statement, _Found]:
    rows = sum(1 for block in blocks if _is_row(block))
    if rows < _FEWEST_ROWS:
        return {}
    top = [block.text for block in blocks[:_SUBTITLE_BLOCKS] if len(block.text) < _LONGEST_TITLE]
    if any(_NOT_THE_GROUP.search(text) for text in top):
        return {}
    titles = [
        block.text
        for position, block in enumerate(blocks)
        if (position < _TOP_BLOCKS or block.kind is BlockKind.HEADING)
        and len(block.text) < _LONGEST_TITLE
        and not _NO_TITLE.search(block.text)
    ]
    labels = [label for block in blocks if len(label := block.text.split(" | ", 1)[0]) < _LONGEST_LABEL]
    found: dict[Statement, _Found] = {}
    for statement in Statement:
        if not any(_TITLE_PATTERNS[statement].search("".join(title.split())) for title in titles):
            continue
        has = [any(pattern.search(label) for label in labels) for pattern in _LINE_PATTERNS[statement]]
        lacks_result = statement is Statement.INCOME_STATEMENT and not has[_RESULT]
        missing = _FEWEST_LINES[statement] - sum(has)
        if missing <= 1:
            found[statement] = _Found(is_whole=missing <= 0 and not lacks_result)
    return found


def _is_row(block: Block) -> bool:
    if block.kind is BlockKind.TABLE_ROW:
        return True
    return len(block.text) < 2 * _LONGEST_TITLE and len(_AMOUNT.findall(block.text)) >= 2


def _continues(statement: Statement, on_page_before: Mapping[Statement, _Found]) -> bool:
    before = on_page_before.get(statement)
    return before is not None and before.is_whole


def _others_near(place: tuple[int, Statement], whole: set[tuple[int, Statement]]) -> int:
    number, statement = place
    return len({other for page, other in whole if other is not statement and abs(page - number) <= _NEAR_PAGES})
