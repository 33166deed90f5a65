"""LZ4, which the embedded server is built without: blocks put together by hand, after its format's description.

pglz, TOAST and WAL are read from a real server in test_residue_physical.py.
"""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.erasure.residue.carving import ToastedValues, inline_values, pages_views
from apps.erasure.residue.compression import LZ4, PGLZ, decompress, lz4, pglz

pytestmark = pytest.mark.slow


def test_literals_and_a_match_that_overlaps_itself() -> None:
    # Three literals, then 9 bytes from 3 back, then five literals at the end.
    block = bytes([0x35]) + b"abc" + bytes([3, 0]) + bytes([0x50]) + b"after"
    assert lz4(block, 100) == b"abcabcabcabcafter"


def test_long_lengths_go_on_in_further_bytes() -> None:
    literals = bytes(range(256)) * 2
    block = bytes([0xFF, 255, 512 - 15 - 255]) + literals + struct.pack("<H", 512) + bytes([255, 6])
    assert lz4(block, 10_000) == literals + (literals * 2)[: 15 + 255 + 6 + 4]


def test_a_value_of_a_page_is_found_and_decompressed() -> None:
    packed = bytes([0x35]) + b"abc" + struct.pack("<H", 3) + bytes([0x50]) + b"after"
    page = bytearray(8192)
    size = len(packed) + 8
    page[1024 : 1024 + size] = struct.pack("<II", size << 2 | 2, 17 | LZ4 << 30) + packed
    assert list(inline_values(bytes(page))) == [b"abcabcabcabcafter"]
    shifted = bytes(3) + bytes(page)
    assert list(inline_values(shifted)) == []
    assert list(inline_values(shifted, step=1)) == [b"abcabcabcabcafter"]


def test_half_of_a_value_is_decompressed_as_far_as_it_goes() -> None:
    block = bytes([0xF0, 30]) + bytes(range(45))
    assert lz4(block[:30], 45) == bytes(range(28))
    assert pglz(bytes([0]) + b"abcdefgh" + bytes([0xFF, 0x0F]), 100) == b"abcdefgh"


def test_rows_of_a_value_are_joined_though_they_come_in_another_order() -> None:
    content = bytes(range(256)) * 12  # two rows, not compressed: the seam between them is what is told
    toast = ToastedValues()
    rows = [(1, content[1996:3072]), (0, content[:1996])]
    for number, data in rows:
        block = struct.pack("<III", 7, number, (len(data) + 4) << 2) + data
        assert list(toast.add_row(block, 0)) == []
    seams = list(toast.finish())
    assert seams[-1] == content[1996 - 512 : 1996 + 512]


@given(data=st.binary(max_size=300), method=st.sampled_from([PGLZ, LZ4]), raw_bytes=st.integers(0, 400))
def test_any_bytes_are_read_without_failing(data: bytes, method: int, raw_bytes: int) -> None:
    assert len(decompress(data, method=method, raw_bytes=raw_bytes)) <= raw_bytes


@given(data=st.binary(max_size=9_000))
def test_any_page_is_read_without_failing(data: bytes) -> None:
    assert all(len(value) >= 16 for value in pages_views([data]))
