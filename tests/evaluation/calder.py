"""Calder Lane Investments: its three funds, their quarterly reports, and two editions of its compliance rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.evaluation.values import told

EQUITY: Final = "Calder Global Equity Fund"
INCOME: Final = "Calder Global Equity Income Fund"
CREDIT: Final = "Calder Euro Credit Fund"
_NAMES: Final = {EQUITY: "equity", INCOME: "income", CREDIT: "credit"}

_TOLD: Final = told("calder")
PROFILES: Final = {fund: {"fund": fund, **_TOLD["profile"][name]} for fund, name in _NAMES.items()}
RULES: Final = {year: _TOLD["rules"][str(year)] for year in (2023, 2024)}

_QUARTERS: Final[Mapping[str, Mapping[str, str]]] = {
    "Q2": {"quarter": "Q2", "quarter_words": "second", "period_start": "1 April", "period_end": "30 June"},
    "Q3": {"quarter": "Q3", "quarter_words": "third", "period_start": "1 July", "period_end": "30 September"},
    "Q4": {"quarter": "Q4", "quarter_words": "fourth", "period_start": "1 October", "period_end": "31 December"},
}


def equity_report(year: int, quarter: str) -> dict[str, str]:
    """The placeholders of a quarterly report of the equity fund."""
    return _report(EQUITY, year, quarter)


def income_report() -> dict[str, str]:
    """The placeholders of the income fund's report of Q4 2024."""
    return _report(INCOME, 2024, "Q4")


def credit_report(year: int, quarter: str) -> dict[str, str]:
    """The placeholders of a German report of the credit fund."""
    own = _TOLD["report"]["credit"][f"{year}-{quarter.lower()}"]
    return {"fund": CREDIT, "benchmark": PROFILES[CREDIT]["benchmark"], "year": str(year), "quarter": quarter, **own}


def _report(fund: str, year: int, quarter: str) -> dict[str, str]:
    words = dict(_QUARTERS[quarter])
    for day in ("period_start", "period_end"):
        words[day] += f" {year}"
    own = _TOLD["report"][_NAMES[fund]][f"{year}-{quarter.lower()}"]
    return {"fund": fund, "benchmark": PROFILES[fund]["benchmark"], "year": str(year), **words, **own}
