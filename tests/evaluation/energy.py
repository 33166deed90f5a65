"""Tarnwick Energy Partners, whose name is nearly Tarnwick Industries': annual reports of 2023 and 2024."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.evaluation.statements import two_years
from tests.evaluation.values import told

# fmt: off
_LINES: Final[Mapping[int, Mapping[str, float]]] = {
    2022: {
        "revenue": 1486, "cogs": 871, "opex": 214, "da": 119, "ebit": 282, "interest": 61, "net_income": 221,
        "eps": 2.19, "dps": 1.80, "cash": 38, "receivables": 173, "current_assets": 244, "ppe": 1896, "assets": 2271,
        "current_liabilities": 231, "long_debt": 871, "equity": 1169, "cfo": 348, "capex": -241, "distributions": -182,
        "borrowings": 70, "gathering": 268, "transport": 241, "storage": 106,
    },
    2023: {
        "revenue": 1312, "cogs": 689, "opex": 226, "da": 128, "ebit": 269, "interest": 66, "net_income": 203,
        "eps": 2.01, "dps": 1.88, "cash": 29, "receivables": 148, "current_assets": 209, "ppe": 1983, "assets": 2318,
        "current_liabilities": 218, "long_debt": 918, "equity": 1182, "cfo": 336, "capex": -202, "distributions": -190,
        "borrowings": 47, "gathering": 251, "transport": 262, "storage": 110,
    },
    2024: {
        "revenue": 1397, "cogs": 731, "opex": 239, "da": 134, "ebit": 293, "interest": 64, "net_income": 229,
        "eps": 2.26, "dps": 1.96, "cash": 44, "receivables": 159, "current_assets": 233, "ppe": 2021, "assets": 2379,
        "current_liabilities": 226, "long_debt": 927, "equity": 1226, "cfo": 371, "capex": -167, "distributions": -198,
        "borrowings": 9, "gathering": 258, "transport": 291, "storage": 117,
    },
}
# fmt: on
_TOLD: Final = told("energy")


def annual(year: int) -> dict[str, str]:
    """The placeholders of the annual report of 2023 or 2024."""
    before = {f"{name}_1": value for name, value in _TOLD["annual"][str(year - 1)].items()}
    return {**two_years(_LINES, year), **before, **_TOLD["annual"][str(year)]}
