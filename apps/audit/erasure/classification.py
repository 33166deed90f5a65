"""What each column of the database, and each store beside it, holds of people; and what becomes of that in an erasure.

Every app says it of its own in `personal_data.py`, when it is ready. What nobody classified is found by findings(),
which compares with what is really there: a test fails on it, and `manage.py erasure registry` prints the whole.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.audit.erasure.registry import stores


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


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Gap:
    name: str
    problem: str

    def __str__(self) -> str:
        return f"{self.name}: {self.problem}"


_classified: dict[str, Classified] = {}


def classify(
    name: str, sort: Sort, *, because: str, cleared_by: str | tuple[str, ...] | None = None, stays: str = ""
) -> None:
    """Say what a column or another place holds. Once; again only with the same words."""
    keys = (cleared_by,) if isinstance(cleared_by, str) else cleared_by or ()
    entry = Classified(name=name, sort=sort, because=because, cleared_by=keys, stays=stays)
    if _classified.setdefault(name, entry) != entry:
        raise ValueError(f"{name} is classified twice, differently")


def classify_columns(
    table: str,
    columns: str,
    sort: Sort,
    *,
    because: str,
    cleared_by: str | tuple[str, ...] | None = None,
    stays: str = "",
) -> None:
    """The same of several columns of a table, named with blanks between them."""
    for column in columns.split():
        classify(f"{table}.{column}", sort, because=because, cleared_by=cleared_by, stays=stays)


def classified() -> tuple[Classified, ...]:
    return tuple(_classified[name] for name in sorted(_classified))


def findings(there: Collection[str], *, known: Collection[Classified] | None = None) -> list[Gap]:
    """What is wrong with the classification: what nobody classified, what is gone, what would stay without a ground.

    Args: there: the names of all that there is (places.py).
          known: instead of what the apps registered.
    """
    entries = {each.name: each for each in (classified() if known is None else known)}
    keys = {store.key for store in stores()}
    gaps = [
        Gap(name=name, problem="nobody classified it: see personal_data.py") for name in set(there) - entries.keys()
    ]
    gaps += [
        Gap(name=name, problem="it is classified, and not there any more")
        for name in entries.keys() - set(there)
        # Made when it is first needed.
        if not name.startswith("folder:")
    ]
    for entry in entries.values():
        gaps += [
            Gap(name=entry.name, problem=f"the store that clears it is not registered: {key}")
            for key in entry.cleared_by
            if key not in keys
        ]
        if entry.sort is not Sort.NONE and not entry.cleared_by and not entry.stays:
            gaps.append(
                Gap(name=entry.name, problem="it is personal, no store clears it, and no ground says why it stays")
            )
    named = {key for entry in entries.values() for key in entry.cleared_by}
    gaps += [Gap(name=key, problem="nothing classified is cleared by this store") for key in keys - named]
    return sorted(gaps)
