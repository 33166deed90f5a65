"""The lines of an answer. Scopes that the asker may not see are counted, not named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from apps.intents.access.contracts import ScopeName, Subject
from apps.intents.access.register.asking import Register
from apps.intents.access.register.contracts import Cell, Change, History, Span
from apps.intents.access.register.words import called
from apps.tenants.ids import ScopeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    """Scopes by name, and how many more the asker may not see."""

    names: tuple[ScopeName, ...]
    hidden: int

    def __bool__(self) -> bool:
        return bool(self.names or self.hidden)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One line of a list: whom, how long, and where by each way."""

    subject: Subject
    who: str
    roles: str
    since: datetime | None
    until: datetime | None
    asks: Places
    opens: Places
    reaches: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def is_same_place(self) -> bool:
        return self.asks == self.opens


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLine:
    """How the reach of one subject differs, and where by each way it was gained and lost."""

    subject: Subject
    who: str
    roles_before: str
    roles_after: str
    gained_asks: Places
    gained_opens: Places
    lost_asks: Places
    lost_opens: Places

    @property
    def is_by_policy_alone(self) -> bool:
        """Whether only the kinds changed, which the policy's own changes tell."""
        places = (self.gained_asks, self.gained_opens, self.lost_asks, self.lost_opens)
        return self.roles_before == self.roles_after and not any(places)


def lines(register: Register, spans: Iterable[Span] | None = None) -> Iterator[Line]:
    history = register.history
    for span in register.spans if spans is None else spans:
        yield Line(
            subject=span.subject,
            who=called(span.subject),
            roles=_roles(span.cell),
            since=span.since,
            until=span.until,
            asks=places(history, span.cell.asks),
            opens=places(history, span.cell.opens),
            reaches=tuple((name, tuple(kind.value for kind in kinds)) for name, kinds in span.cell.reaches),
        )


def changed_lines(register: Register, changes: Iterable[Change] | None = None) -> Iterator[ChangedLine]:
    history, nowhere = register.history, frozenset[ScopeId]()
    for change in register.changes if changes is None else changes:
        asks, opens = (
            [getattr(cell, way) if cell else nowhere for cell in (change.before, change.after)]
            for way in ("asks", "opens")
        )
        yield ChangedLine(
            subject=change.subject,
            who=called(change.subject),
            roles_before=_roles(change.before),
            roles_after=_roles(change.after),
            gained_asks=places(history, asks[1] - asks[0]),
            gained_opens=places(history, opens[1] - opens[0]),
            lost_asks=places(history, asks[0] - asks[1]),
            lost_opens=places(history, opens[0] - opens[1]),
        )


def places(history: History, scopes: Iterable[ScopeId]) -> Places:
    wanted = set(scopes)
    names = tuple(sorted((history.names[each] for each in wanted if each in history.names), key=lambda each: each.key))
    return Places(names=names, hidden=len(wanted) - len(names))


def _roles(cell: Cell | None) -> str:
    return ", ".join(role.label for role in cell.roles) if cell else ""
