"""A tenant's stored tree: its size, and the root over any range of its leaves in a few queries.

The roots of whole subtrees of 256**level leaves are stored. A range is cut into at most 256 leaves at either end, 256
subtrees per level, and the subtrees between them. RFC 6962 cuts at powers of two, and 256**level is such a power, so
the cuts coincide.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from django.db.models import Q

from apps.audit.errors import MissingNodesError
from apps.audit.log.tree import Frontier, RangeRoot, consistency_path, inclusion_path, root_of
from apps.audit.models import Leaf, Subtree

ARITY: Final = 256

Node = tuple[int, int]
"""(level, index): the subtree of 256**level leaves from index * 256**level on; of level 0, the leaf itself."""
Range = tuple[int, int]


def stored_size() -> int:
    """Return how many leaves the log of the open scope's tenant has. Costs: one query."""
    last: int | None = Leaf.objects.order_by("-index").values_list("index", flat=True).first()
    return 0 if last is None else last + 1


def root_at(size: int) -> bytes:
    """Return the root over the first `size` leaves. Costs: two queries. Raises: MissingNodesError."""
    return _roots([(0, size)])[(0, size)]


def stored_inclusion_path(index: int, size: int) -> tuple[bytes, ...]:
    """Return tree.inclusion_path from the database. Costs: two queries. Raises: ValueError, MissingNodesError."""
    wanted: list[Range] = []
    inclusion_path(index, size, _noting(wanted))
    return inclusion_path(index, size, _looking_up(_roots(wanted)))


def stored_consistency_path(first: int, second: int) -> tuple[bytes, ...]:
    """Return tree.consistency_path from the database. Costs: two queries. Raises: ValueError, MissingNodesError."""
    wanted: list[Range] = []
    consistency_path(first, second, _noting(wanted))
    return consistency_path(first, second, _looking_up(_roots(wanted)))


def nodes_of(start: int, end: int) -> Iterator[Node]:
    """Yield the fewest stored nodes that cover a range, from left to right.

    Args: start, end: a range as RFC 6962 would cut it: start is a multiple of the power of two that covers end - start.
    """
    while start < end:
        level = 0
        while start % ARITY ** (level + 1) == 0 and start + ARITY ** (level + 1) <= end:
            level += 1
        yield level, start // ARITY**level
        start += ARITY**level


def _roots(ranges: Iterable[Range]) -> dict[Range, bytes]:
    parts = {each: list(nodes_of(*each)) for each in ranges}
    hashes = _stored({node for nodes in parts.values() for node in nodes})
    return {each: _joined(nodes, hashes) for each, nodes in parts.items()}


def _joined(nodes: Iterable[Node], hashes: Mapping[Node, bytes]) -> bytes:
    """Return the root over nodes that are ordered from left to right with the large ones first.

    The peaks of each level are adjacent to those of the next.
    """
    peaks: list[bytes] = []
    by_level: dict[int, list[bytes]] = {}
    for node in nodes:
        by_level.setdefault(node[0], []).append(hashes[node])
    for level in sorted(by_level, reverse=True):
        peaks += Frontier().appended(by_level[level]).peaks
    return Frontier(size=0, peaks=tuple(peaks)).root if peaks else root_of(())


def _stored(nodes: set[Node]) -> dict[Node, bytes]:
    """Return the stored hashes of the nodes. Costs: one query for leaves, and one for subtrees."""
    found: dict[Node, bytes] = {}
    leaves = sorted(index for level, index in nodes if level == 0)
    if leaves:
        rows = Leaf.objects.filter(index__in=leaves).values_list("index", "hash")
        found |= {(0, index): bytes(hash) for index, hash in rows}
    above: dict[int, list[int]] = {}
    for level, index in nodes:
        if level:
            above.setdefault(level, []).append(index)
    if above:
        condition = Q()
        for level, indices in above.items():
            condition |= Q(level=level, index__in=indices)
        rows = Subtree.objects.filter(condition).values_list("level", "index", "hash")
        found |= {(level, index): bytes(hash) for level, index, hash in rows}
    missing = nodes - found.keys()
    if missing:
        level, index = min(missing)
        raise MissingNodesError(count=len(missing), level=level, index=index)
    return found


def _noting(wanted: list[Range]) -> RangeRoot:
    def note(start: int, end: int) -> bytes:
        wanted.append((start, end))
        return b""

    return note


def _looking_up(roots: Mapping[Range, bytes]) -> RangeRoot:
    def look_up(start: int, end: int) -> bytes:
        return roots[start, end]

    return look_up
