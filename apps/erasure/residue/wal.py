"""Read the write-ahead log as it lies on the disk: rows cut up by page headers, and images of whole pages, compressed.

See src/include/access/xlogrecord.h and xlog_internal.h; the layout is of PostgreSQL 15 to 18.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np

from apps.erasure.residue.carving import PAGE_BYTES, ToastedValues, inline_values
from apps.erasure.residue.compression import lz4, pglz

_RECORD_HEADER_BYTES: Final = 24
_SHORT_PAGE_HEADER, _LONG_PAGE_HEADER = 24, 40
_LONG_HEADER_FLAG: Final = 0x02
_CONTINUED_FLAG: Final = 0x01
_LONGEST_RECORD: Final = 64 << 20
_HEAP_RESOURCE_MANAGER: Final = 10
# Of a block's fork_flags, and of an image's bimg_info.
_HAS_IMAGE, _HAS_DATA, _SAME_REL = 0x10, 0x20, 0x80
_HAS_HOLE, _BY_PGLZ, _BY_LZ4, _BY_ZSTD = 0x01, 0x04, 0x08, 0x10


@dataclass(slots=True)
class Unread:
    """Images that this reader can't decompress: zstd, or damaged."""

    images: int = 0


def wal_views(segment: bytes, unread: Unread) -> Iterator[bytes]:
    """What a segment says besides its raw bytes: records without page headers, page images, values decompressed."""
    toast = ToastedValues()
    for run, starts in _runs(segment):
        run = run.rstrip(b"\x00")  # a segment that was ended early is zeros to its end
        yield run
        yield from inline_values(run, step=1)
        place = 0
        for start in [*starts, len(run)]:
            # Records follow each other; where one makes no sense, go on with the next page that names its first.
            while place < start and (length := _record_bytes(run, place)):
                yield from _record_views(run[place : place + length], toast, unread)
                place += -(-length // 8) * 8
            place = max(place, start)
    yield from toast.finish()


def stale_pages(segment: bytes, *, before: int) -> int:
    """How many pages of a segment hold what was written before a log position (an LSN as a number)."""
    count = len(segment) // PAGE_BYTES
    pages = np.frombuffer(segment, dtype=np.uint8, count=count * PAGE_BYTES).reshape(count, PAGE_BYTES)
    addresses = pages[:, 8:16].copy().view("<u8").reshape(-1)
    used = pages.any(axis=1)
    return int((used & (addresses < np.uint64(before))).sum())


def _runs(segment: bytes) -> Iterator[tuple[bytes, list[int]]]:
    """Pages that continue each other, joined without headers; and where in that the pages' first records begin."""
    parts: list[bytes] = []
    starts: list[int] = []
    length, expected = 0, None
    for begin in range(0, len(segment) - PAGE_BYTES + 1, PAGE_BYTES):
        magic, info, _, address, remaining = struct.unpack_from("<HHIQI", segment, begin)
        known = magic >> 8 == 0xD1
        if parts and (not known or address != expected):
            yield b"".join(parts), starts
            parts, starts, length = [], [], 0
        if not known:
            continue
        header = _LONG_PAGE_HEADER if info & _LONG_HEADER_FLAG else _SHORT_PAGE_HEADER
        page = segment[begin + header : begin + PAGE_BYTES]
        first = -(-remaining // 8) * 8 if info & _CONTINUED_FLAG else 0
        if first < len(page):
            starts.append(length + first)
        parts.append(page)
        length += len(page)
        expected = address + PAGE_BYTES
    if parts:
        yield b"".join(parts), starts


def _record_bytes(run: bytes, place: int) -> int:
    """The length of the record at `place`, as far as it is there; 0 where none begins."""
    if place + _RECORD_HEADER_BYTES > len(run):
        return 0
    length = int.from_bytes(run[place : place + 4], "little")
    if not _RECORD_HEADER_BYTES <= length <= _LONGEST_RECORD:
        return 0
    return min(length, len(run) - place)


@dataclass(slots=True)
class _Block:
    data_bytes: int
    image_bytes: int = 0
    info: int = 0
    hole_offset: int = 0
    hole_bytes: int = 0


def _record_views(record: bytes, toast: ToastedValues, unread: Unread) -> Iterator[bytes]:
    try:
        blocks, place = _headers(record)
    except struct.error:
        return
    resource_manager = record[17]
    for block in blocks:
        image = record[place : place + block.image_bytes]
        place += block.image_bytes
        if image:
            page = _page_of(image, block, unread)
            yield page
            yield from inline_values(page)
            yield from toast.add_pages(page)
        data = record[place : place + block.data_bytes]
        place += block.data_bytes
        # A row that was inserted: t_infomask2, t_infomask, t_hoff, then what follows the fixed 23 bytes of its header.
        if resource_manager == _HEAP_RESOURCE_MANAGER and len(data) > 18 and data[0] == 3 and data[4] == 24:
            yield from toast.add_row(data, 6)


def _headers(record: bytes) -> tuple[list[_Block], int]:
    """The blocks that a record tells of, and where their contents begin."""
    blocks: list[_Block] = []
    place = _RECORD_HEADER_BYTES
    while place < len(record):
        kind = record[place]
        if kind == 255:  # main data, short: the last header
            return blocks, place + 2
        if kind == 254:
            return blocks, place + 5
        if kind == 253:  # replication origin
            place += 3
            continue
        if kind == 252:  # top-level transaction
            place += 5
            continue
        if kind > 32:
            raise struct.error("not a block")
        flags, data_bytes = struct.unpack_from("<BH", record, place + 1)
        place += 4
        block = _Block(data_bytes)
        if flags & _HAS_IMAGE:
            block.image_bytes, block.hole_offset, block.info = struct.unpack_from("<HHB", record, place)
            place += 5
            if block.info & _HAS_HOLE:
                if block.info & (_BY_PGLZ | _BY_LZ4 | _BY_ZSTD):
                    (block.hole_bytes,) = struct.unpack_from("<H", record, place)
                    place += 2
                else:
                    block.hole_bytes = PAGE_BYTES - block.image_bytes
        if not flags & _SAME_REL:
            place += 12
        place += 4
        blocks.append(block)
        # The contents of all blocks begin behind the last header. A record without main data ends its headers where
        # what is left is as long as what was announced.
        if len(record) - place == sum(each.image_bytes + each.data_bytes for each in blocks):
            return blocks, place
    return blocks, place


def _page_of(image: bytes, block: _Block, unread: Unread) -> bytes:
    raw_bytes = PAGE_BYTES - block.hole_bytes
    if block.info & _BY_PGLZ:
        image = pglz(image, raw_bytes)
    elif block.info & _BY_LZ4:
        image = lz4(image, raw_bytes)
    elif block.info & _BY_ZSTD:
        unread.images += 1
        return b""
    return image[: block.hole_offset] + bytes(block.hole_bytes) + image[block.hole_offset :]
