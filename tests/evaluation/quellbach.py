"""Quellbach Maschinenbau AG: German annual reports of 2023 and 2024."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.evaluation.statements import two_years
from tests.evaluation.values import told

# fmt: off
_LINES: Final[Mapping[int, Mapping[str, float]]] = {
    2022: {
        "revenue": 781.4, "material": 402.9, "staff": 231.6, "da": 33.8, "other_costs": 57.2, "ebit": 55.9,
        "interest": -4.1, "tax": 14.8, "net_income": 37.0, "eps": 2.47, "cash": 61.3, "receivables": 142.8,
        "inventories": 187.5, "ppe": 241.9, "goodwill": 66.4, "assets": 741.2, "current_liabilities": 203.7,
        "long_debt": 121.5, "pensions": 58.9, "equity": 357.1, "cfo": 59.4, "capex": -41.7, "dividends": -13.5,
        "borrowings": 12.2, "abfuellen": 341.8, "verpacken": 268.3, "service": 171.3,
    },
    2023: {
        "revenue": 846.7, "material": 431.2, "staff": 249.8, "da": 36.1, "other_costs": 61.9, "ebit": 67.7,
        "interest": -5.6, "tax": 17.9, "net_income": 44.2, "eps": 2.95, "cash": 74.8, "receivables": 151.6,
        "inventories": 203.4, "ppe": 262.7, "goodwill": 66.4, "assets": 792.3, "current_liabilities": 214.9,
        "long_debt": 129.8, "pensions": 61.2, "equity": 386.4, "cfo": 83.1, "capex": -55.3, "dividends": -15.8,
        "borrowings": 8.3, "abfuellen": 372.5, "verpacken": 281.6, "service": 192.6,
    },
    2024: {
        "revenue": 823.9, "material": 418.6, "staff": 256.3, "da": 38.4, "other_costs": 63.7, "ebit": 46.9,
        "interest": -6.2, "tax": 12.3, "net_income": 28.4, "eps": 1.89, "cash": 52.6, "receivables": 147.2,
        "inventories": 211.8, "ppe": 284.5, "goodwill": 71.9, "assets": 801.7, "current_liabilities": 219.3,
        "long_debt": 148.7, "pensions": 57.4, "equity": 376.3, "cfo": 49.7, "capex": -67.9, "dividends": -18.7,
        "borrowings": 18.9, "abfuellen": 338.1, "verpacken": 277.4, "service": 208.4,
    },
}
# fmt: on
_TOLD: Final = told("quellbach")


def annual(year: int) -> dict[str, str]:
    """The placeholders of the annual report of 2023 or 2024."""
    before = {f"{name}_1": value for name, value in _TOLD["annual"][str(year - 1)].items()}
    return {**two_years(_LINES, year, in_german=True), **before, **_TOLD["annual"][str(year)]}
