"""The reply of a model: prose with or without marks, and its claims and calculations."""

from __future__ import annotations

import re
from collections.abc import Sequence
from random import Random
from typing import Any, Final

from tests.evaluation.checking.bases import Base, Mutation
from tests.evaluation.checking.said import Figure
from tests.evaluation.checking.statements import Cell
from tests.evaluation.checking.voice import Changes, name_of, shown
from tests.evaluation.checking.wording import Shown

_UNITS: Final = ("{code} {scale}", "{scale} {code}", "{code} {scale}s")


def with_marks(answer: str, refs: Sequence[str], rng: Random) -> str:
    """Put the marks of the passages at the end of the answer, before its full stop, or after its first sentence."""
    marks = " ".join(f"[{ref}]" for ref in refs)
    if answer.endswith(".") and rng.random() < 0.6:
        return f"{answer[:-1]} {marks}."
    return f"{answer} {marks}"


def claims(base: Base, mutation: Mutation | None, rng: Random) -> list[dict[str, Any]]:
    """Return a claim for each figure that the form takes from a cell. A mutation changes the claims that it touches."""
    unit = rng.choice(_UNITS)
    spoken = rng.random() < 0.35
    taken_over = rng.random() < 0.5
    made = []
    for slot, figure in base.statement.figures.items():
        if figure.cell is not None and (slot in base.form.slots or base.statement.kind == "rank"):
            made.append(_claim(base, slot, figure, mutation, unit=unit, spoken=spoken, taken_over=taken_over))
    return made


def _claim(
    base: Base, slot: str, figure: Figure, mutation: Mutation | None, *, unit: str, spoken: bool, taken_over: bool
) -> dict[str, Any]:
    cell, statement = figure.cell, base.statement
    assert cell
    changes = mutation.changes if mutation else Changes()
    as_said = base.shown(slot) if spoken else None
    as_said = changes.figures.get(slot) or as_said
    if as_said is not None and not as_said.scale and as_said.kind == "money":
        as_said = None
    value = as_said.num if as_said else cell.raw.strip("()").rstrip("% ")
    if cell.value < 0 and figure.value > 0 and as_said is None and not _turned(mutation):
        value = f"-{value}"  # a loss, which the prose calls one
    claim = {
        "company": (mutation.company if mutation else "") or statement.company.name,
        "measure": _measure(base, slot, cell, changes),
        "period": _period(base, slot, cell, changes),
        "value": value,
        "unit": as_said.unit_name if as_said and slot in changes.figures else _unit(base, figure, as_said, unit),
        "ref_id": cell.ref_id,
        "row": cell.label,
        "column": cell.column,
    }
    if mutation and mutation.cell and taken_over and mutation.slot in (slot, _name_slot(base, cell)):
        claim["row"], claim["column"] = mutation.cell.label, mutation.cell.column
    if "seg" in changes.texts and mutation and mutation.cell:  # another segment, with its own figure
        claim["measure"] = name_of(mutation.cell, statement.company, base.voice).bare
        claim["row"], claim["column"] = mutation.cell.label, mutation.cell.column
        if slot not in changes.figures:
            claim["value"] = mutation.cell.raw
    if claim["period"] != cell.period and taken_over and cell.column == cell.period:
        claim["column"] = claim["period"]
    return claim


def _turned(mutation: Mutation | None) -> bool:
    return mutation is not None and mutation.slot in ("l", "l0", "l1") and bool(mutation.changes.texts)


def _name_slot(base: Base, cell: Cell) -> str:
    return next((slot for slot, each in base.statement.measures.items() if each.key == cell.key), "")


def _measure(base: Base, slot: str, cell: Cell, changes: Changes) -> str:
    named = changes.names.get(_name_slot(base, cell))
    for word, when in (("l", slot), ("l1", "v1"), ("l0", "v0")):
        if when == slot and word in base.form.slots and word in base.statement.words:
            return (changes.texts.get(word) or base.statement.words[word]).strip()
    return (named or name_of(cell, base.statement.company, base.voice)).bare


def _period(base: Base, slot: str, cell: Cell, changes: Changes) -> str:
    _, when = base.statement.slots.get(slot, ("", ""))
    return changes.periods.get(when, cell.period)


def _unit(base: Base, figure: Figure, as_said: Shown | None, unit: str) -> str:
    if figure.kind != "money":
        return shown(figure, base.statement.company, base.voice, bare=False).unit_name
    assert figure.cell
    scale = as_said.scale if as_said else figure.cell.scale
    return unit.format(code=base.statement.company.currency, scale=scale)


def calculations(base: Base, mutation: Mutation | None, *, kept_sign: bool) -> list[dict[str, Any]]:
    """Return the calculations behind the figures that the form shows as worked out."""
    made = []
    changes = mutation.changes if mutation else Changes()
    for slot, formula in base.statement.formulas.items():
        if slot not in base.form.slots:
            continue
        operands = [_operand(base, each, mutation) for each in re.findall(r"\{(\w+)\}", formula)]
        expression = re.sub(r"\{\w+\}", "{}", formula).format(*operands)
        result = _result(base, slot, changes, kept_sign=kept_sign)
        label = _label(base, slot, changes)
        made.append({"measure": label, "expression": expression, "operands": operands, "result": result})
    return made


def _operand(base: Base, slot: str, mutation: Mutation | None) -> str:
    """The number of an operand as the table prints it. One that the answer changed is taken over in the same scale."""
    plain = shown(base.statement.figures[slot], base.statement.company, base.voice, bare=True)
    changed = mutation.changes.figures.get(slot) if mutation else None
    if changed is None or mutation is None:
        return plain.num
    if mutation.cell:
        return mutation.cell.raw.strip("()").rstrip("% ")
    return changed.num if changed.scale == plain.scale else plain.num


def _label(base: Base, slot: str, changes: Changes) -> str:
    words = base.statement.words
    if slot in ("r", "r1", "r0", "pp") and "ratio0" in words:
        return words["ratio0"] if slot != "pp" or base.statement.kind == "spread" else f"change of {words['ratio0']}"
    measures = base.statement.measures
    named = "m" if "m" in measures else next(iter(measures))
    name = changes.names.get(named) or name_of(measures[named], base.statement.company, base.voice)
    return f"{_WORDS[slot]}{name.bare}"


_WORDS: Final = {
    "d": "change in ",
    "g": "growth of ",
    "q": "quotient of ",
    "pp": "change of ",
    "avg": "average of ",
    "sum": "sum of ",
    "r": "",
    "r1": "",
    "r0": "",
}


def _result(base: Base, slot: str, changes: Changes, *, kept_sign: bool) -> str:
    figure = base.statement.figures[slot]
    said = changes.figures.get(slot) or base.shown(slot) or shown(figure, base.statement.company, base.voice, bare=True)
    negative = figure.value < 0
    if (f"-{slot}" in changes.turned or ("u" in changes.turned and slot in ("d", "g", "pp"))) and not kept_sign:
        negative = not negative
    text = said.text if said.kind != "money" or said.scale else said.num
    return f"-{text}" if negative else text
