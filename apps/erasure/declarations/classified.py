"""What a column, or a place beside the database, holds of people, and what becomes of that in an erasure."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Sort(StrEnum):
    """What is held, as far as an erasure is concerned."""

    NONE = "none"  # ids of things, counts, codes, times, settings
    IDENTIFIER = "identifier of a person"  # a name, an address; the id of an account
    FREE_TEXT = "free text"  # somebody wrote it, and may have named a person
    CONTENT = "content"  # of documents
    DERIVED = "derived"  # made of the content: terms, vectors, digests
    SEALED = "sealed"  # encrypted, each group by itself
    CREDENTIAL = "credential"  # what somebody proves who they are with, or a key
    LOG = "log"  # lines that programs write about what they do


# The field groups of events, cleared by what goes through audit_erase alone (TargetType.EVENT_GROUP).
EVENT_GROUPS: Final = "audit.payloads"


@dataclass(frozen=True, slots=True, kw_only=True)
class Classified:
    """name: `table.column`, or `kind:name` of what is no column (see places.py).

    because: what it is. cleared_by: keys of stores. stays: the ground on which it stays where no store clears it, or
    what of it stays beside what they clear.
    """

    name: str
    sort: Sort
    because: str
    cleared_by: tuple[str, ...] = ()
    stays: str = ""
