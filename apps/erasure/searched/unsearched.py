"""What is classified as personal and is not looked into by the search for a person, each with the reason.

The reason stands in the declaration (Fields.unsearched). The inventory shows the list; what is neither searched nor on
it is a gap, and a test fails on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from apps.erasure.declarations.classified import Classified
from apps.erasure.declarations.searched import Searched
from apps.erasure.registry import classified, searched
from apps.tenants.personal_data import Sort

# Of a whole sort, where nobody says more of one place: there are no words of a person to be found.
_OF_SORT: Final[Mapping[Sort, str]] = {
    Sort.DERIVED: "It is made from data that is searched, and is removed with it.",
    Sort.CREDENTIAL: "Keys, and digests of secrets, which name nobody.",
    Sort.LOG: "Log lines of programs about their work. The scan after an erasure searches them.",
}
_BESIDE: Final = "It is stored beside the database, and holds data from the tables for a time, or until it ends."
# Types of columns that hold no text: ids, numbers, times, yes and no.
_NO_TEXT: Final = frozenset(
    ("uuid", "_uuid", "bool", "int2", "int4", "int8", "_int2", "_int4", "_int8", "float4", "float8", "numeric", "date")
) | {"timestamptz", "timestamp"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsearched:
    """names: as in the classification."""

    because: str
    names: tuple[str, ...]


def unsearched() -> tuple[Unsearched, ...]:
    """What the search does not look into although it may hold something of a person, by the reason."""
    covered = _covered(searched())
    found: dict[str, list[str]] = {}
    for entry in classified():
        because = _reason(entry)
        if entry.sort is not Sort.NONE and entry.name not in covered and because:
            found.setdefault(because, []).append(entry.name)
    return tuple(Unsearched(because=because, names=tuple(names)) for because, names in sorted(found.items()))


def search_gaps(
    types: Mapping[str, str],
    *,
    known: Iterable[Classified] | None = None,
    sources: Iterable[Searched] | None = None,
) -> list[str]:
    """What is neither searched nor left out with a reason; and what is searched and is not classified.

    Args: types: the type of each column of the database, by `table.column` (places.column_types).
          known, sources: instead of what the apps registered.
    """
    entries = list(classified() if known is None else known)
    covered = _covered(searched() if sources is None else sources)
    gaps = [
        entry.name
        for entry in entries
        if entry.sort is not Sort.NONE
        and types.get(entry.name) not in _NO_TEXT
        and entry.name not in covered
        and not _reason(entry)
    ]
    return sorted({*gaps, *(covered - {entry.name for entry in entries})})


def _covered(sources: Iterable[Searched]) -> set[str]:
    return {name for source in sources for name in source.columns}


def _reason(entry: Classified) -> str:
    return entry.unsearched or (_BESIDE if ":" in entry.name else _OF_SORT.get(entry.sort, ""))
