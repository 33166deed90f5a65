"""What every intent may reach of every kind in two versions of a policy, cell by cell. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from apps.intents.cells import Cell
from apps.intents.contracts import FALLBACK_NAME, FallbackRule, IntentRule, KindBudget, PolicySnapshot


class Standing(StrEnum):
    """Where an intent or a kind stands in the two versions."""

    KEPT = "kept"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedCell:
    """Whether questions of the intent reach the kind. before, after: None where that version lacks either of them.

    said: how many comments on it are open.
    """

    intent: str
    kind: str
    words: str
    before: bool | None
    after: bool | None
    said: int = 0

    @property
    def key(self) -> str:
        """Return the text of the cell, as comments name it (cells.py)."""
        return str(Cell(self.intent, self.kind))

    @property
    def is_added(self) -> bool:
        return bool(self.after) and not self.before

    @property
    def is_removed(self) -> bool:
        return bool(self.before) and not self.after

    @property
    def is_changed(self) -> bool:
        return self.is_added or self.is_removed


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedRow:
    """One intent against all kinds; the last one is of unrecognised questions. said: open comments on the whole row."""

    name: str
    label: str
    standing: Standing
    is_fallback: bool
    cells: tuple[ChangedCell, ...]
    said: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedColumn:
    """One kind with its cap in characters and its priority, in both versions; None where it is not in one.

    said: how many comments on the kind are open.
    """

    kind: str
    label: str
    standing: Standing
    cap_before: int | None
    cap_after: int | None
    priority_before: int | None
    priority_after: int | None
    said: int = 0

    @property
    def cap_changes(self) -> bool:
        return self.cap_before != self.cap_after

    @property
    def priority_changes(self) -> bool:
        return self.priority_before != self.priority_after


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedMatrix:
    """Columns: the later version's kinds by priority, then those that are gone."""

    columns: tuple[ChangedColumn, ...]
    rows: tuple[ChangedRow, ...]
    total_before: int
    total_after: int

    @property
    def total_changes(self) -> bool:
        return self.total_before != self.total_after

    @property
    def changed(self) -> tuple[ChangedCell, ...]:
        """Return the cells that change, row by row."""
        return tuple(cell for row in self.rows for cell in row.cells if cell.is_changed)

    @property
    def size(self) -> int:
        return len(self.rows) * len(self.columns)


def changed_matrix(before: PolicySnapshot, after: PolicySnapshot) -> ChangedMatrix:
    """Return what both versions let through: intents and kinds of either are in it, by their short names."""
    columns = tuple(_columns(before, after))
    return ChangedMatrix(
        columns=columns,
        rows=tuple(_rows(before, after, columns)),
        total_before=before.total_cap_chars,
        total_after=after.total_cap_chars,
    )


def with_said(matrix: ChangedMatrix, said: Mapping[Cell, int]) -> ChangedMatrix:
    """Return the matrix with how many open comments each of its cells, intents and kinds has."""
    return replace(
        matrix,
        columns=tuple(replace(column, said=said.get(Cell(kind=column.kind), 0)) for column in matrix.columns),
        rows=tuple(
            replace(
                row,
                said=said.get(Cell(row.name), 0),
                cells=tuple(replace(cell, said=said.get(Cell(cell.intent, cell.kind), 0)) for cell in row.cells),
            )
            for row in matrix.rows
        ),
    )


def _columns(before: PolicySnapshot, after: PolicySnapshot) -> Iterator[ChangedColumn]:
    old = {budget.kind.value: budget for budget in before.budgets}
    new = {budget.kind.value: budget for budget in sorted(after.budgets, key=lambda each: each.position)}
    for kind, named in {**new, **{kind: budget for kind, budget in old.items() if kind not in new}}.items():
        yield _column(kind, named.kind.label, old.get(kind), new.get(kind))


def _column(kind: str, label: str, old: KindBudget | None, new: KindBudget | None) -> ChangedColumn:
    return ChangedColumn(
        kind=kind,
        label=label,
        standing=_standing(old, new),
        cap_before=old.cap_chars if old else None,
        cap_after=new.cap_chars if new else None,
        priority_before=old.position if old else None,
        priority_after=new.position if new else None,
    )


def _rows(before: PolicySnapshot, after: PolicySnapshot, columns: tuple[ChangedColumn, ...]) -> Iterator[ChangedRow]:
    gone = [rule for rule in before.intents if after.intent(rule.name) is None]
    for rule in (*after.intents, *gone):
        yield _row(rule.name, rule.label, before.intent(rule.name), after.intent(rule.name), columns)
    yield _row(FALLBACK_NAME, after.fallback.label, before.fallback, after.fallback, columns)


def _row(
    name: str,
    label: str,
    old: IntentRule | FallbackRule | None,
    new: IntentRule | FallbackRule | None,
    columns: tuple[ChangedColumn, ...],
) -> ChangedRow:
    return ChangedRow(
        name=name,
        label=label,
        standing=_standing(old, new),
        is_fallback=isinstance(old, FallbackRule),
        cells=tuple(
            ChangedCell(
                intent=name,
                kind=column.kind,
                words=f"{label}: {column.label}",
                before=column.kind in old.kinds if old and column.standing is not Standing.NEW else None,
                after=column.kind in new.kinds if new and column.standing is not Standing.GONE else None,
            )
            for column in columns
        ),
    )


def _standing(old: object | None, new: object | None) -> Standing:
    if old is None:
        return Standing.NEW
    return Standing.GONE if new is None else Standing.KEPT
