"""Wrong answers by their figures: a digit, the scale, the currency, a neighbour's figure, the sign or the unit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Final

from tests.evaluation.checking.bases import Base, Mutation, agrees_with_any, stands, texts_of
from tests.evaluation.checking.said import Statement, cells_of
from tests.evaluation.checking.sums import profit_name
from tests.evaluation.checking.voice import Changes, shown
from tests.evaluation.checking.wording import FULL, Shown

_NEAR_SCALES: Final = {"thousand": ("million",), "million": ("billion", "billion", "thousand"), "billion": ("million",)}
_PER_SHARE: Final = 0.3  # how often an amount that is none becomes one per share
_OTHER_CURRENCIES: Final = {"en": ("USD", "GBP", "EUR", "JPY"), "de": ("USD", "GBP")}


def digit(base: Base, rng: Random) -> Iterator[Mutation]:
    """Change a digit so that no figure of the passages has the new value."""
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
            if near or agrees_with_any(other, base.cells) or stands(other.num, texts_of(base)):
                continue
            yield Mutation(changes=Changes(figures={slot: other}), slot=slot)
            break


def scale(base: Base, rng: Random) -> Iterator[Mutation]:
    """Say millions for billions."""
    if base.voice.language != base.statement.company.language:
        return  # "EUR 2,876 million" for TEUR 2.876 is right if the comma is read as in the report
    for slot in base.figure_slots:
        said = base.shown(slot)
        if said is None or said.kind != "money" or said.template in ("{num}", FULL):
            continue
        other = replace(said, scale=rng.choice(_NEAR_SCALES[said.scale]))
        if not any(other.agrees(cell.base) for cell in base.cells):
            yield Mutation(changes=Changes(figures={slot: other}), slot=slot)


def currency(base: Base, rng: Random) -> Iterator[Mutation]:
    """Name another currency."""
    for slot in base.figure_slots:
        said = base.shown(slot)
        if said is None or not said.currency or said.template == "{num}":
            continue
        others = [each for each in _OTHER_CURRENCIES[said.language] if each != said.currency]
        other = replace(said, currency=rng.choice(others))
        yield Mutation(changes=Changes(figures={slot: other}), slot=slot)


def neighbour(base: Base, rng: Random) -> Iterator[Mutation]:
    """Take the figure of the next row, or of another column."""
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


def sign_unit(base: Base, rng: Random) -> Iterator[Mutation]:
    """Take points for per cent, an amount per share for a total, a loss for a profit."""
    for slot in base.figure_slots:
        said = base.shown(slot)
        assert said
        if said.kind == "share" and "per share" in base.form.text and said.template != "{num}":
            yield Mutation(changes=Changes(replaced=("per share", "in total")), slot=slot)
            continue
        other = _with_other_unit(said, slot, rng)
        if other:
            yield Mutation(changes=Changes(figures={slot: other}), slot=slot)
    for slot in ("l", "l0", "l1"):
        if slot in base.form.slots and slot in base.statement.words:
            turned = _turned_result(base.statement, slot)
            yield from [Mutation(changes=Changes(texts={slot: turned}), slot=slot)] * 3


def _with_other_unit(said: Shown, slot: str, rng: Random) -> Shown | None:
    german = said.language == "de"
    match said.kind:
        case "percent" if slot == "g":
            return replace(said, kind="points", template="{num} Prozentpunkte" if german else "{num} percentage points")
        case "percent":
            return replace(said, kind="points", template="{num} Promille" if german else "{num} basis points")
        case "points":
            wrong = ("{num} %", "{num} Prozent") if german else ("{num}%", "{num} percent", "{num} basis points")
            return replace(said, kind="percent", template=rng.choice(wrong))
        case "times":
            return replace(said, kind="percent", template="{num}%")
        case "share" if said.template != "{num}":
            template = "{num} {scale} {code}" if german else "{sign}{num} {scale}"
            return replace(said, kind="money", scale="million", template=template)
        case "money" if said.template != "{num}" and slot in ("v", "v1", "v0") and rng.random() < _PER_SHARE:
            per_share = "je Aktie" if german else "per share"
            return None if said.text.startswith("TEUR") else replace(said, template=f"{said.template} {per_share}")
        case _:
            return None


def _turned_result(statement: Statement, slot: str) -> str:
    cell = statement.measures["m"]
    profit, loss = profit_name(cell), cell.loss_names[0]
    turned = loss if statement.words[slot] in (profit.text, profit.bare) else profit
    return turned.text if slot == "l" else turned.bare
