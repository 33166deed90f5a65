"""The finance glossary: how filings name a figure that a question calls by a short form or a usual name.

Each entry has the expressions that trigger it (`triggers`, matched as whole words, longest first) and the `phrases`
under which statements and reports show the same thing. Phrases are searched too and shown in the trace. To add an
entry, write it here. A trigger may stand in one entry only (a test checks this).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.corpus.extraction.statements import Statement


class Nature(StrEnum):
    """What an expression stands for. A place (a statement) counts less than a figure that is looked for in it."""

    FIGURE = "figure"
    PLACE = "place"
    SUBJECT = "subject"


_BALANCE: Final = Statement.BALANCE_SHEET
_INCOME: Final = Statement.INCOME_STATEMENT
_CASH: Final = Statement.CASH_FLOW_STATEMENT


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntry:
    """An entry of the glossary.

    statements: the statements from which a figure is read or calculated, the most informative first.
    """

    label: str
    triggers: tuple[str, ...]
    phrases: tuple[str, ...]
    nature: Nature = Nature.FIGURE
    statements: tuple[Statement, ...] = ()


def _entry(
    label: str, triggers: str, phrases: str, *statements: Statement, nature: Nature = Nature.FIGURE
) -> GlossaryEntry:
    return GlossaryEntry(
        nature=nature,
        label=label,
        triggers=tuple(part.strip() for part in triggers.split("|")),
        phrases=tuple(part.strip() for part in phrases.split("|")),
        statements=statements,
    )


# Lines of the statements, then measures calculated from them.
_STATEMENT_LINES: Final = (
    _entry(
        "capital expenditure",
        "capex | cap ex | capital expenditure | capital expenditures | capital spending | capital investment"
        " | invest in property, plant and equipment | invested in property, plant and equipment"
        " | investments in property, plant and equipment | spend on property, plant and equipment"
        " | spent on property, plant and equipment | purchases of property, plant and equipment"
        " | additions to property, plant and equipment | Investitionsausgaben | Investitionen in Sachanlagen",
        "capital expenditures | purchases of property, plant and equipment | purchases of property and equipment"
        " | additions to property, plant and equipment | capital spending",
        _CASH,
    ),
    _entry(
        "property, plant and equipment",
        "PP&E | PPE | PPNE | PP and E | property, plant and equipment | property, plant, and equipment"
        " | property and equipment | fixed assets | fixed asset | Sachanlagen",
        "property, plant and equipment | property and equipment, net",
        _BALANCE,
    ),
    _entry(
        "depreciation and amortisation",
        "D&A | depreciation and amortization | depreciation and amortisation | Abschreibungen",
        "depreciation and amortization",
        _CASH,
    ),
    _entry(
        "cost of goods sold",
        "COGS | cost of goods sold | cost of sales | cost of revenue",
        "cost of sales | cost of goods sold | cost of revenue",
        _INCOME,
    ),
    _entry(
        "selling, general and administrative expense",
        "SG&A | SGA",
        "selling, general and administrative expenses",
        _INCOME,
    ),
    _entry("research and development", "R&D | research and development", "research and development", _INCOME),
    _entry(
        "revenue",
        "revenue | revenues | net sales | top line | topline | Umsatz | Umsatzerl\u00f6se",
        "net sales | revenues | total revenue",
        _INCOME,
    ),
    _entry(
        "net income",
        "net income | net profit | bottom line | net earnings | Jahres\u00fcberschuss | Konzernergebnis",
        "net income | net earnings | profit for the year",
        _INCOME,
    ),
    _entry(
        "operating income",
        "operating income | operating profit | operating earnings | income from operations | Betriebsergebnis",
        "operating income | operating profit | income from operations | earnings from operations",
        _INCOME,
    ),
    _entry("interest expense", "interest expense | Zinsaufwand", "interest expense", _INCOME),
    _entry(
        "income tax",
        "income tax expense | tax expense | provision for income taxes",
        "provision for income taxes | income tax expense | income taxes",
        _INCOME,
    ),
    _entry(
        "earnings per share", "EPS | earnings per share", "earnings per share | diluted earnings per share", _INCOME
    ),
    _entry(
        "current assets",
        "total current assets | current assets | Umlaufverm\u00f6gen",
        "total current assets",
        _BALANCE,
    ),
    _entry(
        "current liabilities", "total current liabilities | current liabilities", "total current liabilities", _BALANCE
    ),
    _entry("total assets", "total assets | Bilanzsumme", "total assets", _BALANCE),
    _entry("total liabilities", "total liabilities", "total liabilities", _BALANCE),
    _entry(
        "equity",
        "shareholders' equity | stockholders' equity | shareholder equity | stockholder equity | book value"
        " | Eigenkapital",
        "total shareholders' equity | total stockholders' equity | total equity",
        _BALANCE,
    ),
    _entry("accounts payable", "accounts payable | trade payables", "accounts payable", _BALANCE),
    _entry(
        "accounts receivable",
        "accounts receivable | trade receivables | net AR",
        "accounts receivable, net | receivables, net",
        _BALANCE,
    ),
    _entry("inventory", "inventory | inventories | Vorr\u00e4te", "inventories | merchandise inventories", _BALANCE),
    _entry("goodwill", "goodwill", "goodwill", _BALANCE),
    _entry(
        "cash and cash equivalents",
        "cash and cash equivalents | cash balance | cash position",
        "cash and cash equivalents",
        _BALANCE,
        _CASH,
    ),
    _entry(
        "debt",
        "debt on balance sheet | total debt | long-term debt | long term debt | net debt",
        "long-term debt | total debt | debt maturing within one year",
        _BALANCE,
    ),
    _entry(
        "dividends",
        "cash dividends | dividends paid | dividend payments | paid dividends | dividend payout",
        "dividends paid | cash dividends | dividends",
        _CASH,
    ),
    _entry(
        "share repurchase",
        "share repurchases | share buybacks | stock repurchases | share buyback",
        "repurchases of common stock | purchases of treasury stock | share repurchases",
        _CASH,
    ),
    _entry(
        "operating cash flow",
        "operating cash flow | cash from operations | cash flow from operations | cash from operating activities"
        " | cash flow from operating activities",
        "net cash provided by operating activities | cash flows from operating activities",
        _CASH,
    ),
    _entry(
        "cash flow by activity",
        "operations, investing, and financing | operating, investing and financing | investing activities"
        " | financing activities | investing and financing activities",
        "net cash used for investing activities | net cash used for financing activities"
        " | net cash provided by operating activities",
        _CASH,
    ),
)
_MEASURES: Final = (
    _entry("EBITDA", "EBITDA", "EBITDA | operating income | depreciation and amortization", _INCOME, _CASH),
    _entry(
        "EBITDA margin",
        "EBITDA margin | EBITDA margins | EBITDA % margin | EBITDA-Marge",
        "EBITDA margin | operating income | depreciation and amortization | net sales",
        _INCOME,
        _CASH,
    ),
    _entry("EBITDAR", "EBITDAR", "EBITDAR"),
    _entry("EBIT", "EBIT", "EBIT | operating income | earnings before interest and taxes", _INCOME),
    _entry(
        "profit margin",
        "gross margin | gross margins | gross profit margin | gross profit | Bruttomarge",
        "gross profit | gross margin | cost of sales",
        _INCOME,
    ),
    _entry(
        "operating margin",
        "operating margin | operating margins | operating profit margin | EBIT margin | operative Marge | EBIT-Marge",
        "operating margin | operating income | operating income margin",
        _INCOME,
    ),
    _entry(
        "net margin",
        "net profit margin | net margin | net income margin | Nettomarge | Umsatzrendite",
        "net income | net sales",
        _INCOME,
    ),
    _entry(
        "effective tax rate",
        "effective tax rate | tax rate | Steuerquote",
        "effective tax rate | effective income tax rate | provision for income taxes | earnings before income taxes",
        _INCOME,
    ),
    _entry(
        "free cash flow",
        "FCF | free cash flow | freier Cashflow",
        "free cash flow | net cash provided by operating activities",
        _CASH,
    ),
    _entry(
        "capital intensity",
        "capital intensive | capital intensity | capex-to-sales ratio | capex to sales | capex ratio | capex intensity",
        "capital expenditures | property, plant and equipment, net | total assets | net sales",
        _CASH,
        _BALANCE,
        _INCOME,
    ),
    _entry(
        "working capital",
        "working capital | net working capital",
        "working capital | total current assets | total current liabilities",
        _BALANCE,
    ),
    _entry(
        "quick ratio",
        "quick ratio | acid test | acid-test ratio",
        "quick ratio | total current assets | inventories | total current liabilities",
        _BALANCE,
    ),
    _entry(
        "current ratio",
        "current ratio | liquidity profile | liquidity ratio | Liquidität 3. Grades",
        "total current assets | total current liabilities",
        _BALANCE,
    ),
    _entry(
        "operating cash flow ratio",
        "operating cash flow ratio",
        "net cash provided by operating activities | total current liabilities",
        _CASH,
        _BALANCE,
    ),
    _entry(
        "fixed asset turnover",
        "fixed asset turnover | fixed asset turnover ratio",
        "net sales | property, plant and equipment, net",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "asset turnover",
        "asset turnover | asset turnover ratio | total asset turnover | Kapitalumschlag",
        "net sales | total assets",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "inventory turnover",
        "inventory turnover | stock turnover | Lagerumschlag",
        "inventories | cost of sales",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "days inventory outstanding",
        "days inventory outstanding | days of inventory | inventory days | DIO | Lagerdauer",
        "inventories | cost of sales",
        _INCOME,
        _BALANCE,
    ),
    _entry("receivables turnover", "receivables turnover", "accounts receivable, net | net sales", _BALANCE, _INCOME),
    _entry(
        "days sales outstanding",
        "days sales outstanding | DSO | receivable days | debtor days | collection period | Forderungslaufzeit",
        "accounts receivable, net | net sales",
        _BALANCE,
        _INCOME,
    ),
    _entry(
        "payables turnover",
        "payables turnover",
        "accounts payable | cost of sales | inventories",
        _BALANCE,
        _INCOME,
    ),
    _entry(
        "days payable outstanding",
        "days payable outstanding | days payables outstanding | payable days | creditor days | DPO",
        "accounts payable | cost of sales",
        _BALANCE,
        _INCOME,
    ),
    _entry(
        "cash conversion cycle",
        "cash conversion cycle | CCC",
        "accounts receivable | inventories | accounts payable | cost of sales | net sales",
        _BALANCE,
        _INCOME,
    ),
    _entry(
        "interest coverage",
        "interest coverage | interest coverage ratio | interest cover | times interest earned"
        " | Zinsdeckung | Zinsdeckungsgrad",
        "interest expense | operating income",
        _INCOME,
    ),
    _entry(
        "leverage",
        "debt to equity | debt-to-equity ratio | debt-to-equity | leverage ratio | gearing | liabilities to equity"
        " | Verschuldungsgrad",
        "long-term debt | total liabilities | total equity",
        _BALANCE,
    ),
    _entry(
        "debt ratio",
        "debt ratio | debt to assets | debt-to-assets ratio | liabilities to assets | Fremdkapitalquote",
        "total liabilities | total assets",
        _BALANCE,
    ),
    _entry(
        "equity ratio", "equity ratio | equity to assets | Eigenkapitalquote", "total equity | total assets", _BALANCE
    ),
    _entry("cash ratio", "cash ratio", "cash and cash equivalents | total current liabilities", _BALANCE),
    _entry(
        "pre-tax margin",
        "pre-tax margin | pretax margin | pre-tax profit margin | Vorsteuermarge",
        "income before income taxes | net sales",
        _INCOME,
    ),
    _entry(
        "research intensity",
        "R&D intensity | research intensity | R&D ratio | Forschungsquote",
        "research and development | net sales",
        _INCOME,
    ),
    _entry(
        "operating cash flow margin",
        "operating cash flow margin | cash flow margin",
        "net cash provided by operating activities | net sales",
        _CASH,
        _INCOME,
    ),
    _entry(
        "free cash flow margin",
        "free cash flow margin | FCF margin",
        "net cash provided by operating activities | capital expenditures | net sales",
        _CASH,
        _INCOME,
    ),
    _entry(
        "cash conversion",
        "cash conversion | cash conversion rate",
        "net cash provided by operating activities | net income",
        _CASH,
        _INCOME,
    ),
    _entry(
        "dividend payout ratio",
        "dividend payout ratio | payout ratio | retention ratio | Ausschüttungsquote",
        "cash dividends paid | dividends | net income",
        _CASH,
        _INCOME,
    ),
    _entry(
        "return on equity",
        "ROE | return on equity | Eigenkapitalrendite",
        "return on equity | net income | total equity",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "return on assets",
        "ROA | return on assets | Gesamtkapitalrendite",
        "return on assets | net income | total assets",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "return on invested capital",
        "ROIC | return on invested capital",
        "return on invested capital",
        _INCOME,
        _BALANCE,
    ),
)
_STATEMENTS: Final = (
    _entry(
        "cash flow statement",
        "cash flow statement | cash flow statements | statement of cash flows | statements of cash flows"
        " | Kapitalflussrechnung",
        "statement of cash flows | consolidated statements of cash flows",
        _CASH,
        nature=Nature.PLACE,
    ),
    _entry(
        "balance sheet",
        "balance sheet | balance sheets | statement of financial position | statements of financial position | Bilanz",
        "balance sheet | statement of financial position",
        _BALANCE,
        nature=Nature.PLACE,
    ),
    _entry(
        "income statement",
        "income statement | income statements | P&L | P&L statement | profit and loss statement | statement of income"
        " | statements of income | statement of operations | statements of operations | statement of earnings"
        " | Gewinn- und Verlustrechnung | GuV",
        "statement of income | statements of operations | statement of earnings",
        _INCOME,
        nature=Nature.PLACE,
    ),
)
_FUND_AND_RISK: Final = (
    _entry("debt-to-income", "DTI | debt-to-income", "debt-to-income"),
    _entry("loan-to-value", "LTV | loan-to-value", "loan-to-value"),
    _entry("assets under management", "AUM | assets under management", "assets under management"),
    _entry("net asset value", "NAV | net asset value", "net asset value"),
    _entry(
        "total expense ratio",
        "TER | OCF | total expense ratio | ongoing charges",
        "total expense ratio | ongoing charges",
    ),
    _entry("value at risk", "VaR | value at risk", "value at risk | value-at-risk"),
    _entry(
        "expected shortfall", "CVaR | ES 97.5 | expected shortfall", "expected shortfall | conditional value at risk"
    ),
    _entry("drawdown", "drawdown | draw-down | max drawdown | MDD", "drawdown | maximum drawdown | peak to trough"),
    _entry("tracking error", "TE | tracking error", "tracking error | active risk"),
    _entry("information ratio", "IR | information ratio", "information ratio"),
    _entry("year to date", "YTD | year to date", "year to date", nature=Nature.SUBJECT),
    _entry("foreign exchange", "FX", "foreign exchange | foreign currency | exchange rates", nature=Nature.SUBJECT),
    _entry("mergers and acquisitions", "M&A", "acquisitions | divestitures", nature=Nature.SUBJECT),
    _entry(
        "legal proceedings",
        "legal battles | legal battle | lawsuits | litigation",
        "legal proceedings | litigation | lawsuits",
        nature=Nature.SUBJECT,
    ),
    _entry(
        "know your customer",
        "KYC | know your customer",
        "know your customer | customer due diligence",
        nature=Nature.SUBJECT,
    ),
    _entry(
        "anti-money laundering",
        "AML | anti-money laundering",
        "anti-money laundering | money laundering",
        nature=Nature.SUBJECT,
    ),
    _entry(
        "environmental, social and governance", "ESG", "environmental, social and governance", nature=Nature.SUBJECT
    ),
    _entry(
        "Sustainable Finance Disclosure Regulation",
        "SFDR",
        "Sustainable Finance Disclosure Regulation | sustainability-related disclosures",
        nature=Nature.SUBJECT,
    ),
)
GLOSSARY: Final[tuple[GlossaryEntry, ...]] = (*_STATEMENT_LINES, *_MEASURES, *_STATEMENTS, *_FUND_AND_RISK)

UPPER_CASE_ONLY: frozenset[str] = frozenset(
    {"IR", "TE", "ES 97.5", "SGA", "OCF", "FX", "TER", "PPE", "DIO", "DSO", "DPO", "CCC"}
)
"""Short forms that mean something else, or nothing, in lower case; they count only as they are written here."""
