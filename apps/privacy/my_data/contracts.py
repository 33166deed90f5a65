"""A package of what is held about a person: whom it is about, and the categories that it is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

# One thing that is held: JSON values under plain names.
Entry = Mapping[str, Any]

YOU = "you"
ANOTHER_PERSON = "another person"


class Format(StrEnum):
    JSON = "json"
    HTML = "html"
    ZIP = "zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """Whom the package is about, and by which ids the open tenant's rows name them.

    until: what came later is not in the package.
    memberships, keys: ids of theirs, those that have ended too.
    """

    id: UUID
    username: str
    until: datetime
    memberships: frozenset[UUID]
    keys: frozenset[UUID]

    def is_meant(self, id: object) -> bool:
        """Whether an id, as a value or as text, is the person's account, membership or key."""
        return str(id) in {str(each) for each in (self.id, *self.memberships, *self.keys)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """after: where the next page begins; None after the last one."""

    entries: list[Entry]
    after: object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One kind of thing that is held of a person, with what Article 15(1) wants said of it.

    key: its name in the JSON. about: what it is, in a sentence that speaks to the person.
    source: where it comes from (15(1)(g)). retention: for how long, in words (15(1)(d)).
    fields: name in an entry -> in words, in the order in which they are shown.
    columns: the classified columns (see apps/erasure/declarations/classified.py) that its entries are made of.
    read: one page of entries, in the scope of the person; called again with its `after` until that is None. It reads
        nothing that is another person's, and the ids of other people as little as their names.
    """

    key: str
    title: str
    about: str
    purpose: str
    legal_basis: str
    source: str
    retention: str
    fields: Mapping[str, str]
    columns: tuple[str, ...]
    read: Callable[[Person, object | None], Page] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """What may hold something of a person and is not in their package. because: a sentence that they read."""

    names: tuple[str, ...]
    because: str
