"""Velmora Foods, whose fiscal year ends in June: annual reports and releases of fiscal 2023 and 2024."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.evaluation.statements import two_years
from tests.evaluation.values import told

# fmt: off
_LINES: Final[Mapping[int, Mapping[str, float]]] = {
    2022: {
        "revenue": 4906, "cogs": 3221, "gross": 1685, "sga": 982, "charges": 0, "ebit": 703, "interest": 118,
        "tax": 129,
        "net_income": 456, "eps": 3.71, "cfo": 681, "capex": -203, "dividends": -219, "buybacks": -150, "cash": 188,
        "receivables": 402, "inventories": 588, "current_assets": 1241, "ppe": 1466, "goodwill": 3790, "assets": 6612,
        "current_liabilities": 1287, "long_debt": 2311, "equity": 2510, "pantry": 2610, "frozen": 1290, "pet": 1006,
        "pantry_profit": 461, "frozen_profit": 121, "pet_profit": 171,
    },
    2023: {
        "revenue": 5188, "cogs": 3452, "gross": 1736, "sga": 1013, "charges": 31, "ebit": 692, "interest": 127,
        "tax": 121, "net_income": 444, "eps": 3.66, "cfo": 639, "capex": -247, "dividends": -226, "buybacks": -90,
        "cash": 161, "receivables": 431, "inventories": 642, "current_assets": 1299, "ppe": 1561, "goodwill": 3772,
        "assets": 6748, "current_liabilities": 1342, "long_debt": 2288, "equity": 2604, "pantry": 2702, "frozen": 1342,
        "pet": 1144, "pantry_profit": 468, "frozen_profit": 92, "pet_profit": 208,
    },
    2024: {
        "revenue": 5341, "cogs": 3478, "gross": 1863, "sga": 1066, "charges": 58, "ebit": 739, "interest": 124,
        "tax": 137, "net_income": 478, "eps": 3.97, "cfo": 774, "capex": -219, "dividends": -234, "buybacks": -180,
        "cash": 202, "receivables": 427, "inventories": 611, "current_assets": 1306, "ppe": 1588, "goodwill": 3641,
        "assets": 6659, "current_liabilities": 1311, "long_debt": 2164, "equity": 2688, "pantry": 2741, "frozen": 1266,
        "pet": 1334, "pantry_profit": 493, "frozen_profit": 61, "pet_profit": 271,
    },
}
# fmt: on
_TOLD: Final = told("velmora")


def annual(year: int) -> dict[str, str]:
    """The placeholders of the annual report of fiscal 2023 or 2024."""
    return {**two_years(_LINES, year), **_TOLD["annual"][str(year)]}


def release(year: int) -> dict[str, str]:
    """The placeholders of the release of a fourth quarter."""
    return {"year": str(year), **_TOLD["release"][str(year)]}
