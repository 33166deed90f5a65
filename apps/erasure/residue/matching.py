"""Find many byte patterns in a block at once, at a speed that hardly depends on how many there are.

Each pattern is known by some of its bytes in a row, its anchor: twelve, or six where it is shorter than that. A block
is read as 32-bit words at every place; a hash of the words at a place asks a table whether an anchor may begin there,
those few are looked up exactly, and what is left is compared as a whole. Measured with 15,000 needles in text of their
own vocabulary (tests/benchmarks/erasure_physical.py): 100 to 140 MB/s of one core, and 18 with anchors of six bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from apps.erasure.residue.needles import SHORTEST_BYTES

_LONG_ANCHOR: Final = 12
# Odd, from the golden ratio and the square roots of 2 and 3: multiplicative hashing.
_FACTORS: Final = (np.uint32(0x9E3779B1), np.uint32(0x6A09E667), np.uint32(0xBB67AE85))
_BLOCK: Final = 1 << 17  # what fits in a core's second-level cache; measured: twice as fast as 4 MB
# What stands in every text, number and empty field is no good anchor: such bytes weigh nothing, others 2.
_WEIGHTS: Final = bytes(0 if byte in b" etaonirshdlucm0=A\x00" else 2 for byte in range(256))
_TRIED: Final = 24


class Matcher:
    """The patterns, ready to be looked for. Each is at least SHORTEST_BYTES long."""

    def __init__(self, patterns: Sequence[bytes]) -> None:
        self.longest_bytes = max((len(pattern) for pattern in patterns), default=0)
        long = [number for number, pattern in enumerate(patterns) if len(pattern) >= _LONG_ANCHOR]
        short = [number for number, pattern in enumerate(patterns) if len(pattern) < _LONG_ANCHOR]
        self._kinds = [
            _Anchors(patterns, numbers, anchor_bytes=size)
            for numbers, size in ((long, _LONG_ANCHOR), (short, SHORTEST_BYTES))
            if numbers
        ]

    def find(self, data: bytes) -> Iterator[tuple[int, int]]:
        """Every occurrence of every pattern, as (offset in data, index of the pattern), in no particular order."""
        whole = np.frombuffer(data, dtype=np.uint8)
        for begin in range(0, len(whole), _BLOCK):
            # Anchors that begin in this block; the next one's first bytes are needed to see them whole.
            block = whole[begin : begin + _BLOCK + _LONG_ANCHOR]
            if not block.any():
                continue
            end = min(begin + _BLOCK, len(whole))
            for kind in self._kinds:
                yield from kind.find(data, block, begin, end)


class _Anchors:
    """Patterns with anchors of one length."""

    def __init__(self, patterns: Sequence[bytes], numbers: Sequence[int], *, anchor_bytes: int) -> None:
        self._patterns = patterns
        self._size = anchor_bytes
        self._words = anchor_bytes // 4  # of six bytes, the first four are hashed
        self._known: dict[bytes, list[tuple[int, int]]] = {}
        for number in numbers:
            start = _rarest(patterns[number], anchor_bytes)
            self._known.setdefault(patterns[number][start : start + anchor_bytes], []).append((number, start))
        # Sixty-four places for each anchor: with fewer, more get through by chance; with more, the cache is too small.
        bits = max(16, min(24, (64 * len(self._known)).bit_length()))
        self._shift = np.uint32(32 - bits)
        self._table: NDArray[np.bool_] = np.zeros(1 << bits, dtype=np.bool_)
        for anchor in self._known:
            words = np.frombuffer(anchor[: 4 * self._words], dtype="<u4")
            self._table[self._hash(words)] = True
        # The first six bytes as a number: what the table lets through by chance ends here, before Python sees it.
        self._heads: NDArray[np.uint64] = np.array(
            sorted({int.from_bytes(anchor[:SHORTEST_BYTES], "little") for anchor in self._known}), dtype=np.uint64
        )

    def find(self, data: bytes, block: NDArray[np.uint8], begin: int, end: int) -> Iterator[tuple[int, int]]:
        """The occurrences whose anchor begins between `begin` and `end`, of which the block shows the bytes."""
        last = len(block) - self._size  # the last place where an anchor may begin
        for shift in range(4):
            count = (len(block) - shift) // 4
            if count < self._words:
                continue
            words = block[shift : shift + 4 * count].view("<u4")
            places = np.flatnonzero(self._table[self._hash(words)]) * 4 + shift
            places = places[places <= min(last, end - begin - 1)]
            if not len(places):
                continue
            heads = np.zeros(len(places), dtype=np.uint64)
            for number in range(SHORTEST_BYTES):
                heads |= block[places + number].astype(np.uint64) << np.uint64(8 * number)
            at = np.minimum(np.searchsorted(self._heads, heads), len(self._heads) - 1)
            for place in places[self._heads[at] == heads].tolist():
                anchored = begin + place
                for pattern, start in self._known.get(data[anchored : anchored + self._size], ()):
                    offset = anchored - start
                    if offset >= 0 and data.startswith(self._patterns[pattern], offset):
                        yield offset, pattern

    def _hash(self, words: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Of the words at each place where enough of them follow."""
        count = len(words) - self._words + 1
        mixed = words[:count] * _FACTORS[0]
        for number in range(1, self._words):
            mixed += words[number : number + count] * _FACTORS[number]
        mixed >>= self._shift
        return mixed


def _rarest(pattern: bytes, size: int) -> int:
    """Where the bytes begin that are least likely to be met by chance."""
    best, best_score = 0, -1
    weights = pattern.translate(_WEIGHTS)
    for start in range(min(len(pattern) - size + 1, _TRIED)):
        score = len(set(pattern[start : start + size])) + sum(weights[start : start + size])
        if score > best_score:
            best, best_score = start, score
    return best
