"""Who may see what, by the rules alone: a few dictionaries that no database is asked about.

The stateful test does everything twice, with the services and here, and holds the database against this.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from uuid import UUID

from apps.tenants.roles import PERMISSIONS, Permission, Role


class Place(NamedTuple):
    """A scope of a firm, such as acme, fund:alpha."""

    firm: str
    scope: str


class Holder(NamedTuple):
    """A person in one firm, or an API key of it."""

    firm: str
    name: str


# The first is the root: who holds it holds the others.
SCOPES: Mapping[str, tuple[str, ...]] = {
    "acme": ("firm:acme", "fund:alpha", "fund:beta"),
    "bolt": ("firm:bolt", "fund:alpha"),
}
PLACES = tuple(Place(firm, scope) for firm, scopes in SCOPES.items() for scope in scopes)


@dataclass(slots=True, kw_only=True)
class Stored:
    """rows: by table, the ids of all that hangs on the document; none once it is erased."""

    place: Place
    word: str
    rows: dict[str, frozenset[UUID]] = field(default_factory=dict)
    erased: bool = False


@dataclass(slots=True, kw_only=True)
class Model:
    """granted: the scopes that each holder was given, by role. A holder without an entry is nobody there."""

    granted: dict[Holder, dict[Role, set[str]]] = field(default_factory=dict)
    documents: dict[UUID, Stored] = field(default_factory=dict)
    events: dict[str, dict[UUID, frozenset[str]]] = field(default_factory=dict)

    def give(self, holder: Holder, role: Role, scope: str) -> None:
        self.granted.setdefault(holder, {}).setdefault(role, set()).add(scope)

    def take(self, holder: Holder, role: Role) -> None:
        roles = self.granted[holder]
        del roles[role]
        if not roles:
            del self.granted[holder]

    def is_known(self, holder: Holder) -> bool:
        return holder in self.granted

    def reach(self, holder: Holder) -> frozenset[str]:
        """The scopes that the holder sees: a role is the person's, so each of them reaches all that one was given."""
        given = {scope for scopes in self.granted.get(holder, {}).values() for scope in scopes}
        everything = SCOPES[holder.firm]
        return frozenset(everything if everything[0] in given else given)

    def may(self, holder: Holder, permission: Permission) -> bool:
        return any(permission in PERMISSIONS[role] for role in self.granted.get(holder, {}))

    def sees(self, holder: Holder, document_id: UUID) -> bool:
        stored = self.documents[document_id]
        same_firm = stored.place.firm == holder.firm
        return same_firm and not stored.erased and stored.place.scope in self.reach(holder)

    def rows(self, holder: Holder, table: str) -> set[UUID]:
        seen = (stored for document_id, stored in self.documents.items() if self.sees(holder, document_id))
        return {row for stored in seen for row in stored.rows.get(table, ())}

    def visible_events(self, holder: Holder) -> set[UUID]:
        """Who sees an event holds all the scopes that it touched."""
        reach = self.reach(holder)
        return {event for event, scopes in self.events.get(holder.firm, {}).items() if scopes <= reach}

    def hidden_words(self, holder: Holder) -> set[str]:
        return {stored.word for document_id, stored in self.documents.items() if not self.sees(holder, document_id)}
