"""The table of a flow that takes two people: its states, its steps, who may take each, and what a step needs.

One table a flow. The services' checks (checks.py), the database's triggers (operation.py, sql/flows.sql) and the steps
that a page or an answer of the API offers come from it. Pure: no I/O, no clock.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final
from uuid import UUID

from apps.tenants.roles import Permission


class By(StrEnum):
    """Who takes a step, among those who hold its permission."""

    ANYONE = "anyone"  # the platform too
    PERSON = "person"  # anyone but the platform
    AUTHOR = "author"  # who asked for it; the platform, where nobody did
    SECOND = "second"  # another person than who asked for it
    PLATFORM = "platform"  # the platform alone
    ERASER = "eraser"  # the role of the database that erases
    DATABASE = "database"  # a trigger, within another step


_NO_PERSON: Final = (By.PLATFORM, By.ERASER, By.DATABASE)


class Refusal(StrEnum):
    """Why a step is refused."""

    STATE = "state"  # no such step leads out of the state
    PERMISSION = "permission"
    NOT_AUTHOR = "not_author"  # only who asked for it takes this step
    OWN = "own"  # who asked for it does not take this step
    CHANGED = "changed"  # another revision than the one that was read


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A way from some states to another one. Two steps of the same name are two ways to take it.

    before, after: the states that it leads out of, and the one that it leads to.
    by, may: who takes it; any of these permissions suffices, and none is needed where there is none.
    where: the columns' values under which the step exists, as text.
    author: the column of who asked for it, where that is not the flow's; until it is filled, there is no such step.
    signed: the column in which whoever takes the step stands, in their own name.
    requires: columns that are not empty after the step.
    sets: columns of the flow that change with the step.
    reason: whether whoever takes it says why.
    within: whether it is only taken within another act (an approval, the clock, the release of a hold). Nobody is
        offered it.
    label: the words of its button. done: the participle in an error: “can't be approved now”.
    refusal: what the database says to whoever may not take it; empty: as if there were no such step.
    unsigned: what the database says where the name or a required column is missing; empty: the refusal.
    """

    name: str
    before: tuple[str, ...]
    after: str
    by: By
    may: tuple[Permission, ...] = ()
    where: Mapping[str, str] = field(default_factory=dict)
    author: str = ""
    signed: str = ""
    requires: tuple[str, ...] = ()
    sets: tuple[str, ...] = ()
    reason: bool = False
    within: bool = False
    label: str = ""
    done: str = ""
    refusal: str = ""
    unsigned: str = ""

    def leads_from(self, row: object, state: str) -> bool:
        is_asked = not self.author or (getattr(row, self.author) is not None and getattr(row, self.signed) is None)
        return (
            is_asked
            and state in self.before
            and all(str(getattr(row, column)) == value for column, value in self.where.items())
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """The steps of a table's rows.

    noun: a row, as the database's errors call it; {number} stands for its number, here and in the steps' words.
    state, author: the columns of the state and of who asked for it.
    states: all of them, the first one first.
    begins: what the database says of a row that begins elsewhere, or with one of the columns filled.
    columns: column -> what the database says where it changes without a step that sets it.
    """

    name: str
    table: str
    noun: str
    state: str
    author: str
    states: tuple[str, ...]
    begins: str
    columns: Mapping[str, str]
    steps: tuple[Step, ...]

    def __post_init__(self) -> None:
        named = {state for step in self.steps for state in (*step.before, step.after)}
        if unknown := named - set(self.states):
            raise ValueError(f"{self.name}: no states: {', '.join(sorted(unknown))}")
        if unknown := {column for step in self.steps for column in step.sets} - self.columns.keys():
            raise ValueError(f"{self.name}: no columns: {', '.join(sorted(unknown))}")

    def ways(self, name: str) -> tuple[Step, ...]:
        """Return the ways to take the step of this name. Raises: KeyError: there is no such step."""
        ways = tuple(step for step in self.steps if step.name == name)
        if not ways:
            raise KeyError(name)
        return ways

    def edges(self) -> frozenset[tuple[str, str]]:
        """Return every pair of states that a step leads from and to."""
        return frozenset((before, step.after) for step in self.steps for before in step.before)

    def leads(self, before: str, after: str) -> bool:
        """Return whether any step leads from one state to the other."""
        return (before, after) in self.edges()

    def sources(self, name: str) -> frozenset[str]:
        """Return the states that the step of this name leads out of."""
        return frozenset(state for step in self.ways(name) for state in step.before)

    def asked_by(self, row: object, step: Step) -> UUID | None:
        """Return who asked for what the step decides on; None for the platform."""
        person: UUID | None = getattr(row, step.author or self.author)
        return person

    def refusal(
        self, row: object, name: str, *, person: UUID | None, may: Callable[[Permission], bool]
    ) -> Refusal | None:
        """Return why this person can't take the step now, by the last way to take it; None where they can.

        Args: person: None for a principal that is no person.
        """
        found = self._way(row, name, person, may)
        return found if isinstance(found, Refusal) else None

    def offered(self, row: object, *, person: UUID | None, may: Callable[[Permission], bool]) -> Mapping[str, Step]:
        """Return the steps that this person can take now, each as they take it, by name, in the order of the table."""
        names = dict.fromkeys(step.name for step in self.steps if not step.within)
        found = {name: self._way(row, name, person, may) for name in names}
        return {name: step for name, step in found.items() if isinstance(step, Step)}

    def _way(self, row: object, name: str, person: UUID | None, may: Callable[[Permission], bool]) -> Step | Refusal:
        state = getattr(row, self.state)
        because = Refusal.STATE
        for step in self.ways(name):
            if step.leads_from(row, state):
                refusal = self._refusal_of(row, step, person, may)
                if refusal is None:
                    return step
                because = refusal
        return because

    def _refusal_of(
        self, row: object, step: Step, person: UUID | None, may: Callable[[Permission], bool]
    ) -> Refusal | None:
        is_own = person is not None and self.asked_by(row, step) == person
        if step.by in _NO_PERSON or (step.may and not any(may(each) for each in step.may)):
            return Refusal.PERMISSION
        if step.by is By.AUTHOR and not is_own:
            return Refusal.NOT_AUTHOR
        if person is None and (step.by is not By.ANYONE or step.signed):
            return Refusal.PERMISSION
        return Refusal.OWN if step.by is By.SECOND and is_own else None

    def as_json(self) -> dict[str, Any]:
        """Return what the trigger of the database reads."""
        return {
            "noun": self.noun,
            "state": self.state,
            "first": self.states[0],
            "begins": self.begins,
            "columns": dict(self.columns),
            "steps": [
                {
                    "from": list(step.before),
                    "to": step.after,
                    "by": step.by.value,
                    "may": [permission.value for permission in step.may],
                    "where": dict(step.where),
                    "author": step.author or self.author,
                    "signed": step.signed,
                    "requires": list(step.requires),
                    "sets": list(step.sets),
                    "refusal": step.refusal,
                    "unsigned": step.unsigned or step.refusal,
                }
                for step in self.steps
            ],
        }
