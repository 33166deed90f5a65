"""Wrong answers by their words: another period, measure, company, direction or comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Final

from tests.evaluation.checking.bases import Base, Mutation, agrees_with_any
from tests.evaluation.checking.growth import phrases
from tests.evaluation.checking.said import cells_of
from tests.evaluation.checking.statements import Cell, Name
from tests.evaluation.checking.voice import Changes, conjugate, name_of, shown, span
from tests.evaluation.checking.wording import Shown

_GENERIC_EN: Final = (Name(text="revenue"), Name(text="net profit"), Name(text="total assets", plural=True))
_GENERIC_DE: Final = (Name(text="der Umsatz"), Name(text="der Gewinn"), Name(text="die Bilanzsumme"))
_NOT_GENERIC: Final = ("revenue", "income", "sales", "profit", "umsatz", "ebit", "op", "pretax", "premiums",
                       "gross", "interest", "subs", "services", "collab", "fees", "ebitda")  # fmt: skip


def year(base: Base, rng: Random) -> Iterator[Mutation]:
    """Put another period on the figure."""
    statement, form = base.statement, base.form
    known = cells_of(statement.company)
    used = {statement.periods[slot] for slot in statement.periods if slot in form.slots}
    yearly = not next(iter(statement.periods.values())).startswith("Q")
    every = sorted({cell.period for cell in known.values()})
    outside = ["2021", "2025"] if yearly else [f"{each[:3]}{int(each[3:]) - 1}" for each in every]
    for slot in statement.periods:
        if slot not in form.slots:
            continue
        inside = [each for each in every if each not in used and _contradicts(base, slot, each, known)]
        free = [each for each in outside if each not in every]
        for period in inside or (free if rng.random() < 0.5 else []):
            yield Mutation(changes=Changes(periods={slot: period}), slot=slot)


def _contradicts(base: Base, slot: str, period: str, known: Mapping[tuple[str, str], Cell]) -> bool:
    """Whether a figure that the form gives for the period is another one in the table."""
    direct = []
    for figure_slot, (key, when) in base.statement.slots.items():
        if when == slot and figure_slot in base.form.slots:
            cell, said = known.get((key, period)), base.shown(figure_slot)
            if cell is None or said is None:
                return False
            direct.append(not said.agrees(abs(cell.base)))
    if direct:
        return all(direct)
    again = base.statement.remade({slot: period})
    result, said = base.statement.figures.get("r"), base.shown("r")
    return bool(again and result and said and not said.agrees(abs(again.figures["r"].value)))


def label(base: Base, rng: Random) -> Iterator[Mutation]:
    """Put the figure under another measure's name."""
    statement, voice = base.statement, base.voice
    known = cells_of(statement.company)
    taken = {each.key for each in statement.measures.values()}
    for slot, cell in statement.measures.items():
        figures = _shown_of(base, cell)
        if not figures or not {slot, f"{slot}0"} & base.form.slots:
            continue
        for (key, period), other in known.items():
            if key in taken or period != cell.period or not _comparable(cell, other):
                continue
            if all(_says_other(said, known.get((key, _period(base, each)))) for each, said in figures.items()):
                name = name_of(other, statement.company, voice)
                yield Mutation(changes=Changes(names={slot: name}), slot=slot, cell=other)
        if cell.is_money and not cell.segment and cell.key not in _NOT_GENERIC:
            generic = rng.choice(_GENERIC_DE if voice.language == "de" else _GENERIC_EN)
            if not _named_so(generic, known, figures):
                yield Mutation(changes=Changes(names={slot: generic}), slot=slot)


def _shown_of(base: Base, cell: Cell) -> dict[str, Shown]:
    """The figures of a measure that the form shows, by slot."""
    found: dict[str, Shown] = {}
    for slot, figure in base.statement.figures.items():
        said = base.shown(slot)
        if said and figure.cell and figure.cell.key == cell.key:
            found[slot] = said
    return found


def _comparable(cell: Cell, other: Cell) -> bool:
    return other.table == cell.table and (other.kind == cell.kind or (other.is_money and cell.is_money))


