"""Which things of a target a residue scan looks for: every app says it of its own tables, as queries."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

import psycopg

from apps.erasure.contracts import TargetType


class Made(StrEnum):
    """What needles are made of: what a query's column holds."""

    TEXT = "text"
    TERM = "term"
    ID = "id"  # uuid
    VECTOR = "vector"  # of pgvector
    BYTES = "bytes"  # 64 at most; of something longer, slices


@dataclass(frozen=True, slots=True, kw_only=True)
class LookedFor:
    """Of one target: %(item)s is its id, %(part)s its part, %(tenant)s its tenant.

    is_name: of a person: where it stands in what remains, that is told (standing.py).
    value, of: an expression, and the rows that it is taken from, as SQL after FROM. Asked by the server's
    administrator: it names the tenant itself.
    """

    type: TargetType
    made: Made
    value: str
    of: str
    is_name: bool = False

    @property
    def sql(self) -> str:
        return f"SELECT {self.value} AS value FROM {self.of}"  # noqa: S608 (constants)


# Of what a run was proposed for, what somebody said is to be looked for: names, numbers. What is found nowhere before
# the removal is left out. Args: a connection of the server's administrator, the tenant, the origin's id.
GivenTexts = Callable[[psycopg.Connection[Any], UUID, UUID], Iterable[str]]


def slices_of(column: str) -> str:
    """SQL: up to three slices of 64 bytes of a column of bytes, as a set."""
    size = f"octet_length({column})"
    return f"substr({column}, 1 + greatest(0, {size} - 64) * generate_series(1, least(3, 1 + {size} / 192)) / 4, 64)"
