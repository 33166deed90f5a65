"""The finance glossary: what a short form or a usual name of a figure is called in a filing.

Each entry has the expressions that call it up (`triggers`, matched as whole words, longest first) and the `phrases`
under which the same thing stands in statements and reports. Phrases are searched as well and shown in the trace.
To add an entry, write it here; a trigger may stand in one entry only (a test holds that).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Nature(StrEnum):
    """What an expression stands for. A place (a statement) counts less than what is looked for in it."""

    FIGURE = "figure"
    PLACE = "place"
    SUBJECT = "subject"


@dataclass(frozen=True, slots=True, kw_only=True)
class GlossaryEntry:
    label: str
    triggers: tuple[str, ...]
    phrases: tuple[str, ...]
    nature: Nature = Nature.FIGURE


def _entry(label: str, triggers: str, phrases: str, *, nature: Nature = Nature.FIGURE) -> GlossaryEntry:
    return GlossaryEntry(
        nature=nature,
        label=label,
        triggers=tuple(part.strip() for part in triggers.split("|")),
        phrases=tuple(part.strip() for part in phrases.split("|")),
    )


GLOSSARY: tuple[GlossaryEntry, ...] = (
    _entry(
        "capital expenditure",
        "capex | cap ex | capital expenditure | capital expenditures | capital spending | capital investment",
        "capital expenditures | purchases of property, plant and equipment | purchases of property and equipment"
        " | additions to property, plant and equipment | capital spending",
    ),
    _entry(
        "property, plant and equipment",
        "PP&E | PPE | PPNE | PP and E | property, plant and equipment | property, plant, and equipment"
        " | property and equipment | fixed assets | fixed asset",
        "property, plant and equipment | property and equipment, net",
    ),
    _entry("EBITDA", "EBITDA", "EBITDA | operating income | depreciation and amortization"),
    _entry("EBITDAR", "EBITDAR", "EBITDAR"),
    _entry("EBIT", "EBIT", "EBIT | operating income | earnings before interest and taxes"),
    _entry(
        "depreciation and amortisation",
        "D&A | depreciation and amortization | depreciation and amortisation",
        "depreciation and amortization",
    ),
    _entry("cost of goods sold", "COGS | cost of goods sold", "cost of sales | cost of goods sold | cost of revenue"),
    _entry(
        "selling, general and administrative expense",
        "SG&A | SGA",
        "selling, general and administrative expenses",
    ),
    _entry("research and development", "R&D | research and development", "research and development"),
    _entry("revenue", "revenue | revenues | net sales", "net sales | revenues | total revenue"),
    _entry("profit margin", "gross margin | gross margins", "gross profit | gross margin | cost of sales"),
    _entry("net income", "net income | net profit | bottom line", "net income | net earnings | profit for the year"),
    _entry("earnings per share", "EPS | earnings per share", "earnings per share | diluted earnings per share"),
    _entry("free cash flow", "FCF | free cash flow", "free cash flow | net cash provided by operating activities"),
    _entry(
        "cash flow statement",
        "cash flow statement | cash flow statements | statement of cash flows | statements of cash flows",
        "statement of cash flows | consolidated statements of cash flows",
        nature=Nature.PLACE,
    ),
    _entry(
        "balance sheet",
        "balance sheet | balance sheets | statement of financial position",
        "balance sheet | statement of financial position",
        nature=Nature.PLACE,
    ),
    _entry(
        "income statement",
        "income statement | income statements | P&L | P&L statement | statement of income | statement of operations",
        "statement of income | statements of operations | statement of earnings",
        nature=Nature.PLACE,
    ),
    _entry("working capital", "working capital", "working capital | total current assets | total current liabilities"),
    _entry(
        "quick ratio",
        "quick ratio | acid test",
        "quick ratio | total current assets | inventories | total current liabilities",
    ),
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
    _entry("return on equity", "ROE | return on equity", "return on equity"),
    _entry("return on assets", "ROA | return on assets", "return on assets"),
    _entry("return on invested capital", "ROIC | return on invested capital", "return on invested capital"),
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

UPPER_CASE_ONLY: frozenset[str] = frozenset({"IR", "TE", "ES 97.5", "SGA", "OCF", "FX", "TER", "PPE"})
"""Short forms that mean something else, or nothing, in lower case; they count only as they are written here."""
