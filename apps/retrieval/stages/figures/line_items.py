"""The lines of the statements: the labels of a figure in the balance sheet, income statement or cash flow statement.

The glossary says what a question calls a figure, and widens the search. The labels here are those of the rows from
which the figure is read, and must match a row's label nearly completely. A measure that is calculated from several
lines lists its parts.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.retrieval.contracts import QueryAnalysis
from apps.retrieval.stages.figures.formulas import lines_of
from apps.retrieval.stages.figures.measure_table import MEASURES


@dataclass(frozen=True, slots=True, kw_only=True)
class LineItem:
    """A line of a statement. name: the glossary's label. labels: what rows call it, the plainest first."""

    name: str
    statement: Statement
    labels: tuple[str, ...]


def _item(name: str, statement: Statement, labels: str) -> LineItem:
    return LineItem(name=name, statement=statement, labels=tuple(part.strip() for part in labels.split("|")))


_BALANCE: Final = Statement.BALANCE_SHEET
_INCOME: Final = Statement.INCOME_STATEMENT
_CASH: Final = Statement.CASH_FLOW_STATEMENT

_ITEMS: Final = (
    _item(
        "capital expenditure",
        _CASH,
        "capital expenditures | purchases of property, plant and equipment | purchases of property and equipment"
        " | property, plant and equipment additions | additions to property, plant and equipment"
        " | additions to property and equipment | property additions | capital spending"
        " | payments for property, plant and equipment | payments to acquire property, plant and equipment"
        " | acquisition of property, plant and equipment | investments in property, plant and equipment"
        " | expenditures for property, plant and equipment | Investitionen in Sachanlagen"
        " | Sachinvestitionen | Auszahlungen für Sachanlagen | Auszahlungen für Investitionen in Sachanlagen",
    ),
    _item(
        "property, plant and equipment",
        _BALANCE,
        "property, plant and equipment | property and equipment | Sachanlagen",
    ),
    _item(
        "depreciation and amortisation",
        _CASH,
        "depreciation and amortization | depreciation and amortisation | depreciation, amortization"
        " | depreciation and amortization of property, equipment and intangibles | depreciation | Abschreibungen",
    ),
    _item(
        "cost of goods sold",
        _INCOME,
        "cost of sales | cost of goods sold | cost of revenue | cost of products sold | cost of services and products"
        " | costs of revenue | Umsatzkosten | Materialaufwand",
    ),
    _item(
        "selling, general and administrative expense",
        _INCOME,
        "selling, general and administrative expenses | selling, general and administrative | SG&A"
        " | selling and administrative expenses | general and administrative"
        " | Vertriebs- und Verwaltungskosten | Verwaltungskosten",
    ),
    _item(
        "research and development",
        _INCOME,
        "research and development | research and development expense | R&D | R&D expense"
        " | research, development and related expenses | Forschung und Entwicklung",
    ),
    _item(
        "revenue",
        _INCOME,
        "net sales | revenues | revenue | net revenues | total revenue | total revenues | total net revenue"
        " | operating revenues | sales | sales and revenues | turnover | Umsatzerlöse | Umsatz | Erlöse",
    ),
    _item(
        "net income",
        _INCOME,
        "net income | net earnings | net loss | net income (loss) | profit for the year | net profit | profit after tax"
        " | Jahresüberschuss | Jahresergebnis | Nettogewinn | Nettoergebnis | Periodenergebnis"
        " | Konzernergebnis",
    ),
    _item(
        "operating income",
        _INCOME,
        "operating income | operating profit | income from operations | earnings from operations | loss from operations"
        " | operating income (loss) | Betriebsergebnis | operatives Ergebnis",
    ),
    _item("gross profit", _INCOME, "gross profit | gross margin | Bruttoergebnis vom Umsatz"),
    _item(
        "interest expense",
        _INCOME,
        "interest expense | interest and debt expense | finance costs | finance expense | Zinsaufwand"
        " | Zinsaufwendungen | Finanzaufwendungen",
    ),
    _item(
        "income tax",
        _INCOME,
        "provision for income taxes | income tax expense | income taxes | income tax provision"
        " | provision (benefit) for income taxes | income tax | Ertragsteuern | Steuern vom Einkommen und vom Ertrag",
    ),
    _item(
        "income before tax",
        _INCOME,
        "income before income taxes | earnings before income taxes | income before taxes | earnings before taxes"
        " | income before provision for income taxes | loss before income taxes | income (loss) before income taxes"
        ""
        " | profit before tax | profit before taxes | pre-tax profit | pretax profit | pre-tax income"
        " | Ergebnis vor Steuern | Gewinn vor Steuern",
    ),
    _item(
        "current assets",
        _BALANCE,
        "total current assets | current assets | Summe kurzfristige Vermögenswerte"
        " | kurzfristige Vermögenswerte | Umlaufvermögen",
    ),
    _item(
        "current liabilities",
        _BALANCE,
        "total current liabilities | current liabilities | Summe kurzfristige Schulden | kurzfristige Schulden",
    ),
    _item("total assets", _BALANCE, "total assets | Bilanzsumme | Summe Aktiva | Summe Vermögenswerte"),
    _item("total liabilities", _BALANCE, "total liabilities | Summe Schulden"),
    _item(
        "equity",
        _BALANCE,
        "total equity | total shareholders' equity | total stockholders' equity | total shareowners' equity"
        " | total shareholders' deficit | Summe Eigenkapital | Eigenkapital",
    ),
    _item(
        "accounts payable",
        _BALANCE,
        "accounts payable | trade payables | Verbindlichkeiten aus Lieferungen und Leistungen",
    ),
    _item(
        "accounts receivable",
        _BALANCE,
        "accounts receivable | trade receivables | receivables | accounts and notes receivable"
        " | Forderungen aus Lieferungen und Leistungen",
    ),
    _item("inventory", _BALANCE, "inventories | merchandise inventories | inventory | Vorräte"),
    _item("goodwill", _BALANCE, "goodwill | Geschäfts- oder Firmenwert"),
    _item(
        "cash and cash equivalents",
        _BALANCE,
        "cash and cash equivalents | cash and equivalents | Zahlungsmittel und Zahlungsmitteläquivalente"
        " | flüssige Mittel | liquide Mittel",
    ),
    _item("debt", _BALANCE, "long-term debt | long-term borrowings | short-term debt | debt maturing within one year"),
    _item(
        "dividends",
        _CASH,
        "dividends paid | cash dividends paid | payment of dividends | dividends | cash dividends"
        " | dividends paid to shareholders | gezahlte Dividenden | Dividenden",
    ),
    _item(
        "share repurchase",
        _CASH,
        "repurchases of common stock | purchases of treasury stock | share repurchases | purchase of treasury shares"
        " | repurchase of common shares | Erwerb eigener Aktien",
    ),
    _item(
        "operating cash flow",
        _CASH,
        "net cash provided by operating activities | net cash from operating activities | cash from operations"
        " | net cash provided by (used in) operating activities"
        " | net cash generated by operating activities | cash generated by operating activities | operating cash flow"
        " | Cashflow aus laufender Geschäftstätigkeit | operativer Cashflow",
    ),
)
ITEMS: Final = {item.name: item for item in _ITEMS}

