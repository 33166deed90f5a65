"""Tarnwick Industries: four annual reports with the same sentences and other figures, and two quarters of 2024."""

from __future__ import annotations

from typing import Final

from tests.evaluation.statements import two_years
from tests.evaluation.values import told

# fmt: off
_COLUMNS: Final = (
    "pumps", "filtration", "controls", "pumps_income", "filtration_income", "controls_income", "cogs", "sga",
    "rd", "interest", "tax", "da", "wc_change", "capex", "acquisitions", "dividends", "buybacks", "cash",
    "receivables", "inventories", "other_current", "ppe", "goodwill", "intangibles", "payables", "accrued",
    "short_debt", "other_liabilities", "term_loan", "debt", "us", "europe", "warranty", "warranty_charge",
)
_ROWS: Final = {
    2020: (812, 540, 318, 131, 101, 78, 1087, 231, 68, 29, 61,
           78, 12, 94, 0, 71, 40, 301, 288, 262, 41, 612, 487, 143, 171, 132, 35, 204, 200, 640, 968, 431, 33, 19),
    2021: (884, 571, 352, 138, 106, 85, 1189, 242, 74, 27, 63,
           81, -37, 112, 46, 75, 62, 268, 311, 301, 44, 640, 519, 151, 190, 139, 38, 196, 200, 646, 1041, 463, 36, 22),
    2022: (961, 602, 391, 133, 108, 89, 1316, 259, 79, 33, 59,
           86, -64, 137, 0, 80, 95, 197, 342, 358, 52, 688, 519, 139, 214, 148, 46, 171, 190, 657, 1133, 479, 49, 38),
    2023: (1018, 655, 447, 151, 124, 106, 1402, 277, 91, 41, 71,
           93, 21, 121, 0, 86, 70, 246, 361, 342, 47, 714, 519, 128, 208, 157, 32, 168, 180, 631, 1247, 503, 44, 26),
    2024: (1007, 698, 523, 143, 139, 139, 1447, 288, 104, 38, 84,
           101, -18, 163, 181, 93, 84, 211, 385, 371, 58, 803, 628, 176, 231, 171, 55, 162, 300, 762, 1286, 574, 47,
           29),
}
_DILUTED: Final = {2020: 97.1, 2021: 96.2, 2022: 94.9, 2023: 93.6, 2024: 92.4}
_CASH_2019: Final = 262
# fmt: on


def _lines(year: int) -> dict[str, float]:
    row = dict(zip(_COLUMNS, _ROWS[year], strict=True))
    revenue = row["pumps"] + row["filtration"] + row["controls"]
    ebit = revenue - row["cogs"] - row["sga"] - row["rd"]
    pretax = ebit - row["interest"]
    net_income = pretax - row["tax"]
    cfo = net_income + row["da"] + row["wc_change"]
    cfi = -row["capex"] - row["acquisitions"]
    cash_change = row["cash"] - (_ROWS[year - 1][_COLUMNS.index("cash")] if year > 2020 else _CASH_2019)
    current_assets = row["cash"] + row["receivables"] + row["inventories"] + row["other_current"]
    assets = current_assets + row["ppe"] + row["goodwill"] + row["intangibles"]
    current_liabilities = row["payables"] + row["accrued"] + row["short_debt"]
    long_debt = row["debt"] - row["short_debt"]
    return row | {
        "revenue": revenue,
        "gross": revenue - row["cogs"],
        "ebit": ebit,
        "pretax": pretax,
        "net_income": net_income,
        "eps": round(net_income / _DILUTED[year], 2),
        "diluted": _DILUTED[year],
        "cfo": cfo,
        "capex": -row["capex"],
        "acquisitions": -row["acquisitions"],
        "dividends": -row["dividends"],
        "buybacks": -row["buybacks"],
        "cfi": cfi,
        "borrowings": cash_change - cfo - cfi + row["dividends"] + row["buybacks"],
        "cff": cash_change - cfo - cfi,
        "cash_change": cash_change,
        "current_assets": current_assets,
        "assets": assets,
        "current_liabilities": current_liabilities,
        "long_debt": long_debt,
        "equity": assets - current_liabilities - long_debt - row["other_liabilities"],
        "other_debt": row["debt"] - 350 - row["term_loan"],
        "rest": revenue - row["us"] - row["europe"],
    }


LINES: Final = {year: _lines(year) for year in _ROWS}

_TOLD: Final = told("tarnwick")


def annual(year: int) -> dict[str, str]:
    """The placeholders of the annual report of a year, 2021 to 2024."""
    before = {f"{name}_1": value for name, value in _TOLD["annual"][str(year - 1)].items()}
    values = {**two_years(LINES, year), **before, **_TOLD["annual"][str(year)]}
    return values | {f"diluted{end}": f"{_DILUTED[of]:.1f}" for end, of in (("", year), ("_1", year - 1))}


def quarterly(quarter: int) -> dict[str, str]:
    """The placeholders of a quarterly report of 2024, 2 or 3."""
    return {"year": "2024", "year_1": "2023", **_TOLD["quarterly"][str(quarter)]}
