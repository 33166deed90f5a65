"""A small model of a company: its statements of four years, in whole steps of the last place that its tables print."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, Final

YEARS: Final = 4
Line = dict[int, int]


def statements(spec: Mapping[str, Any]) -> dict[str, Line]:
    """Return every line of a company's statements by key and year; cash paid out is negative.

    The balance sheet follows from the flows: what a line gains or loses passes through the cash flow statement, and
    long-term debt takes up what is needed to hold the cash that is wanted.
    """
    rng = Random(spec["id"])
    years = range(spec["last"] - YEARS + 1, spec["last"] + 1)
    lines: dict[str, Line] = {}
    _segments(lines, spec, rng, years)
    (_bank if spec.get("bank") else _industry)(lines, spec, rng, years)
    _note(lines, spec, rng, years)
    return lines


def _put(lines: dict[str, Line], year: int, **values: float) -> None:
    for key, value in values.items():
        lines.setdefault(key, {})[year] = round(value)


def _segments(lines: dict[str, Line], spec: Mapping[str, Any], rng: Random, years: range) -> None:
    count = len(spec["segments"])
    parts = [rng.uniform(0.6, 1.6) / (1 + place * 0.5) for place in range(count)]
    size = spec["revenue"] * 10 ** spec["places"]
    sales = [size * part / sum(parts) for part in parts]
    margins = [rng.uniform(0.1, 0.24) * (2 if spec.get("bank") else 1) for _ in parts]
    if spec.get("loss"):
        margins[-1] = -0.05
    for year in years:
        sales = [value * rng.uniform(0.95, 1.16) for value in sales]
        for place, value in enumerate(sales):
            profit = value * (margins[place] + rng.uniform(-0.015, 0.02))
            _put(lines, year, **{f"revenue/{place}": value, f"profit/{place}": profit})
        corporate = -sum(sales) * rng.uniform(0.008, 0.02)
        revenue = sum(lines[f"revenue/{place}"][year] for place in range(count))
        _put(lines, year, corporate=corporate, revenue=revenue)
        profit = sum(lines[f"profit/{place}"][year] for place in range(count)) + lines["corporate"][year]
        _put(lines, year, **{"pbt" if spec.get("bank") else "operating": profit})


def _industry(lines: dict[str, Line], spec: Mapping[str, Any], rng: Random, years: range) -> None:
    start = lines["revenue"][years[0]]
    gross_rate, now = rng.uniform(0.36, 0.5), {}
    for key, part in {
        "cash": 0.07, "receivables": 0.14, "inventories": 0.11, "other_current": 0.03, "ppe": 0.55, "intangibles": 0.2,
        "payables": 0.1, "short_debt": 0.04, "other_current_liabilities": 0.06, "long_debt": 0.4,
        "other_non_current": 0.05,
    }.items():  # fmt: skip
        now[key] = round(start * part * rng.uniform(0.85, 1.15))
    assets = ("cash", "receivables", "inventories", "other_current", "ppe", "intangibles")
    owed = [key for key in now if key not in assets]
    now["retained"] = sum(now[key] for key in assets) - sum(now[key] for key in owed)
    now["share_capital"] = round(now["retained"] * 0.3)
    now["retained"] -= now["share_capital"]
    for year in years:
        revenue, operating, before = lines["revenue"][year], lines["operating"][year], dict(now)
        gross = round(revenue * (gross_rate + rng.uniform(-0.015, 0.015)))
        research = round(revenue * rng.uniform(0.04, 0.06)) if spec.get("research") else 0
        other = 0 if year == years[2] else round(revenue * rng.uniform(0.001, 0.004))
        interest = round((now["long_debt"] + now["short_debt"]) * rng.uniform(0.04, 0.055))
        pbt = operating + other - interest
        tax = round(pbt * rng.uniform(0.19, 0.27))
        net, depreciation = pbt - tax, round(revenue * rng.uniform(0.04, 0.05))
        capex, bought = round(revenue * rng.uniform(0.05, 0.075)), 0
        if year in (years[1], years[3]):
            bought = round(revenue * rng.uniform(0.005, 0.02))
        dividends = round(net * rng.uniform(0.35, 0.6))
        for key in ("receivables", "inventories", "other_current", "payables", "other_current_liabilities"):
            now[key] = round(now[key] * rng.uniform(0.96, 1.12))
        now["short_debt"] = round(now["short_debt"] * rng.uniform(0.85, 1.2))
        now["ppe"] += capex - round(depreciation * 0.8)
        now["intangibles"] += bought - depreciation + round(depreciation * 0.8)
        now["retained"] += net - dividends
        now["cash"] = round(revenue * rng.uniform(0.06, 0.1))
        moved = {key: now[key] - before[key] for key in now}
        other_items = moved["payables"] + moved["other_current_liabilities"] - moved["other_current"]
        cfo = net + depreciation - moved["receivables"] - moved["inventories"] + other_items
        borrowed = moved["cash"] - (cfo - capex - bought - dividends)
        now["long_debt"] += borrowed - moved["short_debt"]
        cost, sga = revenue - gross, gross - operating - research
        if spec.get("research"):
            _put(lines, year, research=research)
        _put(lines, year, cogs=cost, gross=gross, sga=sga, other_income=other, interest=interest)
        _put(lines, year, pbt=pbt, tax=tax, net_income=net, depreciation=depreciation, cfo=cfo, capex=-capex)
        _put(lines, year, change_receivables=-moved["receivables"], change_inventories=-moved["inventories"])
        _put(lines, year, change_other=other_items, acquisitions=-bought, cfi=-capex - bought)
        _close(lines, year, now, borrowed=borrowed, dividends=dividends, opening=before["cash"])
        current = sum(now[key] for key in assets[:4])
        short = now["payables"] + now["short_debt"] + now["other_current_liabilities"]
        _put(lines, year, total_current_assets=current, total_current_liabilities=short)
        _put(lines, year, total_assets=sum(now[key] for key in assets), total_liabilities=sum(now[key] for key in owed))


def _bank(lines: dict[str, Line], spec: Mapping[str, Any], rng: Random, years: range) -> None:
    start = lines["revenue"][years[0]]
    parts = {"cash": 1.6, "loans": 13.0, "securities": 3.5, "ppe": 0.4, "deposits": 14.0, "long_debt": 2.2}
    now = {key: round(start * part * rng.uniform(0.95, 1.05)) for key, part in parts.items()}
    assets, owed = ("cash", "loans", "securities", "ppe"), ("deposits", "long_debt")
    now["retained"] = sum(now[key] for key in assets) - sum(now[key] for key in owed)
    now["share_capital"] = round(now["retained"] * 0.3)
    now["retained"] -= now["share_capital"]
    for year in years:
        revenue, pbt, before = lines["revenue"][year], lines["pbt"][year], dict(now)
        fees = round(revenue * rng.uniform(0.24, 0.3))
        interest_income = round((revenue - fees) * rng.uniform(1.5, 1.8))
        provision, tax = round(revenue * rng.uniform(0.05, 0.09)), round(pbt * rng.uniform(0.19, 0.26))
        net, depreciation, capex = pbt - tax, round(revenue * 0.03), round(revenue * rng.uniform(0.03, 0.05))
        dividends = round(net * rng.uniform(0.35, 0.5))
        for key in ("loans", "deposits", "securities"):
            now[key] = round(now[key] * rng.uniform(1.0, 1.06))
        now["ppe"] += capex - depreciation
        now["retained"] += net - dividends
        now["cash"] = round(revenue * rng.uniform(1.4, 1.8))
        moved = {key: now[key] - before[key] for key in now}
        lent = moved["loans"] + provision
        cfo = net + depreciation + provision - lent + moved["deposits"]
        borrowed = moved["cash"] - (cfo - capex - moved["securities"] - dividends)
        now["long_debt"] += borrowed
        _put(lines, year, interest_income=interest_income, interest_paid=interest_income - revenue + fees)
        _put(lines, year, nii=revenue - fees, fees=fees, provision=provision, opex=revenue - provision - pbt, tax=tax)
        _put(lines, year, net_income=net, depreciation=depreciation, change_loans=-lent, cfo=cfo, capex=-capex)
        _put(lines, year, change_deposits=moved["deposits"], change_securities=-moved["securities"])
        _put(lines, year, cfi=-capex - moved["securities"])
        _close(lines, year, now, borrowed=borrowed, dividends=dividends, opening=before["cash"])
        _put(lines, year, total_assets=sum(now[key] for key in assets), total_liabilities=sum(now[key] for key in owed))


def _close(
    lines: dict[str, Line], year: int, now: dict[str, int], *, borrowed: int, dividends: int, opening: int
) -> None:
    """Add the end of the cash flow statement, the lines of the balance sheet and its equity."""
    _put(lines, year, **now, borrowed=borrowed, dividends=-dividends, cff=borrowed - dividends, opening=opening)
    _put(lines, year, closing=now["cash"], net_change=now["cash"] - opening)
    assets = sum(now.get(key, 0) for key in ("cash", "receivables", "inventories", "other_current", "ppe"))
    assets += sum(now.get(key, 0) for key in ("intangibles", "loans", "securities"))
    _put(lines, year, total_equity=now["share_capital"] + now["retained"], liabilities_and_equity=assets)


def _note(lines: dict[str, Line], spec: Mapping[str, Any], rng: Random, years: range) -> None:
    note = spec["note"]
    rows = range(len(note["rows"]))
    levels = note.get("levels") or [rng.uniform(0.5, 1.5) for _ in rows]
    for year in years:
        levels = [level * rng.uniform(0.93, 1.13) for level in levels]
        if note["kind"] == "counts":
            split = [round(level) for level in levels]
        else:
            whole = {
                "debt": lambda at: lines["short_debt"][at] + lines["long_debt"][at],
                "regions": lambda at: lines["revenue"][at],
                "loans": lambda at: lines["loans"][at],
            }[note["kind"]](year)
            split = [round(whole * level / sum(levels)) for level in levels[:-1]]
            split.append(whole - sum(split))
        _put(lines, year, **{f"note/{row}": split[row] for row in rows}, note_total=sum(split))
