"""The wrong answers: each changes one thing of a true statement, and is proved false against the passages.

A candidate is kept only if what it says is another figure, period, name or direction than the tables give.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from random import Random
from typing import Final

from tests.evaluation.checking.forms import Form
from tests.evaluation.checking.growth import phrases
from tests.evaluation.checking.said import Statement, cells_of
from tests.evaluation.checking.statements import Cell, Company, Name, Passage
from tests.evaluation.checking.voice import Changes, Voice, conjugate, name_of, shown, span
from tests.evaluation.checking.wording import FULL, Shown

_GENERIC_EN: Final = (Name(text="revenue"), Name(text="net profit"), Name(text="total assets", plural=True))
_GENERIC_DE: Final = (Name(text="der Umsatz"), Name(text="der Gewinn"), Name(text="die Bilanzsumme"))
_NOT_GENERIC: Final = ("revenue", "income", "sales", "profit", "umsatz", "ebit", "op", "pretax", "premiums", "gross", "interest",
                       "subs", "services", "collab", "fees", "ebitda")  # fmt: skip
_OTHER_CURRENCIES: Final = {"en": ("USD", "GBP", "EUR", "JPY"), "de": ("USD", "GBP")}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Base:
    """A right answer with all that a wrong one is made from. `rivals`: other companies that may stand in its place."""

    form: Form
    statement: Statement
    voice: Voice
    passages: tuple[Passage, ...]
    rivals: tuple[Company, ...]

    @property
    def cells(self) -> tuple[Cell, ...]:
        return tuple(cell for passage in self.passages for cell in passage.cells)

    def shown(self, slot: str) -> Shown | None:
        """The figure as the form shows it; None if it shows it in two ways, or not at all."""
        ways = {mark[len(slot) :] for mark in self.form.marked if mark.rstrip("#-") == slot}
        if not ways or ways == {"", "#"} or ways == {"", "-"}:
            return None
        figure = self.statement.figures[slot]
        return shown(figure, self.statement.company, self.voice, bare=ways != {""})

    @property
    def figure_slots(self) -> tuple[str, ...]:
        return tuple(slot for slot in self.statement.figures if slot in self.form.slots and self.shown(slot))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutation:
    """One change. The fields after `changes` say what a claim that believes it takes over."""

    changes: Changes
    slot: str = ""
    cell: Cell | None = None
    company: str = ""


def mutations(base: Base, class_: str, rng: Random) -> list[Mutation]:
    """Return candidates of a class in random order; empty if the answer offers none."""
    found = list(_BY_CLASS[class_](base, rng))
    rng.shuffle(found)
    return found


def _texts(base: Base) -> str:
    return " ".join(str(passage.fields["text"]) for passage in base.passages)


def _stands(num: str, text: str) -> bool:
    return re.search(rf"(?<![\d.,]){re.escape(num)}(?!\d|[.,]\d)", text) is not None


def _agrees_with_any(said: Shown, cells: Sequence[Cell]) -> bool:
    """Whether any cell has the value, in whatever scale one reads an amount."""
    factors = [Decimal(10) ** power for power in (-6, -3, 0, 3, 6)] if said.kind == "money" else [Decimal(1)]
    return any(
        abs(abs(said.base) * each - abs(cell.base)) <= said.step * each / 2 for cell in cells for each in factors
    )


# --- figures ---


def _digit(base: Base, rng: Random) -> Iterator[Mutation]:
    for slot in base.figure_slots:
        said = base.shown(slot)
        assert said
        places = [place for place, sign in enumerate(said.num) if sign.isdigit()]
        rng.shuffle(places)
        for place in places[:3]:
            old = int(said.num[place])
            last = place == max(places)
            new = rng.choice(
                [d for d in range(10) if abs(d - old) >= (2 if last else 1) and (d or place != min(places))]
            )
            other = replace(said, num=f"{said.num[:place]}{new}{said.num[place + 1 :]}")
            figure = base.statement.figures[slot]
            near = abs(other.base - abs(figure.value)) <= said.step
            if near or _agrees_with_any(other, base.cells) or _stands(other.num, _texts(base)):
                continue
            yield Mutation(changes=Changes(figures={slot: other}), slot=slot)
            break


def _scale(base: Base, rng: Random) -> Iterator[Mutation]:
    scales = ("thousand", "million", "billion")
    for slot in base.figure_slots:
        said = base.shown(slot)
        if said is None or said.kind != "money" or said.template in ("{num}", FULL):
            continue
        other = replace(said, scale=rng.choice([each for each in scales if each != said.scale]))
        if not any(other.agrees(cell.base) for cell in base.cells):
            yield Mutation(changes=Changes(figures={slot: other}), slot=slot)


def _currency(base: Base, rng: Random) -> Iterator[Mutation]:
    for slot in base.figure_slots:
        said = base.shown(slot)
        if said is None or not said.currency or said.template == "{num}":
            continue
        others = [each for each in _OTHER_CURRENCIES[said.language] if each != said.currency]
        other = replace(said, currency=rng.choice(others))
        yield Mutation(changes=Changes(figures={slot: other}), slot=slot)


def _neighbour(base: Base, rng: Random) -> Iterator[Mutation]:
    known = cells_of(base.statement.company)
    for slot in base.figure_slots:
        figure, said = base.statement.figures[slot], base.shown(slot)
        cell = figure.cell
        if cell is None or said is None or not cell.label:
            continue
        for (_, period), other in known.items():
            beside = other.table == cell.table and (other.kind in "mob") == (cell.kind in "mob") and other.value > 0
            row_away = abs(other.row - cell.row) == 1 and period == cell.period
            column_away = other.row == cell.row and period != cell.period
            if not beside or not (row_away or column_away) or (cell.kind in "spn" and other.kind != cell.kind):
                continue
            new = shown(replace(figure, value=other.base, places=other.places, cell=other), base.statement.company,
                        base.voice, bare=said.template == "{num}")  # fmt: skip
            shown_beside = [base.shown(each) for each in base.figure_slots if each != slot]
            if new.agrees(cell.base) or any(each and each.text == new.text for each in shown_beside):
                continue
            yield Mutation(changes=Changes(figures={slot: new}), slot=slot, cell=other)


# --- periods, names and companies ---


def _year(base: Base, rng: Random) -> Iterator[Mutation]:
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


def _label(base: Base, rng: Random) -> Iterator[Mutation]:
    statement, voice = base.statement, base.voice
    known = cells_of(statement.company)
    for slot, cell in statement.measures.items():
        if not {slot, f"{slot}0"} & base.form.slots:
            continue
        figures = {each: base.shown(each) for each, figure in statement.figures.items() if each in base.form.slots
                   and figure.cell and figure.cell.key == cell.key}  # fmt: skip
        figures = {each: said for each, said in figures.items() if said}
        taken = {each.key for each in statement.measures.values()}
        if not figures:
            continue
        for (key, period), other in known.items():
            same_sort = other.table == cell.table and other.is_money == cell.is_money and other.kind != "n"
            if (
                key in taken
                or not same_sort
                or period != cell.period
                or (cell.kind in "sp" and other.kind != cell.kind)
            ):
                continue
            if all(_says_other(said, known.get((key, _period(base, each)))) for each, said in figures.items()):
                yield Mutation(
                    changes=Changes(names={slot: name_of(other, statement.company, voice)}), slot=slot, cell=other
                )
        if cell.is_money and not cell.segment and cell.key not in _NOT_GENERIC and not cell.key.endswith("ii"):
            generic = rng.choice(_GENERIC_DE if voice.language == "de" else _GENERIC_EN)
            if not _named_so(generic, known, figures):
                yield Mutation(changes=Changes(names={slot: generic}), slot=slot)


def _period(base: Base, slot: str) -> str:
    cell = base.statement.figures[slot].cell
    assert cell
    return cell.period


def _says_other(said: Shown, cell: Cell | None) -> bool:
    return cell is not None and not said.agrees(abs(cell.base))


def _named_so(name: Name, known: Mapping[tuple[str, str], Cell], figures: Mapping[str, Shown]) -> bool:
    alike = [cell for cell in known.values() if any(name.bare in each.text for each in cell.names)]
    return any(said.agrees(abs(cell.base)) for cell in alike for said in figures.values())


def _company(base: Base, rng: Random) -> Iterator[Mutation]:
    if "co" not in base.form.slots:
        return
    said = [each for each in (base.shown(slot) for slot in base.figure_slots) if each]
    for rival in base.rivals:
        own = [cell for cell in base.cells if cell.company == rival.slug]
        if any(each.kind != "points" and _agrees_with_any(each, own) for each in said):
            continue
        name = rival.name if base.voice.company == base.statement.company.name else rival.short
        yield Mutation(changes=Changes(company=name), company=rival.name)


# --- direction, unit and comparison ---


def _direction(base: Base, rng: Random) -> Iterator[Mutation]:
    if "u" in base.form.slots:
        yield Mutation(changes=Changes(turned=frozenset("u")), slot="u")
        return
    for slot in ("g", "d", "pp"):
        if f"{slot}-" in base.form.marked:
            yield Mutation(changes=Changes(turned=frozenset({f"-{slot}"})), slot=slot)


def _sign_unit(base: Base, rng: Random) -> Iterator[Mutation]:
    statement, voice = base.statement, base.voice
    german = voice.language == "de"
    for slot in base.figure_slots:
        said = base.shown(slot)
        assert said
        if said.kind == "percent":
            level = "{num} Promille" if german else "{num} basis points"
            wrong = level if slot != "g" else "{num} Prozentpunkte" if german else "{num} percentage points"
            other = replace(said, kind="points", template=wrong)
        elif said.kind == "points":
            wrong = (
                rng.choice(("{num} %", "{num} Prozent"))
                if german
                else rng.choice(("{num}%", "{num} percent", "{num} basis points"))
            )
            other = replace(said, kind="percent", template=wrong)
        elif said.kind == "share" and said.template != "{num}":
            if "per share" in base.form.text:
                yield Mutation(changes=Changes(replaced=("per share", "in total")), slot=slot)
                continue
            other = replace(
                said,
                kind="money",
                scale="million",
                template="{num} {scale} {code}" if german else "{sign}{num} {scale}",
            )
        elif said.kind == "times":
            other = replace(said, kind="percent", template="{num}%")
        elif (
            said.kind == "money"
            and slot in ("v", "v1", "v0")
            and said.template != "{num}"
            and not said.template.startswith("TEUR")
        ):
            other = replace(said, template=f"{said.template} {'je Aktie' if german else 'per share'}")
        else:
            continue
        yield Mutation(changes=Changes(figures={slot: other}), slot=slot)
    for slot in ("l", "l0", "l1"):
        if slot in base.form.slots and slot in statement.words:
            turned = _turned_result(statement, slot)
            for _ in range(3):
                yield Mutation(changes=Changes(texts={slot: turned}), slot=slot)


def _turned_result(statement: Statement, slot: str) -> str:
    cell = statement.measures["m"]
    profit, loss = cell.names[-1], cell.loss_names[0]
    turned = loss if statement.words[slot] in (profit.text, profit.bare) else profit
    return turned.text if slot == "l" else turned.bare


def _comparison(base: Base, rng: Random) -> Iterator[Mutation]:
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


_BY_CLASS: Final[Mapping[str, Callable[[Base, Random], Iterator[Mutation]]]] = {
    "digit": _digit, "year": _year, "scale": _scale, "currency": _currency, "company": _company,
    "direction": _direction, "label": _label, "neighbour": _neighbour, "sign_unit": _sign_unit,
    "comparison": _comparison,
}  # fmt: skip
CLASSES: Final = (*_BY_CLASS, "predicate")
