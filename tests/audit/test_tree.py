"""The tree against RFC 6962's own definition and against the published roots of its reference implementation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.audit.log.tree import (
    EMPTY_ROOT,
    Frontier,
    consistency_path,
    inclusion_path,
    leaf_hash,
    proves_consistency,
    proves_inclusion,
    root_of,
)

# The leaves and roots that Certificate Transparency's reference implementation is tested with.
LEAVES = [
    bytes.fromhex(each)
    for each in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = (
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
)


def by_definition(leaves: Sequence[bytes]) -> bytes:
    """MTH as section 2.1 of the RFC writes it."""
    if not leaves:
        return hashlib.sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return hashlib.sha256(b"\x01" + by_definition(leaves[:split]) + by_definition(leaves[split:])).digest()


def hashes(count: int) -> list[bytes]:
    return [leaf_hash(str(number).encode()) for number in range(count)]


@pytest.mark.parametrize("size", range(1, 9))
def test_the_roots_are_those_of_the_reference_implementation(size: int) -> None:
    assert root_of(map(leaf_hash, LEAVES[:size])).hex() == ROOTS[size - 1]


def test_the_empty_tree_has_the_hash_of_nothing() -> None:
    assert root_of([]) == EMPTY_ROOT == hashlib.sha256(b"").digest()


@given(st.integers(0, 200), st.integers(0, 200))
def test_appending_in_parts_gives_the_root_of_the_whole(first: int, more: int) -> None:
    leaves = hashes(first + more)
    assert Frontier().appended(leaves[:first]).appended(leaves[first:]).root == by_definition(leaves)


@given(st.data(), st.integers(1, 130))
def test_a_leaf_is_proved_at_its_place_and_nowhere_else(data: st.DataObject, size: int) -> None:
    leaves = hashes(size)
    index = data.draw(st.integers(0, size - 1))
    path = inclusion_path(index, size, lambda start, end: by_definition(leaves[start:end]))
    root = by_definition(leaves)

    def proved(leaf: bytes = leaves[index], at: int = index, of: int = size, by: tuple[bytes, ...] = path) -> bool:
        return proves_inclusion(leaf=leaf, index=at, size=of, path=by, root=root)

    assert proved()
    assert not proved(leaf=leaf_hash(b"forged"))
    assert not any(proved(at=other) for other in range(-1, size + 2) if other != index)
    assert not proved(by=(*path, path[0] if path else root))
    assert not path or not proved(by=path[1:])


@given(st.data(), st.integers(1, 130))
def test_a_tree_is_proved_to_be_the_beginning_of_a_later_one(data: st.DataObject, second: int) -> None:
    leaves = hashes(second)
    first = data.draw(st.integers(1, second))
    path = consistency_path(first, second, lambda start, end: by_definition(leaves[start:end]))
    before, after = by_definition(leaves[:first]), by_definition(leaves)

    def proved(*, first_root: bytes = before, second_root: bytes = after, by: tuple[bytes, ...] = path) -> bool:
        return proves_consistency(first=first, second=second, first_root=first_root, second_root=second_root, path=by)

    assert proved()
    forged = hashes(second)
    forged[data.draw(st.integers(0, first - 1))] = leaf_hash(b"forged")
    assert not proved(second_root=by_definition(forged))
    assert not proved(first_root=by_definition(forged[:first]))
    assert not proved(by=(*path, before))
    assert not path or not proved(by=path[:-1])


def test_every_tree_begins_with_the_empty_one() -> None:
    root = root_of(hashes(5))
    assert proves_consistency(first=0, second=5, first_root=EMPTY_ROOT, second_root=root, path=())
    assert not proves_consistency(first=0, second=5, first_root=root, second_root=root, path=())


@pytest.mark.parametrize(("index", "size"), [(-1, 3), (3, 3), (0, 0)])
def test_no_path_leads_to_a_leaf_that_is_not_there(index: int, size: int) -> None:
    with pytest.raises(ValueError, match="has no leaf"):
        inclusion_path(index, size, lambda start, end: b"")


@pytest.mark.parametrize(("first", "second"), [(0, 3), (4, 3)])
def test_no_path_leads_from_what_is_no_beginning(first: int, second: int) -> None:
    with pytest.raises(ValueError, match="no beginning"):
        consistency_path(first, second, lambda start, end: b"")
