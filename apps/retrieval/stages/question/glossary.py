"""The finance glossary: how filings name a figure that a question calls by a short form or a usual name.

Each entry has the expressions that trigger it (`triggers`, matched as whole words, longest first) and the `phrases`
under which statements and reports show the same thing. Phrases are searched too and shown in the trace. To add an
entry, write it here. A trigger may stand in one entry only (a test checks this).
"""

from __future__ import annotations

from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.retrieval.stages.question.glossary_entry import GlossaryEntry, Nature
from apps.retrieval.stages.question.glossary_entry import make_entry as _entry
from apps.retrieval.stages.question.glossary_measures import MEASURES

_BALANCE: Final = Statement.BALANCE_SHEET
_INCOME: Final = Statement.INCOME_STATEMENT
_CASH: Final = Statement.CASH_FLOW_STATEMENT

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
GLOSSARY: Final[tuple[GlossaryEntry, ...]] = (*_STATEMENT_LINES, *MEASURES, *_STATEMENTS, *_FUND_AND_RISK)

UPPER_CASE_ONLY: frozenset[str] = frozenset(
    {"IR", "TE", "ES 97.5", "SGA", "OCF", "FX", "TER", "PPE", "DIO", "DSO", "DPO", "CCC"}
)
"""Short forms that mean something else, or nothing, in lower case; they count only as they are written here."""
