"""Merkle tree hashes and proofs (RFC 6962, section 2; verification follows RFC 9162, sections 2.1.3 and 2.1.4). Pure.

All functions work on leaf hashes and not on the content of the leaves: a leaf whose content was erased keeps its hash.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

HASH_BYTES: Final = 32
EMPTY_ROOT: Final = hashlib.sha256(b"").digest()

RangeRoot = Callable[[int, int], bytes]
"""(start, end) -> the root over the leaves from start up to, and without, end."""


def leaf_hash(content: bytes) -> bytes:
    return hashlib.sha256(b"\x00" + content).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\x01" + left + right).digest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontier:
    """A tree of `size` leaves as the roots of its complete subtrees, largest first: all that appending needs."""

    size: int = 0
    peaks: tuple[bytes, ...] = ()

    def appended(self, leaves: Iterable[bytes]) -> Frontier:
        """Return the tree with these leaf hashes appended. Two subtrees of equal size merge into one."""
        size, peaks = self.size, list(self.peaks)
        for leaf in leaves:
            peaks.append(leaf)
            size += 1
            for _ in range((size & -size).bit_length() - 1):
                right = peaks.pop()
                peaks.append(node_hash(peaks.pop(), right))
        return Frontier(size=size, peaks=tuple(peaks))

    @property
    def root(self) -> bytes:
        if not self.peaks:
            return EMPTY_ROOT
        *others, root = self.peaks
        for peak in reversed(others):
            root = node_hash(peak, root)
        return root


def root_of(leaves: Iterable[bytes]) -> bytes:
    """Return the tree's root over these leaf hashes. Memory grows with the logarithm of their number."""
    return Frontier().appended(leaves).root


def inclusion_path(index: int, size: int, range_root: RangeRoot) -> tuple[bytes, ...]:
    """Return the hashes that lead from a leaf to the root, nearest first.

    Raises: ValueError: there is no such leaf.
    """
    if not 0 <= index < size:
        raise ValueError(f"a tree of {size} leaves has no leaf {index}")
    path: list[bytes] = []
    start, end = 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(range_root(middle, end))
            end = middle
        else:
            path.append(range_root(start, middle))
            start = middle
    return tuple(reversed(path))


def consistency_path(first: int, second: int, range_root: RangeRoot) -> tuple[bytes, ...]:
    """Return the hashes that show that a tree of `second` leaves begins with the tree of its `first` leaves.

    The path is empty where the two are equal.

    Raises: ValueError: first is not between 1 and second.
    """
    if not 0 < first <= second:
        raise ValueError(f"a tree of {first} leaves is no beginning of one of {second}")
    path: list[bytes] = []
    start, end, whole = 0, second, True
    while first != end - start:
        middle = _split(end - start)
        if first <= middle:
            path.append(range_root(start + middle, end))
            end = start + middle
        else:
            path.append(range_root(start, start + middle))
            start, first, whole = start + middle, first - middle, False
    if not whole:
        path.append(range_root(start, end))
    return tuple(reversed(path))


def proves_inclusion(*, leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Return whether the path shows that the leaf is at this index of the tree with this root."""
    if not 0 <= index < size:
        return False
    here, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if here & 1 or here == last:
            found = node_hash(sibling, found)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        here, last = here >> 1, last >> 1
    return last == 0 and found == root


def proves_consistency(
    *, first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]
) -> bool:
    """Return whether the path shows that the second tree begins with the first. Every tree begins with the empty."""
    if first == second:
        return not path and first_root == second_root
    if first == 0:
        return not path and first_root == EMPTY_ROOT
    if first > second or not path:
        return False
    # If the first tree is one complete subtree, its root is the first hash of the path.
    hashes = [first_root, *path] if first & (first - 1) == 0 else list(path)
    here, last = first - 1, second - 1
    while here & 1:
        here, last = here >> 1, last >> 1
    before = after = hashes[0]
    for sibling in hashes[1:]:
        if last == 0:
            return False
        if here & 1 or here == last:
            before, after = node_hash(sibling, before), node_hash(sibling, after)
            while not here & 1 and here:
                here, last = here >> 1, last >> 1
        else:
            after = node_hash(after, sibling)
        here, last = here >> 1, last >> 1
    return last == 0 and before == first_root and after == second_root


def _split(count: int) -> int:
    """Return the largest power of two below count (> 1)."""
    return 1 << (count - 1).bit_length() - 1
