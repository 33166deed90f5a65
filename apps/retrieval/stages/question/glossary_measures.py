"""The measures of the finance glossary: margins, ratios, turnovers and days, by the names that questions use."""

from __future__ import annotations

from typing import Final

from apps.corpus.extraction.statements import Statement
from apps.retrieval.stages.question.glossary_entry import make_entry as _entry

_BALANCE: Final = Statement.BALANCE_SHEET
_INCOME: Final = Statement.INCOME_STATEMENT
_CASH: Final = Statement.CASH_FLOW_STATEMENT

MEASURES: Final = (
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
