"""What may be said truly about a company: statements with their figures, worked out from its tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from typing import Final

from tests.evaluation.checking.said import Figure, Statement, cells_of
from tests.evaluation.checking.statements import Cell, Company, Table
from tests.evaluation.checking.sums import add_sums

_KINDS: Final[Mapping[str, str]] = {
    "m": "money", "o": "money", "b": "money", "r": "money", "s": "share", "p": "percent", "n": "count",
}  # fmt: skip


def statements(company: Company) -> Iterator[Statement]:
    """Everything that the forms can say about the company."""
    for row, periods in _rows(company):
        yield from _of_row(company, row, periods)
    for pair in company.pairs:
        yield from _of_pair(company, pair)
    for table in company.tables:
        yield from _of_table(company, table)


def _rows(company: Company) -> Iterator[tuple[str, tuple[str, ...]]]:
    found: dict[str, list[str]] = {}
    for key, period in cells_of(company):
        found.setdefault(key, []).append(period)
    for key, periods in found.items():
        yield key, tuple(periods)


def _figure(cell: Cell) -> Figure:
    return Figure(value=cell.base, kind=_KINDS[cell.kind], places=cell.places, cell=cell, unit=cell.unit)


def _made(
    kind: str,
    company: Company,
    slots: Mapping[str, tuple[str, str]],
    periods: Mapping[str, str],
    measures: Mapping[str, str],
) -> Statement | None:
    """Look up the cells. slots: key and slot of the period; measures: which figure's name fills a slot."""
    cells = cells_of(company)
    figures: dict[str, Figure] = {}
    for slot, (key, period) in slots.items():
        cell = cells.get((key, periods[period]))
        if cell is None:
            return None
        figures[slot] = _figure(cell)
    named = {name: figures[slot].cell for name, slot in measures.items()}

    def remade(others: Mapping[str, str]) -> Statement | None:
        made = _made(kind, company, slots, {**periods, **others}, measures)
        return made and add_sums(made)

    return Statement(
        kind=kind,
        company=company,
        figures=figures,
        measures={name: cell for name, cell in named.items() if cell},
        periods=dict(periods),
        slots=slots,
        remade=remade,
    )


def _emit(made: Statement | None) -> Iterator[Statement]:
    done = made and add_sums(made)
    if done:
        yield done


def _of_row(company: Company, key: str, periods: tuple[str, ...]) -> Iterator[Statement]:
    kind = cells_of(company)[key, periods[0]].kind
    yearly = not periods[0].startswith("Q")
    for period in periods:
        single = "pershare" if key == "eps" else "balance" if kind == "b" and yearly else "single"
        yield from _emit(_made(single, company, {"v": (key, "p")}, {"p": period}, {"m": "v"}))
        if key in ("profit", "pretax"):
            yield from _emit(_made("result", company, {"v": (key, "p")}, {"p": period}, {"m": "v"}))
    pairs = list(pairwise(periods)) if yearly else [(periods[0], each) for each in periods[1:]]
    for now, before in pairs:
        slots, when = {"v1": (key, "p1"), "v0": (key, "p0")}, {"p1": now, "p0": before}
        kinds = ["pchange"] if kind == "p" else ["change", "yn", "noyn"]
        kinds += ["swing", "widen"] if key in ("profit", "pretax") else []
        kinds += ["average"] if kind == "b" else []
        for each in kinds:
            yield from _emit(_made(each, company, slots, when, {"m": "v1"}))
    if yearly and len(periods) == 3:
        now, middle, before = periods
        slots = {"v1": (key, "p1"), "v2": (key, "p2")}
        yield from _emit(_made("cagr", company, slots, {"p1": now, "p2": before}, {"m": "v1"}))
        for period in periods:
            slots = {"v": (key, "p"), "v1": (key, "p1"), "v0": (key, "p0"), "v2": (key, "p2")}
            when = {"p": period, "p1": now, "p0": middle, "p2": before}
            yield from _emit(_made("three", company, slots, when, {"m": "v"}))


def _of_pair(company: Company, pair: str) -> Iterator[Statement]:
    name, _, parts = pair.partition(" = ")
    over, _, under = parts.partition(" / ")
    under, _, times = under.partition(" ")
    periods = [period for key, period in cells_of(company) if key == over]
    for period in periods:
        slots = {"a": (over, "p"), "b": (under, "p")}
        kind = "times" if times else "ratio"
        for made in _emit(_made(kind, company, slots, {"p": period}, {"a_m": "a", "b_m": "b"})):
            yield _named(made, name)
    if times:
        return
    later = pairwise(periods) if not periods[0].startswith("Q") else [(periods[0], periods[2])]
    for now, before in later:
        slots = {"a1": (over, "p1"), "b1": (under, "p1"), "a0": (over, "p0"), "b0": (under, "p0")}
        for made in _emit(_made("points", company, slots, {"p1": now, "p0": before}, {"a_m": "a1", "b_m": "b1"})):
            yield _named(made, name)


def _named(made: Statement, name: str) -> Statement:
    bare = name.removeprefix("die ").removeprefix("der ")
    return replace(
        made,
        words={**made.words, "ratio": name, "ratio0": bare},
        remade=lambda others: (again := made.remade(others)) and _named(again, name),
    )


def _of_table(company: Company, table: Table) -> Iterator[Statement]:
    keys = [row[0].key for row in table.cells]
    for period in table.periods:
        when = {"p": period}
        if table.segments:
            slots = {f"s{number}": (key, "p") for number, key in enumerate(keys[:3], start=1)}
            names = {f"{slot}_m": slot for slot in slots}
            if len(keys) == 3:
                yield from _emit(_made("sum", company, slots, when, names))
            for key in keys:
                yield from _emit(_made("rank", company, {"v": (key, "p")}, when, {"m": "v"}))
            continue
        plain = [row[0].key for row in table.cells if row[0].kind in "mo"]
        for one, other in permutations(plain, 2):
            slots = {"a": (one, "p"), "b": (other, "p")}
            yield from _emit(_made("exceed", company, slots, when, {"a_m": "a", "b_m": "b"}))
        for three in combinations(plain, 3):
            slots = dict(zip(("a", "b", "c3"), ((key, "p") for key in three), strict=True))
            yield from _emit(_made("list", company, slots, when, {"a_m": "a", "b_m": "b", "c_m": "c3"}))
        for each in table.pershare:
            name, one, other = _parted(each, " / ")
            for made in _emit(
                _made("perunit", company, {"a": (one, "p"), "b": (other, "p")}, when, {"a_m": "a", "b_m": "b"})
            ):
                yield _named(made, name)
        for each in table.spreads:
            name, one, other = _parted(each, " - ")
            for made in _emit(
                _made("spread", company, {"a": (one, "p"), "b": (other, "p")}, when, {"a_m": "a", "b_m": "b"})
            ):
                yield _named(made, name)
    for each in table.averages:
        name, one, other = _parted(each, " / ")
        for now, before in pairwise(table.periods):
            slots = {"a": (one, "p1"), "v1": (other, "p1"), "v0": (other, "p0")}
            for made in _emit(_made("onaverage", company, slots, {"p1": now, "p0": before}, {"a_m": "a", "m": "v1"})):
                yield _named(made, name)


def _parted(text: str, sign: str) -> tuple[str, str, str]:
    name, _, parts = text.partition(" = ")
    one, _, other = parts.partition(sign)
    return name, one, other
