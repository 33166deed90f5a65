"""The types of a package of a user's own data: the person that it is about, and its categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

# One thing that is held, as JSON values.
Entry = Mapping[str, Any]

YOU = "you"
ANOTHER_PERSON = "another person"


class Format(StrEnum):
    JSON = "json"
    HTML = "html"
    ZIP = "zip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    """The person that the package is about, with the ids by which the tenant's rows name them.

    until: the time of the package; later data are not in it.
    memberships, keys: the ids of the person's memberships and keys, including those that have ended.
    """

    id: UUID
    username: str
    until: datetime
    memberships: frozenset[UUID]
    keys: frozenset[UUID]

    def is_meant(self, id: object) -> bool:
        """Return whether an id, as a UUID or as text, is that of the person's account, memberships or keys."""
        return str(id) in {str(each) for each in (self.id, *self.memberships, *self.keys)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page of entries. after: where the next page begins; None on the last page."""

    entries: list[Entry]
    after: object | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One category of data about a person, with the information that Article 15(1) requires.

    key: its name in the JSON. about: a sentence to the person that says what it is.
    source: where the data come from (15(1)(g)). retention: how long they are kept, in words (15(1)(d)).
    fields: key in an entry -> its label, in the order in which they are shown. The columns that entries are made from
        name the category in their declaration (Fields.shown_in).
    read: returns one page of entries, in the person's scope; called again with the page's `after` until that is None.
        It must return nothing about other people, neither their names nor their ids.
    """

    key: str
    title: str
    about: str
    purpose: str
    legal_basis: str
    source: str
    retention: str
    fields: Mapping[str, str]
    read: Callable[[Person, object | None], Page] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Columns and places that may hold personal data but are not in the package. because: the reason that is shown."""

    names: tuple[str, ...]
    because: str
