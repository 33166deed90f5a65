"""The measures that are calculated from lines of the statements, each with its formula."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.retrieval.stages.figures.formulas import Formula, read_formula


class Result(StrEnum):
    AMOUNT = "amount"
    RATIO = "ratio"
    PERCENT = "percent"


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure and its formula.

    label: the formula in words, as it is shown; empty for a formula that the question brings.
    text: the formula as read_formula takes it. formula: the parsed text.
    decimals: of the result; None for the default, which for an amount is the decimals of its figures.
    """

    label: str
    text: str
    formula: Formula
    result: Result
    decimals: int | None = None


SPENT: Final = frozenset(
    ("capital expenditure", "cost of goods sold", "dividends", "interest expense", "depreciation and amortisation")
)
"""Lines that are printed in brackets or not, and mean the same."""


def _measure(label: str, text: str, result: Result) -> Measure:
    formula = read_formula(text)
    if formula is None:
        raise AssertionError(f"{text} is no formula")
    return Measure(label=label, text=text, formula=formula, result=result)


# By the glossary's label. Where a line may be missing, a second formula is the alternative.
MEASURES: Final[dict[str, tuple[Measure, ...]]] = {
    "EBITDA": (
        _measure(
            "Operating income + depreciation and amortization (unadjusted EBITDA)",
            "{operating income} + {depreciation and amortisation}",
            Result.AMOUNT,
        ),
    ),
    "EBITDA margin": (
        _measure(
            "(Operating income + depreciation and amortization) / revenue",
            "({operating income} + {depreciation and amortisation}) / {revenue}",
            Result.PERCENT,
        ),
    ),
    "profit margin": (
        _measure("Gross profit / revenue", "{gross profit} / {revenue}", Result.PERCENT),
        _measure(
            "(Revenue - cost of sales) / revenue", "({revenue} - {cost of goods sold}) / {revenue}", Result.PERCENT
        ),
    ),
    "operating margin": (_measure("Operating income / revenue", "{operating income} / {revenue}", Result.PERCENT),),
    "net margin": (_measure("Net income / revenue", "{net income} / {revenue}", Result.PERCENT),),
    "effective tax rate": (
        _measure("Income tax / income before tax", "{income tax} / {income before tax}", Result.PERCENT),
    ),
    "free cash flow": (
        _measure(
            "Cash from operating activities - capital expenditure",
            "{operating cash flow} - {capital expenditure}",
            Result.AMOUNT,
        ),
    ),
    "capital intensity": (
        _measure("Capital expenditure / revenue", "{capital expenditure} / {revenue}", Result.PERCENT),
    ),
    "working capital": (
        _measure("Current assets - current liabilities", "{current assets} - {current liabilities}", Result.AMOUNT),
    ),
    "quick ratio": (
        _measure(
            "(Current assets - inventories) / current liabilities",
            "({current assets} - {inventory}) / {current liabilities}",
            Result.RATIO,
        ),
    ),
    "current ratio": (
        _measure("Current assets / current liabilities", "{current assets} / {current liabilities}", Result.RATIO),
    ),
    "operating cash flow ratio": (
        _measure(
            "Cash from operating activities / current liabilities",
            "{operating cash flow} / {current liabilities}",
            Result.RATIO,
        ),
    ),
    "fixed asset turnover": (
        _measure(
            "Revenue / average property, plant and equipment",
            "{revenue} / average {property, plant and equipment}",
            Result.RATIO,
        ),
    ),
    "asset turnover": (_measure("Revenue / total assets", "{revenue} / {total assets}", Result.RATIO),),
    "inventory turnover": (
        _measure("Cost of sales / average inventories", "{cost of goods sold} / average {inventory}", Result.RATIO),
    ),
    "receivables turnover": (
        _measure("Revenue / average receivables", "{revenue} / average {accounts receivable}", Result.RATIO),
    ),
    "days inventory outstanding": (
        _measure("Inventories * 365 days / cost of sales", "{inventory} * 365 / {cost of goods sold}", Result.RATIO),
    ),
    "days sales outstanding": (
        _measure("Receivables * 365 days / revenue", "{accounts receivable} * 365 / {revenue}", Result.RATIO),
    ),
    "days payable outstanding": (
        _measure(
            "Payables * 365 days / cost of sales", "{accounts payable} * 365 / {cost of goods sold}", Result.RATIO
        ),
    ),
    "leverage": (_measure("Total liabilities / equity", "{total liabilities} / {equity}", Result.RATIO),),
    "debt ratio": (
        _measure("Total liabilities / total assets", "{total liabilities} / {total assets}", Result.PERCENT),
    ),
    "equity ratio": (_measure("Equity / total assets", "{equity} / {total assets}", Result.PERCENT),),
    "cash ratio": (
        _measure(
            "Cash and cash equivalents / current liabilities",
            "{cash and cash equivalents} / {current liabilities}",
            Result.RATIO,
        ),
    ),
    "pre-tax margin": (_measure("Income before tax / revenue", "{income before tax} / {revenue}", Result.PERCENT),),
    "research intensity": (
        _measure("Research and development / revenue", "{research and development} / {revenue}", Result.PERCENT),
    ),
    "operating cash flow margin": (
        _measure("Cash from operating activities / revenue", "{operating cash flow} / {revenue}", Result.PERCENT),
    ),
    "free cash flow margin": (
        _measure(
            "(Cash from operating activities - capital expenditure) / revenue",
            "({operating cash flow} - {capital expenditure}) / {revenue}",
            Result.PERCENT,
        ),
    ),
    "cash conversion": (
        _measure("Cash from operating activities / net income", "{operating cash flow} / {net income}", Result.PERCENT),
    ),
    "interest coverage": (
        _measure("Operating income / interest expense", "{operating income} / {interest expense}", Result.RATIO),
    ),
    "dividend payout ratio": (_measure("Dividends / net income", "{dividends} / {net income}", Result.PERCENT),),
    "return on equity": (
        _measure("Net income / equity at the end of the year", "{net income} / {equity}", Result.PERCENT),
    ),
    "return on assets": (
        _measure("Net income / total assets at the end of the year", "{net income} / {total assets}", Result.PERCENT),
    ),
    "loan-to-deposit ratio": (_measure("Loans / deposits", "{loans} / {deposits}", Result.PERCENT),),
    "efficiency ratio": (
        _measure(
            "Non-interest expense / (net interest income + non-interest income)",
            "{non-interest expense} / ({net interest income} + {non-interest income})",
            Result.PERCENT,
        ),
    ),
    "allowance ratio": (
        _measure("Allowance for credit losses / loans", "{allowance for credit losses} / {loans}", Result.PERCENT),
    ),
    "non-performing loan ratio": (
        _measure("Non-performing loans / loans", "{non-performing loans} / {loans}", Result.PERCENT),
    ),
    "passenger load factor": (
        _measure(
            "Revenue passenger kilometres / available seat kilometres",
            "{revenue passenger kilometres} / {available seat kilometres}",
            Result.PERCENT,
        ),
    ),
    "payables turnover": (
        _measure("Cost of sales / average payables", "{cost of goods sold} / average {accounts payable}", Result.RATIO),
    ),
    "cash conversion cycle": (
        _measure(
            "Days of inventories + days of receivables - days of payables",
            "{inventory} * 365 / {cost of goods sold} + {accounts receivable} * 365 / {revenue}"
            " - {accounts payable} * 365 / {cost of goods sold}",
            Result.RATIO,
        ),
    ),
    "net debt to EBITDA": (
        _measure(
            "Net debt / (operating income + depreciation and amortization)",
            "{net debt} / ({operating income} + {depreciation and amortisation})",
            Result.RATIO,
        ),
    ),
    "EBITDA interest coverage": (
        _measure(
            "(Operating income + depreciation and amortization) / interest expense",
            "({operating income} + {depreciation and amortisation}) / {interest expense}",
            Result.RATIO,
        ),
    ),
    "return on capital employed": (
        _measure(
            "Operating income / (total assets - current liabilities)",
            "{operating income} / ({total assets} - {current liabilities})",
            Result.PERCENT,
        ),
    ),
    "cost of sales ratio": (_measure("Cost of sales / revenue", "{cost of goods sold} / {revenue}", Result.PERCENT),),
    "selling and administration ratio": (
        _measure(
            "Selling, general and administrative expense / revenue",
            "{selling, general and administrative expense} / {revenue}",
            Result.PERCENT,
        ),
    ),
    "personnel expense ratio": (
        _measure("Personnel expense / revenue", "{personnel expense} / {revenue}", Result.PERCENT),
    ),
    "equity multiplier": (_measure("Total assets / equity", "{total assets} / {equity}", Result.RATIO),),
    "long-term debt to equity": (_measure("Long-term debt / equity", "{long-term debt} / {equity}", Result.RATIO),),
    "goodwill to equity": (_measure("Goodwill / equity", "{goodwill} / {equity}", Result.PERCENT),),
    "asset intensity": (
        _measure("Non-current assets / total assets", "{non-current assets} / {total assets}", Result.PERCENT),
    ),
    "fixed asset coverage": (
        _measure("Equity / non-current assets", "{equity} / {non-current assets}", Result.PERCENT),
    ),
    "working capital to sales": (
        _measure(
            "(Current assets - current liabilities) / revenue",
            "({current assets} - {current liabilities}) / {revenue}",
            Result.PERCENT,
        ),
    ),
    "reinvestment rate": (
        _measure(
            "Capital expenditure / depreciation and amortization",
            "{capital expenditure} / {depreciation and amortisation}",
            Result.RATIO,
        ),
    ),
    "cash capital expenditure coverage": (
        _measure(
            "Cash from operating activities / capital expenditure",
            "{operating cash flow} / {capital expenditure}",
            Result.RATIO,
        ),
    ),
    "cash flow to debt": (
        _measure(
            "Cash from operating activities / total liabilities",
            "{operating cash flow} / {total liabilities}",
            Result.PERCENT,
        ),
    ),
    "dividend cover": (_measure("Net income / dividends", "{net income} / {dividends}", Result.RATIO),),
    "interest margin of assets": (
        _measure("Net interest income / total assets", "{net interest income} / {total assets}", Result.PERCENT),
    ),
    "tax burden": (_measure("Net income / income before tax", "{net income} / {income before tax}", Result.PERCENT),),
    "interest burden": (
        _measure("Income before tax / operating income", "{income before tax} / {operating income}", Result.PERCENT),
    ),
    "asset coverage": (
        _measure("Total assets / total liabilities", "{total assets} / {total liabilities}", Result.RATIO),
    ),
    "current asset intensity": (
        _measure("Current assets / total assets", "{current assets} / {total assets}", Result.PERCENT),
    ),
    "goodwill to assets": (_measure("Goodwill / total assets", "{goodwill} / {total assets}", Result.PERCENT),),
}
