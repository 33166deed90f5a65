"""Invariants: what a firm lets no version of its policy do. The values; `proof/invariants.py` checks them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

MOST_INVARIANTS: Final = 50
LONGEST_NAME: Final = 200


class InvariantMode(StrEnum):
    """NEVER: the questions of these intents and roles never reach these kinds. ONLY: no other question reaches them."""

    NEVER = "never"
    ONLY = "only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Invariant:
    """One invariant of a policy version.

    name: what the firm calls it, in its own words. roles, intents: those that it speaks of, each sorted; empty stands
    for all. The fallback is the intent `unrecognised`. kinds: at least one.
    """

    name: str
    mode: InvariantMode
    roles: tuple[str, ...]
    intents: tuple[str, ...]
    kinds: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "mode": self.mode.value,
            "roles": list(self.roles),
            "intents": list(self.intents),
            "kinds": list(self.kinds),
        }


def read_invariants(rows: Iterable[Mapping[str, Any]]) -> tuple[Invariant, ...]:
    """Read what as_json writes. Equal sets give equal values. Raises ValueError, KeyError."""
    return tuple(
        Invariant(
            name=row["name"],
            mode=InvariantMode(row["mode"]),
            roles=_sorted(row["roles"]),
            intents=_sorted(row["intents"]),
            kinds=_sorted(row["kinds"]),
        )
        for row in rows
    )


def invariants_json(invariants: Iterable[Invariant]) -> list[dict[str, Any]]:
    return [each.as_json() for each in invariants]


def _sorted(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(values)))
