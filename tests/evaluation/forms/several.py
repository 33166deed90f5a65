"""Ask for what follows from several rows or companies: ratios, shares, gaps, rankings."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from tests.evaluation.forms import ratios, wanted
from tests.evaluation.forms.asking import LEAST_SHARE, Asking, Made, part_of, sources, told
from tests.evaluation.forms.companies import Company, Row, running

_DEFINED: Final = (
    ("times", "capex", "depreciation"), ("percent", "receivables", "total_assets"), ("percent", "sga", "gross"),
    ("percent", "profit/0", "revenue/0"), ("times", "note/1", "note/0"), ("percent", "cash", "total_liabilities"),
    ("less", "cfo", "dividends", "revenue"), ("less", "total_assets", "cash", "total_equity"),
    ("times", "revenue/0", "revenue/1"), ("percent", "dividends", "cfo"), ("less", "note/0", "note/1", "note/2"),
    ("percent", "provision", "loans"), ("percent", "profit/1", "revenue/1"),
)  # fmt: skip
_LIABILITIES: Final = ("payables", "short_debt", "other_current_liabilities", "long_debt", "other_non_current")
_ASSETS: Final = ("cash", "receivables", "inventories", "ppe", "loans", "securities")
_COMPARED: Final = ("revenue", "net_income", "total_assets", "total_equity", "capex", "cfo", "tax", "dividends")


def ratio(ask: Asking) -> Made | None:
    name = ask.rng.choice(ratios.names_of(ask.company))
    year = ask.rng.choice(ratios.years_of(ask.company, name))
    found = ratios.result(ask.company, name, year)
    slots = {"ratio": ask.rng.choice(ask.words["ratios"][name]), "year": str(year)}
    accepts = wanted.with_sign(found.forms(ask.company), found.values[0], ask.words, of="loss")
    answer = _ratio_told(found.kind, found.values[0], ask.company)
    return ask.made(slots, [(row, [year]) for row in found.rows], answer=answer, accepts=accepts)


def defined(ask: Asking) -> Made | None:
    kind, *keys = ask.rng.choice(_DEFINED)
    if not ask.company.has(*keys):
        return None
    rows = [ask.company.row(key) for key in keys]
    year = ask.rng.choice(sorted(set.intersection(*(set(row.years) for row in rows))))
    amounts = [row.amount(year) for row in rows]
    if kind == "less":
        amounts[:2] = [amounts[0] - amounts[1]]
    value = amounts[0] / amounts[1]
    if value <= LEAST_SHARE:
        return None
    said = dict(zip("abc", map(ask.say, rows), strict=False))
    definition = ask.rng.choice(ask.words["definitions"][kind]).format(**said)
    figures = wanted.percent(value, ask.words) if kind == "percent" else wanted.times(value, ask.words)
    answer = f"{value * 100:.1f}%" if kind == "percent" else f"{value:.2f}"
    slots = {"definition": definition, "year": str(year)}
    return ask.made(slots, [(row, [year]) for row in rows], answer=answer, accepts=[figures])


def share(ask: Asking) -> Made | None:
    company, words = ask.company, ask.words
    kind = ("segments", "note", "balance")[ask.number % 3]
    if kind == "segments":
        part = company.row(f"revenue/{ask.rng.randrange(len(company.spec['segments']))}")
        whole, named = company.row("revenue"), words["in_segment"].format(s=part.label)
        total = ask.say(whole)
    elif kind == "note":
        part, whole = (
            company.row(f"note/{ask.rng.randrange(len(company.spec['note']['rows']))}"),
            company.row("note_total"),
        )
        named, total = part.label, words["total_of"].format(m=company.spec["note"]["measure"])
    else:
        part = ask.rng.choice([row for row in company.tables["balance"] if row.key in _ASSETS])
        whole = company.row("total_assets")
        named, total = ask.say(part), ask.say(whole)
    year = ask.rng.choice([year for year in part.years if year in whole.years])
    value = part.amount(year) / whole.amount(year)
    slots = {"part": named, "total": total, "year": str(year)}
    rows = [(part, [year]), (whole, [year])]
    return ask.made(slots, rows, answer=f"{value * 100:.1f}%", accepts=[wanted.percent(value, words)])


def segments(ask: Asking) -> Made | None:
    kind = ask.rng.choice(("revenue", "profit"))
    rows = [row for row in ask.company.tables["segments"] if row.key.startswith(kind)]
    year = ask.rng.choice(rows[0].years)
    low, high = sorted(ask.rng.sample(rows, 2), key=lambda row: row.amount(year))
    gap = high.amount(year) - low.amount(year)
    if not gap or low.amount(year) < 0:
        return None
    measure = running(part_of(ask.company, high), ask.company.language)
    slots = {"a": high.label, "b": low.label, "measure": measure, "year": str(year)}
    return ask.made(slots, [(high, [year]), (low, [year])], answer=told(gap, high), accepts=[ask.amount(gap, high)])


def ranking(ask: Asking) -> Made | None:
    company, note = ask.company, ask.company.spec["note"]
    kind = ("segments", "note", "liabilities")[ask.number % 3]
    if kind == "note":
        rows, group, measure = list(company.tables["note"][:-1]), note["group"], note["measure"]
    elif kind == "segments":
        of = ask.rng.choice(("revenue", "profit"))
        rows = [row for row in company.tables["segments"] if row.key.startswith(of)]
        group, measure = ask.words["segment"], running(part_of(company, rows[0]), company.language)
    else:
        rows = [row for row in company.tables["balance"] if row.key in _LIABILITIES]
        group, measure = ask.words["liability"]
    rank = ask.rng.choice(("top", "bottom", "growth") if kind != "liabilities" else ("top", "bottom"))
    year = ask.rng.choice(rows[0].years[1:] or rows[0].years)
    if len(rows) < 3 or (rank == "growth" and any(row.amount(at) <= 0 for row in rows for at in (year - 1, year))):
        return None

    def height(row: Row) -> Decimal:
        return row.amount(year) / row.amount(year - 1) if rank == "growth" else row.amount(year)

    first, second = sorted(rows, key=height, reverse=rank != "bottom")[:2]
    if abs(height(first) - height(second)) <= LEAST_SHARE:
        return None
    slots = {"group": group, "rank": ask.rng.choice(ask.words["ranks"][rank]).format(m=measure), "year": str(year)}
    years = [year - 1, year] if rank == "growth" else [year]
    names = [first.label, *(first.spoken if kind == "liabilities" else ())]
    return ask.made(slots, [(row, years) for row in rows], answer=first.label, accepts=[names])


def _ratio_told(kind: str, value: Decimal, company: Company) -> str:
    row = company.row("revenue")
    return told(value, row) if kind == "amount" else f"{value * 100:.1f}%" if kind == "percent" else f"{value:.2f}"


def companies(ask: Asking) -> Made | None:
    """Ask which of two companies has more of a measure, and the gap; of ratios in percentage points."""
    first, words = ask.company, ask.words
    second = ask.rng.choice([c for c in ask.companies if c.id != first.id and c.language == first.language])
    if ask.number % 2:
        both = [name for name in ratios.plain_names(first) if name in ratios.plain_names(second)]
        name = ask.rng.choice(both)
        shared = set(ratios.years_of(first, name)) & set(ratios.years_of(second, name))
        measure = ask.rng.choice(words["ratios"][name])
    else:
        key = ask.rng.choice(_COMPARED)
        rows = [company.row(key) for company in (first, second)]
        shared = set(rows[0].years) & set(rows[1].years)
        measure = ask.rng.choice(ask.own["spoken"].get(key) or [running(rows[0].label, first.language)])
        if rows[0].currency != rows[1].currency:
            return None
    if not shared:
        return None
    year = ask.rng.choice(sorted(shared))
    if ask.number % 2:
        found = [ratios.result(company, name, year) for company in (first, second)]
        values = [each.values[0] for each in found]
        operands = [(row, [year]) for row in found[0].rows], [(row, [year]) for row in found[1].rows]
        gap = abs(values[0] - values[1])
        figures = wanted.percent(gap, words)
        # The gap of the two percentages as they are shown is right as well.
        figures += wanted.percent(round(values[0], 3) - round(values[1], 3), words)
        said = f"{gap * 100:.1f} pp"
    else:
        values = [row.amount(year) for row in rows]
        operands = [(rows[0], [year])], [(rows[1], [year])]
        gap = abs(values[0] - values[1])
        figures = wanted.amount(gap, [row.exponent for row in rows], words)
        said = told(gap, rows[0])
    if gap <= LEAST_SHARE:
        return None
    higher = first if values[0] > values[1] else second
    of_first, of_second = ask.made({}, operands[0]), sources(second, operands[1])
    return Made(
        slots={"c1": first.short, "c2": second.short, "measure": measure, "year": str(year)},
        answer=f"{higher.short}, {said}",
        accepts=[[higher.short], list(dict.fromkeys(figures))],
        documents=of_first.documents + of_second["documents"],
        evidence=of_first.evidence + of_second["evidence"],
    )


def yes_no(ask: Asking) -> Made | None:
    """Ask whether a ratio or a row rose, or fell. Both figures are accepted, or the one and the difference."""
    if ask.number % 2:
        name = ask.rng.choice(ratios.plain_names(ask.company))
        years = ratios.years_of(ask.company, name)[-2:]
        found = [ratios.result(ask.company, name, year) for year in years]
        values, rows = [each.values[0] for each in found], found[0].rows
        measure, kind = ask.rng.choice(ask.words["ratios"][name]), "percent"
    else:
        row = ask.row(years=2)
        if row is None:
            return None
        years, rows, kind = row.years[-2:], (row,), "amount"
        values, measure = [row.amount(year) for year in years], ask.say(row)
    move = values[1] - values[0]
    if abs(move) <= LEAST_SHARE:
        return None

    def shown(value: Decimal) -> list[str]:
        return wanted.percent(value, ask.words) if kind == "percent" else ask.amount(value, rows[0])

    falls = ask.rng.random() < 0.5
    accepts = [list(dict.fromkeys([*shown(value), *shown(move)])) for value in values]
    before, after = (f"{value * 100:.1f}%" if kind == "percent" else told(value, rows[0]) for value in values)
    return ask.made(
        {"measure": measure, "rise": ask.words["rises"][falls], "y0": str(years[0]), "y1": str(years[1])},
        [(row, years) for row in rows],
        answer=f"{after} ({years[1]}), {before} ({years[0]})",
        accepts=accepts,
        polarity="yes" if (move < 0) is falls else "no",
    )
