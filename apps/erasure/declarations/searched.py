"""Free texts that a search for a person looks through."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from apps.erasure.contracts import Target

_ID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[0-9a-f]{32,128}")


@dataclass(frozen=True, slots=True, kw_only=True)
class TextLocation:
    """Which text it is: a row of a store, and the part of it.

    store: the key of who holds it, such as corpus.pages; the same as Store.key where there is one.
    part: a column, or a group of an event; empty where the row is one text.
    target: what a removal of it would be aimed at; None for what is changed by hand, such as a policy's words.
    page: of a page of a document, its number from 1.
    """

    store: str
    item_id: UUID
    part: str = ""
    target: Target | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class SearchedText:
    """text: None where there is one that can't be read: it is counted, and not passed over in silence."""

    place: TextLocation
    text: str | None


class Searched(Protocol):
    """A source of texts, read in the open scope. What the scope does not show is not searched."""

    stores: tuple[str, ...]  # the keys of the stores that its places name
    label: str  # as a DPO would call it
    columns: frozenset[str]  # that its texts are read from, as the classification names them

    def count(self) -> int:
        """About how many texts there are, for the progress."""
        ...

    def texts(self) -> Iterator[SearchedText]:
        """All of them, read in batches. Texts of one target follow each other."""
        ...

    def text_of(self, place: TextLocation) -> str | None:
        """The text at a place as it is now, for an excerpt; None where it is gone."""
        ...

    def scopes_of(self, places: Sequence[TextLocation]) -> Mapping[TextLocation, tuple[UUID, ...]]:
        """In which scopes they lie; empty or left out for what lies in none, such as an account."""
        ...


def leaves(value: Any) -> str:
    """The texts of a JSON value, one a line, in its order. Neither ids and digests nor the names of fields are text."""
    if isinstance(value, str):
        return "" if _ID.fullmatch(value) else value
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, (list, tuple)):
        return ""
    return "\n".join(text for each in value if (text := leaves(each)))
