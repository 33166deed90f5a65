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
        "operating margin | operating margins | op margin | op. margin | operating profit margin | EBIT margin"
        " | operative Marge | EBIT-Marge",
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
        "return on average equity",
        "ROAE | return on average equity | return on average shareholders' equity"
        " | return on average stockholders' equity | average return on equity",
        "return on average equity | net income | total equity",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "return on average assets",
        "ROAA | return on average assets | return on average total assets",
        "return on average assets | net income | total assets",
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
    _entry(
        "loan-to-deposit ratio",
        "loan-to-deposit ratio | loan to deposit ratio | loans-to-deposits ratio | loans to deposits | LDR",
        "total loans | total deposits",
        _BALANCE,
    ),
    _entry(
        "efficiency ratio",
        "efficiency ratio | cost-income ratio | cost-to-income ratio | cost to income | cost/income ratio"
        " | Aufwand-Ertrag-Relation",
        "efficiency ratio | noninterest expense | net interest income | noninterest income",
        _INCOME,
    ),
    _entry(
        "allowance ratio",
        "allowance ratio | allowance to loans | allowance coverage",
        "allowance for credit losses | total loans",
        _BALANCE,
    ),
    _entry(
        "non-performing loan ratio",
        "non-performing loan ratio | nonperforming loan ratio | NPL ratio | NPL-Quote",
        "non-performing loans | total loans",
        _BALANCE,
    ),
    _entry(
        "passenger load factor",
        "load factor | passenger load factor | seat load factor | Sitzladefaktor",
        "passenger load factor | revenue passenger kilometres | available seat kilometres",
    ),
    _entry(
        "net debt to EBITDA",
        "net debt to EBITDA | net debt/EBITDA | net leverage | dynamischer Verschuldungsgrad",
        "net debt | EBITDA | operating income | depreciation and amortization",
        _BALANCE,
        _INCOME,
        _CASH,
    ),
    _entry(
        "EBITDA interest coverage",
        "EBITDA interest coverage | EBITDA interest cover | EBITDA coverage of interest",
        "EBITDA | interest expense",
        _INCOME,
        _CASH,
    ),
    _entry(
        "return on capital employed",
        "return on capital employed | ROCE",
        "operating income | total assets | total current liabilities",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "cost of sales ratio",
        "cost of sales ratio | COGS ratio | Umsatzkostenquote",
        "cost of sales | net sales",
        _INCOME,
    ),
    _entry(
        "selling and administration ratio",
        "SG&A ratio | overhead ratio | Verwaltungskostenquote",
        "selling, general and administrative expenses | net sales",
        _INCOME,
    ),
    _entry(
        "personnel expense ratio",
        "personnel expense ratio | staff cost ratio | personnel cost ratio | Personalkostenquote"
        " | Personalaufwandsquote",
        "personnel expenses | staff costs | net sales",
        _INCOME,
    ),
    _entry(
        "equity multiplier",
        "equity multiplier | assets to equity",
        "total assets | total equity",
        _BALANCE,
    ),
    _entry(
        "long-term debt to equity",
        "long-term debt to equity | long-term debt-to-equity ratio",
        "long-term debt | total equity",
        _BALANCE,
    ),
    _entry(
        "goodwill to equity",
        "goodwill to equity | goodwill-to-equity ratio",
        "goodwill | total equity",
        _BALANCE,
    ),
    _entry(
        "asset intensity",
        "asset intensity | Anlagenintensität | Anlagenquote",
        "non-current assets | total assets",
        _BALANCE,
    ),
    _entry(
        "fixed asset coverage",
        "fixed asset coverage | Anlagendeckung | Anlagendeckungsgrad",
        "total equity | non-current assets",
        _BALANCE,
    ),
    _entry(
        "working capital to sales",
        "working capital to sales | working capital ratio to sales | Working-Capital-Quote",
        "total current assets | total current liabilities | net sales",
        _BALANCE,
        _INCOME,
    ),
    _entry(
        "reinvestment rate",
        "reinvestment rate | capex to depreciation | Reinvestitionsquote",
        "capital expenditures | depreciation and amortization",
        _CASH,
    ),
    _entry(
        "cash capital expenditure coverage",
        "capex coverage | capex cover | cash flow to capex",
        "net cash provided by operating activities | capital expenditures",
        _CASH,
    ),
    _entry(
        "cash flow to debt",
        "cash flow to debt | cash flow-to-debt ratio",
        "net cash provided by operating activities | total liabilities",
        _CASH,
        _BALANCE,
    ),
    _entry(
        "dividend cover",
        "dividend cover | dividend coverage",
        "net income | dividends",
        _INCOME,
        _CASH,
    ),
    _entry(
        "interest margin of assets",
        "net interest income to assets | net interest income to total assets",
        "net interest income | total assets",
        _INCOME,
        _BALANCE,
    ),
    _entry(
        "tax burden",
        "tax burden ratio",
        "net income | income before income taxes",
        _INCOME,
    ),
    _entry(
        "interest burden",
        "interest burden | interest burden ratio",
        "income before income taxes | operating income",
        _INCOME,
    ),
    _entry(
        "asset coverage",
        "asset coverage | asset coverage ratio",
        "total assets | total liabilities",
        _BALANCE,
    ),
    _entry(
        "current asset intensity",
        "current asset intensity | Umlaufintensität | Umlaufquote",
        "total current assets | total assets",
        _BALANCE,
    ),
    _entry(
        "goodwill to assets",
        "goodwill to assets | goodwill to total assets | goodwill-to-assets ratio",
        "goodwill | total assets",
        _BALANCE,
    ),
)
