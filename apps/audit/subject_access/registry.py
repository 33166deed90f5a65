"""What a package holds, and what it leaves out. Every app registers its own in AppConfig.ready.

Whatever is classified as more than ids, counts and times (erasure/classification.py) is in a category or left out with
a reason: undecided() finds the rest, and a test fails on it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from apps.audit.erasure.classification import Classified, Sort, classified
from apps.audit.subject_access.contracts import Category, LeftOut

_categories: dict[str, Category] = {}
_left_out: dict[str, str] = {}


def register_category(*categories: Category) -> None:
    for category in categories:
        if _categories.setdefault(category.key, category) != category:
            raise ValueError(f"The category {category.key} is registered twice, differently")


def leave_out(names: str | Iterable[str], *, because: str) -> None:
    """Say that columns (`table.column`), or other places of the classification, are not in a package, and why."""
    for name in names.split() if isinstance(names, str) else names:
        if _left_out.setdefault(name, because) != because:
            raise ValueError(f"{name} is left out twice, for different reasons")


def leave_out_columns(table: str, columns: str, *, because: str) -> None:
    leave_out([f"{table}.{column}" for column in columns.split()], because=because)


def categories() -> tuple[Category, ...]:
    """In the order in which they were registered: from the account to what was done with it."""
    return tuple(_categories.values())


def left_out() -> tuple[LeftOut, ...]:
    """By their reasons."""
    by_reason: dict[str, list[str]] = {}
    for name, because in _left_out.items():
        by_reason.setdefault(because, []).append(name)
    return tuple(LeftOut(names=tuple(sorted(names)), because=because) for because, names in by_reason.items())


def decided() -> frozenset[str]:
    return frozenset(_left_out) | {column for category in categories() for column in category.columns}


def undecided(*, known: Collection[Classified] | None = None) -> list[str]:
    """Names of what may hold something of a person, of which nobody said whether it goes into their package.

    Args: known: instead of what the apps classified.
    """
    of = classified() if known is None else known
    return sorted({each.name for each in of if each.sort is not Sort.NONE} - decided())
