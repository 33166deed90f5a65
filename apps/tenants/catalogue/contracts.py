"""The types of the checks of the database's catalogue, and of their findings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol


class Cursor(Protocol):
    def execute(self, sql: str, params: Any = None, /) -> object: ...

    def fetchall(self) -> list[tuple[Any, ...]]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """Something that is not as it must be.

    is_warning: true for a problem that this server's administrator may not be able to mend.
    """

    subject: str
    problem: str
    remedy: str
    is_warning: bool = False

    def __str__(self) -> str:
        return f"{self.subject} {self.problem}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueCheck:
    """One check of the database's catalogue.

    title: the statement that is true if the check finds nothing.
    """

    title: str
    find: Callable[[Cursor], Iterator[Finding]]
