"""Find compressed values in raw pages of tables, indexes and WAL: live, deleted, or left over in a page's free space.

Nothing is asked of the page's own directory, which forgets what was deleted: every place is tried that looks like the
head of a compressed value, or like a row of a TOAST table. See src/include/varatt.h and toast_internals.h.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Final

import numpy as np

from apps.erasure.residue.compression import decompress

PAGE_BYTES: Final = 8192
_SIZE_MASK: Final = 0x3FFFFFFF
_HIGHEST_RATIO: Final = 256  # LZ4's; pglz ends at about 90
_LARGEST_BYTES: Final = 1 << 30
_SMALLEST_BYTES: Final = 16
_TOAST_COLUMNS: Final = 3  # chunk_id, chunk_seq, chunk_data
_TOAST_HEADER_BYTES: Final = 24
_TOAST_CHUNK_BYTES: Final = 1996
_HELD_BYTES: Final = 64 << 20
_SEAM_BYTES: Final = 512  # longer than any needle that one piece of a file or vector makes


def inline_values(block: bytes, *, step: int = 4) -> Iterator[bytes]:
    """Values that were compressed in their row.

    Args: step: 4 in pages, where such values are aligned; 1 in WAL, where a row begins anywhere.
    """
    for shift in range(0, 4, step):
        count = (len(block) - shift) // 4
        words = np.frombuffer(block, dtype="<u4", count=count, offset=shift)
        if count < 3 or not words.any():
            continue
        heads, infos = words[:-1], words[1:]
        sizes, raws, methods = heads >> 2, infos & _SIZE_MASK, infos >> 30
        likely = (
            ((heads & 3) == 2)
            & (methods <= 1)
            & (sizes >= _SMALLEST_BYTES)
            & (sizes <= PAGE_BYTES)
            & (raws > sizes - 8)
            & (raws <= sizes * _HIGHEST_RATIO)
        )
        for index in np.flatnonzero(likely):
            start = shift + int(index) * 4
            value = decompress(
                block[start + 8 : start + int(sizes[index])], method=int(methods[index]), raw_bytes=int(raws[index])
            )
            if len(value) >= _SMALLEST_BYTES:
                yield value


class ToastedValues:
    """Puts the rows of a TOAST table together again, in the order in which they are met.

    A row is taken for one wherever its header stands, also where its page no longer lists it. A value whose first row
    was overwritten can't be decompressed.
    """

    def __init__(self) -> None:
        self._rows: dict[int, dict[int, bytes]] = {}
        self._held_bytes = 0

    def add_pages(self, block: bytes) -> Iterator[bytes]:
        """Take in whole pages. Yields: what had to be let go to stay within 64 MB."""
        grid = np.frombuffer(block, dtype=np.uint8, count=len(block) // 8 * 8).reshape(-1, 8)
        if len(grid) < 6:
            return
        # t_infomask2 is bytes 18-19 of a row's header, t_hoff byte 22; the data begin after 24.
        third = grid[2:-2]
        likely = (third[:, 6] == _TOAST_HEADER_BYTES) & (third[:, 2] == _TOAST_COLUMNS) & ((third[:, 3] & 7) == 0)
        for index in np.flatnonzero(likely):
            yield from self.add_row(block, int(index) * 8 + _TOAST_HEADER_BYTES)

    def add_row(self, block: bytes, start: int) -> Iterator[bytes]:
        """Take in one row, whose columns begin at `start`."""
        if start + 12 > len(block):
            return
        value_id, number, head = struct.unpack_from("<III", block, start)
        size = (head >> 2) - 4
        if head & 3 or not 0 < size <= _TOAST_CHUNK_BYTES or number >= _LARGEST_BYTES // _TOAST_CHUNK_BYTES:
            return
        data = block[start + 12 : start + 12 + size]
        rows = self._rows.setdefault(value_id, {})
        if rows.get(number, data) != data:  # another value under the same number: the earlier one is finished
            yield from _values_of(self._rows.pop(value_id))
            rows = self._rows[value_id] = {}
        rows[number] = data
        self._held_bytes += len(data)
        if self._held_bytes > _HELD_BYTES:
            yield from self.finish(keep=value_id)

    def finish(self, *, keep: int | None = None) -> Iterator[bytes]:
        """Yields: the values, decompressed; of those that were not compressed, the seams between their rows."""
        going = [value_id for value_id in self._rows if value_id != keep]
        for value_id in going:
            yield from _values_of(self._rows.pop(value_id))
        self._held_bytes = sum(len(data) for rows in self._rows.values() for data in rows.values())
        if keep is not None and self._held_bytes > _HELD_BYTES // 2:  # one value alone fills the store
            yield from self.finish()


def _values_of(rows: dict[int, bytes]) -> Iterator[bytes]:
    for run in _runs(rows):
        if 0 in rows and run[0] is rows[0] and len(run[0]) > 8:
            joined = b"".join(run)
            (info,) = struct.unpack_from("<I", joined)
            method, raw_bytes = info >> 30, info & _SIZE_MASK
            if method <= 1 and len(joined) - 4 < raw_bytes <= len(joined) * _HIGHEST_RATIO:
                value = decompress(joined[4:], method=method, raw_bytes=raw_bytes)
                if len(value) >= _SMALLEST_BYTES:
                    yield value
        for before, after in pairwise(run):
            yield before[-_SEAM_BYTES:] + after[:_SEAM_BYTES]


def _runs(rows: dict[int, bytes]) -> Iterator[list[bytes]]:
    """Rows whose numbers follow each other."""
    run: list[bytes] = []
    last = -2
    for number in sorted(rows):
        if number != last + 1 and run:
            yield run
            run = []
        run.append(rows[number])
        last = number
    if run:
        yield run


def pages_views(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """What whole pages of a file hold in compressed form, decompressed."""
    toast = ToastedValues()
    for block in blocks:
        yield from inline_values(block)
        yield from toast.add_pages(block)
    yield from toast.finish()
