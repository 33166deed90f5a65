"""A right answer with all that a wrong one is made from, and what proves a changed figure wrong."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from tests.evaluation.checking.forms import Form
from tests.evaluation.checking.said import Statement
from tests.evaluation.checking.statements import Cell, Company, Passage
from tests.evaluation.checking.voice import Changes, Voice, shown
from tests.evaluation.checking.wording import Shown


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Base:
    """A right answer made of a form. `rivals`: other companies that may stand in its place.

    wrong: words of the form, with others that make it false.
    """

    form: Form
    statement: Statement
    voice: Voice
    passages: tuple[Passage, ...]
    rivals: tuple[Company, ...]
    wrong: tuple[tuple[str, str], ...] = ()

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


def texts_of(base: Base) -> str:
    """The texts of the passages, one after the other."""
    return " ".join(str(passage.fields["text"]) for passage in base.passages)


def stands(num: str, text: str) -> bool:
    """Whether a number stands in a text by itself."""
    return re.search(rf"(?<![\d.,]){re.escape(num)}(?!\d|[.,]\d)", text) is not None


def agrees_with_any(said: Shown, cells: Sequence[Cell]) -> bool:
    """Whether any cell has the value, in whatever scale one reads an amount."""
    factors = [Decimal(10) ** power for power in (-6, -3, 0, 3, 6)] if said.kind == "money" else [Decimal(1)]
    return any(
        abs(abs(said.base) * each - abs(cell.base)) <= said.step * each / 2 for cell in cells for each in factors
    )