def _period(base: Base, slot: str) -> str:
    cell = base.statement.figures[slot].cell
    assert cell
    return cell.period


def _says_other(said: Shown, cell: Cell | None) -> bool:
    return cell is not None and not said.agrees(abs(cell.base))


def _named_so(name: Name, known: Mapping[tuple[str, str], Cell], figures: Mapping[str, Shown]) -> bool:
    alike = [cell for cell in known.values() if any(name.bare in each.text for each in cell.names)]
    return any(said.agrees(abs(cell.base)) for cell in alike for said in figures.values())


def company(base: Base, rng: Random) -> Iterator[Mutation]:
    """Make another company the subject."""
    if "co" not in base.form.slots:
        return
    said = [each for each in (base.shown(slot) for slot in base.figure_slots) if each]
    given = {cell.company for cell in base.cells}
    beside = [rival for rival in base.rivals if rival.slug in given]
    for rival in beside or base.rivals:
        own = [cell for cell in base.cells if cell.company == rival.slug]
        if any(each.kind != "points" and agrees_with_any(each, own) for each in said):
            continue
        name = rival.name if base.voice.company == base.statement.company.name else rival.short
        yield Mutation(changes=Changes(company=name), company=rival.name)


def direction(base: Base, rng: Random) -> Iterator[Mutation]:
    """Say the opposite direction, or turn the sign of a change round."""
    if "u" in base.form.slots:
        yield Mutation(changes=Changes(turned=frozenset("u")), slot="u")
        return
    for slot in ("g", "d", "pp"):
        if f"{slot}-" in base.form.marked:
            yield Mutation(changes=Changes(turned=frozenset({f"-{slot}"})), slot=slot)


def comparison(base: Base, rng: Random) -> Iterator[Mutation]:
    """Make a comparison that does not hold."""
    statement, form, voice = base.statement, base.form, base.voice
    if "c" in form.slots:
        _, false = phrases(statement.figures["v1"].value / statement.figures["v0"].value, voice.language)
        plural = name_of(statement.measures["m"], statement.company, voice).plural
        for phrase in false:
            yield Mutation(changes=Changes(texts={"c": conjugate(phrase, plural=plural)}), slot="c")
    if "x" in form.slots:
        yield Mutation(changes=Changes(turned=frozenset("x")), slot="x")
    if statement.kind == "rank" and "seg" in form.slots:
        for other in statement.others:
            figure = replace(statement.figures["v"], value=other.base, cell=other)
            figures = {"v": shown(figure, statement.company, voice, bare=False)} if "v" in form.slots else {}
            yield Mutation(changes=Changes(texts={"seg": other.segment}, figures=figures), slot="v", cell=other)
    if "e" in form.slots and voice.language == "en":
        yield from _earlier(base)


def _earlier(base: Base) -> Iterator[Mutation]:
    statement = base.statement
    of = statement.figures["v0"].cell
    assert of
    known = cells_of(statement.company)
    if span(statement) == "quarter":
        year_before = f"{statement.periods['p1'][:3]}{int(statement.periods['p1'][3:]) - 1}"
        wrong, cell = "a year earlier", known.get((of.key, year_before))
    elif of.period.startswith("Q"):
        before = [c for (key, period), c in known.items() if key == of.key and period not in statement.periods.values()]
        wrong, cell = "a quarter earlier", before[0] if before else None
    else:
        wrong, cell = "two years earlier", known.get((of.key, str(int(statement.periods["p1"]) - 2)))
    if cell is None:
        return
    now = statement.figures["v1"].value
    would_be = {
        "v0": cell.base,
        "d": abs(now - cell.base),
        "g": abs(now / cell.base - 1) * 100,
        "pp": abs(now - cell.base),
    }
    checked = [(base.shown(slot), value) for slot, value in would_be.items() if slot in base.form.slots]
    if checked and all(said and not said.agrees(value) for said, value in checked):
        yield Mutation(changes=Changes(texts={"e": wrong}), slot="e")
