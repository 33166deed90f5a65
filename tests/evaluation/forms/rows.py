"""Ask for a figure of one row, or for what follows from its years."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

from tests.evaluation.forms import wanted
from tests.evaluation.forms.asking import LEAST_SHARE, Asking, Made, told
from tests.evaluation.forms.companies import Row, missing_years, running

_LARGE: Final = 500_000_000


def _two(ask: Asking, row: Row) -> tuple[int, int]:
    """Draw two years of a row: mostly neighbours."""
    first = ask.rng.randrange(len(row.years) - 1)
    return row.years[0 if ask.rng.random() < 0.3 else first], row.years[first + 1]


def value(ask: Asking) -> Made | None:
    if not (row := ask.row(loss=True)):
        return None
    year = ask.rng.choice(row.years)
    value = row.amount(year)
    accepts = wanted.with_sign(ask.amount(value, row), value, ask.words, of="loss")
    slots = {"line": ask.say(row), "year": str(year)}
    return ask.made(slots, [(row, [year])], answer=told(value, row), accepts=accepts)


def _plain(row: Row) -> bool:
    """Return whether a row is printed without brackets, so that nobody can doubt which way it moved."""
    return all(value >= 0 for value in row.values.values())


def change(ask: Asking, *, percent: bool) -> Made | None:
    if not (row := ask.row(years=2)):
        return None
    years = _two(ask, row)
    before, after = (row.amount(year) for year in years)
    move, share = after - before, after / before - 1
    if abs(share) < LEAST_SHARE:
        return None
    figures = wanted.percent(share, ask.words) if percent else ask.amount(move, row)
    accepts = wanted.with_sign(figures, move if _plain(row) else abs(move), ask.words)
    slots = {"line": ask.say(row), "y0": str(years[0]), "y1": str(years[1])}
    answer = f"{share * 100:.1f}%" if percent else told(move, row)
    return ask.made(slots, [(row, years)], answer=answer, accepts=accepts)


def growth(ask: Asking) -> Made | None:
    if not (row := ask.row(years=3)):
        return None
    years = [row.years[0], row.years[-1]]
    rate = (row.amount(years[1]) / row.amount(years[0])) ** (Decimal(1) / (years[1] - years[0])) - 1
    if abs(rate) < LEAST_SHARE:
        return None
    slots = {"line": ask.say(row), "y0": str(years[0]), "y1": str(years[1])}
    accepts = wanted.with_sign(wanted.percent(rate, ask.words), rate if _plain(row) else abs(rate), ask.words)
    return ask.made(slots, [(row, years)], answer=f"{rate * 100:.1f}%", accepts=accepts)


def over_years(ask: Asking, *, average: bool) -> Made | None:
    if not (row := ask.row(years=3, flow=not average)):
        return None
    years = row.years[-3:] if ask.rng.random() < 0.5 else row.years
    value = sum((row.amount(year) for year in years), Decimal(0)) / (len(years) if average else 1)
    slots = {"line": ask.say(row), **_span(years, ask.words)}
    return ask.made(slots, [(row, years)], answer=told(value, row), accepts=[ask.amount(value, row)])


def extreme(ask: Asking) -> Made | None:
    if not (row := ask.row(years=3)):
        return None
    low = ask.rng.random() < 0.5
    year = (min if low else max)(row.years, key=row.amount)
    if sum(row.amount(each) == row.amount(year) for each in row.years) > 1:
        return None
    slots = {"line": ask.say(row), "extreme": ask.own["extremes"][low], **_span(row.years, ask.words)}
    accepts = [ask.amount(row.amount(year), row), [str(year)]]
    return ask.made(slots, [(row, row.years)], answer=f"{told(row.amount(year), row)} ({year})", accepts=accepts)


def unit(ask: Asking) -> Made | None:
    row = ask.row()
    if row is None or not row.currency:
        return None
    year = ask.rng.choice(row.years)
    value = row.amount(year)
    exponents = [3, 9] if row.exponent > 3 and value >= _LARGE else [3] if row.exponent > 3 else [6]
    exponent = ask.rng.choice(exponents)
    unit = ask.words["units"][str(exponent)].format(c=ask.words["currencies"][row.currency])
    figures = wanted.asked(value, exponent, ask.words)
    slots = {"line": ask.say(row), "year": str(year), "unit": unit}
    return ask.made(slots, [(row, [year])], answer=f"{row.currency} {figures[0]} {unit}", accepts=[figures])


def missing(ask: Asking) -> Made | None:
    company, rng = ask.company, ask.rng
    row = company.row("revenue")
    year, other = rng.sample(row.years, 2)
    kind = ("year", "line", "segment")[ask.number % 3]
    if kind == "year":
        row = rng.choice([r for table in ("income", "segments", "note") for r in company.tables[table] if r.spoken])
        year, other = rng.choice(missing_years(row)), rng.choice(row.years)
        line = ask.say(row)
    elif kind == "line":
        line = rng.choice(ask.words["absent"])
    else:
        others = [c for c in ask.companies if c.id != company.id and c.language == company.language]
        foreign = rng.choice(
            [name for c in others for name in c.spec["segments"] if name not in company.spec["segments"]]
        )
        line = rng.choice(ask.words["segment_spoken"]).format(m=running(row.label, company.language), s=foreign)
    return Made(slots={"line": line, "year": str(year), "other": str(other)})


def _span(years: Sequence[int], words: Mapping[str, Any]) -> dict[str, str]:
    return {"years": _list(years, words), "y0": str(years[0]), "y1": str(years[-1])}


def _list(years: Sequence[int], words: Mapping[str, Any]) -> str:
    return f"{', '.join(map(str, years[:-1]))} {words['and']} {years[-1]}"
