"""A true statement before it has words: its figures, the names of its measures, its periods."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache

from tests.evaluation.checking.layouts import passages
from tests.evaluation.checking.statements import Cell, Company


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of a statement in single units: of a cell, or worked out. `places` are those of the table."""

    value: Decimal
    kind: str
    places: int = 1
    cell: Cell | None = None
    unit: str = ""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Statement:
    """Something true, before it has words.

    measures: the cell whose name fills a slot. periods: what fills `p`, `p1` and so on. words: other slots.
    formulas: for a figure worked out, the expression over other slots.
    others: the cells that a rank is among. slots: the key and the slot of the period of each cell.
    remade: the same statement about other periods; None where the tables lack one.
    """

    kind: str
    company: Company
    figures: Mapping[str, Figure]
    measures: Mapping[str, Cell]
    periods: Mapping[str, str]
    up: bool = True
    first: bool = True
    words: Mapping[str, str] = field(default_factory=dict)
    formulas: Mapping[str, str] = field(default_factory=dict)
    others: tuple[Cell, ...] = ()
    slots: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    remade: Callable[[Mapping[str, str]], Statement | None]

    @property
    def refs(self) -> tuple[str, ...]:
        """The passages that hold the figures, in the order of the slots."""
        cells = [each.cell for each in self.figures.values() if each.cell]
        return tuple(dict.fromkeys(cell.ref_id for cell in cells))


Cells = Mapping[tuple[str, str], Cell]


@cache
def cells_of(company: Company) -> Cells:
    """The cells of the company's report, by key and period."""
    return {(cell.key, cell.period): cell for passage in passages(company) for cell in passage.cells}
