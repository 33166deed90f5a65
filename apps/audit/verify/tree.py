"""A tree that grows leaf by leaf and yields its root at chosen sizes and the roots of its whole subtrees."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from apps.audit.log.tree import Frontier, root_of

# The number of leaves below a stored subtree of level 1, and of subtrees below one of the next level.
ARITY: Final = 256


class GrowingTree:
    """A tree to which leaves are appended. Args: stops: the sizes at which the root will be needed."""

    def __init__(self, stops: Collection[int] = ()) -> None:
        self.size = 0
        self.subtrees: dict[tuple[int, int], bytes] = {}
        self._stops = stops
        self._frontier = Frontier()
        self._levels: list[list[bytes]] = [[]]

    @property
    def root(self) -> bytes:
        """Return the root over all leaves so far."""
        return self._frontier.appended(self._levels[0]).root

    @property
    def is_at_stop(self) -> bool:
        return self.size in self._stops

    def append(self, leaf: bytes) -> None:
        self.size += 1
        self._levels[0].append(leaf)
        if len(self._levels[0]) == ARITY:
            self._frontier = self._frontier.appended(self._levels[0])
            self._complete(1)

    def extend(self, leaves: Iterable[bytes]) -> None:
        for leaf in leaves:
            self.append(leaf)

    def _complete(self, level: int) -> None:
        below = self._levels[level - 1]
        if level == len(self._levels):
            self._levels.append([])
        hash = root_of(below)
        below.clear()
        self.subtrees[level, self.size // ARITY**level - 1] = hash
        self._levels[level].append(hash)
        if len(self._levels[level]) == ARITY:
            self._complete(level + 1)
