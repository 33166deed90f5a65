"""Ratios by their common names. Where usage knows several definitions, each result is right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from tests.evaluation.forms import wanted
from tests.evaluation.forms.companies import Company, Row

_RATIOS: Final[Mapping[str, tuple[str, ...]]] = {
    # The kind of result, then the definitions; "~" marks the average of this and the last balance sheet.
    "gross_margin": ("percent", "gross / revenue"),
    "operating_margin": ("percent", "operating / revenue"),
    "net_margin": ("percent", "net_income / revenue"),
    "current_ratio": ("times", "total_current_assets / total_current_liabilities"),
    "quick_ratio": (
        "times",
        "total_current_assets - inventories / total_current_liabilities",
        "cash + receivables / total_current_liabilities",
    ),
    "debt_to_equity": ("times", "long_debt + short_debt / total_equity", "total_liabilities / total_equity"),
    "roe": ("percent", "net_income / total_equity", "net_income / ~total_equity"),
    "roa": ("percent", "net_income / total_assets", "net_income / ~total_assets"),
    "asset_turnover": ("times", "revenue / total_assets", "revenue / ~total_assets"),
    "inventory_turnover": ("times", "cogs / inventories", "cogs / ~inventories"),
    "dso": ("days", "receivables / revenue", "~receivables / revenue"),
    "interest_cover": ("times", "operating / interest", "pbt + interest / interest"),
    "fcf": ("amount", "cfo - capex"),
    "capital_intensity": ("percent", "capex / revenue"),
    "tax_rate": ("percent", "tax / pbt"),
    "payout": ("percent", "dividends / net_income"),
    "working_capital": ("amount", "total_current_assets - total_current_liabilities"),
    "equity_ratio": ("percent", "total_equity / total_assets"),
    "cost_income": ("percent", "opex / revenue"),
    "loan_deposit": ("percent", "loans / deposits"),
    "ebitda_margin": ("percent", "operating + depreciation / revenue", "pbt + interest + depreciation / revenue"),
}
_TERM: Final = re.compile(r"([+-]?)\s*(~?)([\w/]+)")
_DAYS: Final = 365


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A ratio of a company in a year. values: by definition, the first is the plainest. rows: what that one needs."""

    kind: str
    values: tuple[Decimal, ...]
    rows: tuple[Row, ...]

    def forms(self, company: Company) -> list[str]:
        found: list[str] = []
        for value in self.values:
            found += forms(self.kind, value, company)
        return list(dict.fromkeys(found))


def forms(kind: str, value: Decimal, company: Company) -> list[str]:
    """Return the right ways to write a result of a kind."""
    if kind == "amount":
        return wanted.amount(value, [company.spec["exponent"]], company.words)
    make = {"percent": wanted.percent, "times": wanted.times, "days": wanted.days}[kind]
    return make(value, company.words)


def names_of(company: Company) -> list[str]:
    """Return the ratios that a company's statements give, and its language has a name for."""
    names = company.words["ratios"]
    return [name for name, (_, *ways) in _RATIOS.items() if name in names and all(company.has(*_keys(w)) for w in ways)]


def years_of(company: Company, name: str) -> list[int]:
    """Return the years for which every figure that a ratio needs is shown, averages aside."""
    rows = [company.row(key) for key in _keys(_RATIOS[name][1])]
    return sorted(set.intersection(*(set(row.years) for row in rows)))


def result(company: Company, name: str, year: int) -> Result:
    """Return a ratio. A definition that needs a year that is not shown is left out."""
    kind, *ways = _RATIOS[name]
    values = [value for way in ways if (value := _value(company, way, year)) is not None]
    values = [value * _DAYS for value in values] if kind == "days" else values
    return Result(kind=kind, values=tuple(values), rows=tuple(company.row(key) for key in _keys(ways[0])))


def plain_names(company: Company) -> list[str]:
    """Return the ratios of per cent that have only one definition."""
    return [name for name in names_of(company) if len(_RATIOS[name]) == 2 and _RATIOS[name][0] == "percent"]


def _value(company: Company, way: str, year: int) -> Decimal | None:
    parts = []
    for part in way.split(" / "):
        total = Decimal(0)
        for sign, mean, key in _TERM.findall(part):
            years = [year - 1, year] if mean else [year]
            row = company.row(key)
            if not set(years) <= set(row.years):
                return None
            total += sum((row.amount(each) for each in years), Decimal(0)) / len(years) * (-1 if sign == "-" else 1)
        parts.append(total)
    return parts[0] / parts[1] if len(parts) > 1 else parts[0]


def _keys(way: str) -> list[str]:
    return list(dict.fromkeys(key for _, _, key in _TERM.findall(way.replace(" / ", " + "))))