# What is read beside the lines of the formula, so that its rows stand together.
_FURTHER_PARTS: Final[dict[str, tuple[str, ...]]] = {
    "EBIT": ("operating income",),
    "capital intensity": ("total assets", "property, plant and equipment"),
    "payables turnover": ("inventory",),
    "leverage": ("debt",),
}


def _parts_of(measure: str) -> tuple[str, ...]:
    lines = (line.name for each in MEASURES.get(measure, ()) for line in lines_of(each.formula))
    return tuple(dict.fromkeys((*lines, *_FURTHER_PARTS.get(measure, ()))))


PARTS: Final[dict[str, tuple[str, ...]]] = {
    measure: _parts_of(measure) for measure in dict.fromkeys((*MEASURES, *_FURTHER_PARTS))
}
"""The lines that a measure of the glossary is worked out from."""

# A question about what a figure did, or why, is answered in words. The rest of such a question ("if it is no useful
# measure, explain why") says what to do otherwise.
_REASON_ASKED: Final = re.compile(
    r"\bwhy\b|\bwhat\s+(?:\w+\s+){0,2}?(?:drove|driven|drives|caused|explains|led)\b|\breasons?\b|\bdrivers?\b"
    r"|\bwarum\b|\bweshalb\b|\bwodurch\b",
    re.IGNORECASE,
)
_OTHERWISE: Final = re.compile(r"(?<=[.?!])\s+(?:if|falls|wenn)\b[^.?!]*", re.IGNORECASE)


def asks_for_a_reason(analysis: QueryAnalysis) -> bool:
    """Return whether a question asks what a figure did, or why."""
    return _REASON_ASKED.search(_OTHERWISE.sub("", analysis.text)) is not None


def find_asked_items(analysis: QueryAnalysis) -> tuple[LineItem, ...]:
    """Return the lines that a question asks for, by name or as parts of a measure, in the order of the question.

    Returns: nothing for a question that asks for a reason, which is answered in words.
    """
    if asks_for_a_reason(analysis):
        return ()
    names = (name for each in analysis.expansions for name in PARTS.get(each.label, (each.label,)))
    return tuple(ITEMS[name] for name in dict.fromkeys(names) if name in ITEMS)
