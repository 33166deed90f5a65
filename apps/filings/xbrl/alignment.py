"""Align what was read again from the HTML with the blocks of the extraction, block by block.

Both come of the same file in the same order, so that nearly all pairs follow each other. Only a header is printed anew
on the next page. Where something lacks, the search goes on at the next equal text, and what follows counts only if a
text among it stands once in the file: so no row is taken for an equal one elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from apps.corpus.extraction.contracts import Block, BlockKind

_WINDOW: Final = 40


def align(texts: Sequence[str], blocks: Sequence[Block]) -> tuple[int | None, ...]:
    """Return for each text the number of its block, or None if that is not certain."""
    positions: defaultdict[str, list[int]] = defaultdict(list)
    for number, block in enumerate(blocks):
        positions[block.text].append(number)
    counts = Counter(texts)
    pairs: list[int | None] = [None] * len(texts)
    run: list[tuple[int, int]] = []
    trusted = True
    at = block_at = 0
    while at < len(texts) and block_at < len(blocks):
        if texts[at] == blocks[block_at].text:
            run.append((at, block_at))
            trusted = trusted or (counts[texts[at]] == 1 and len(positions[texts[at]]) == 1)
            at, block_at = at + 1, block_at + 1
            continue
        if _is_repeated_header(blocks, block_at, positions):
            block_at += 1
            continue
        if trusted:
            _accept(run, pairs)
        run, trusted = [], False
        at, block_at = _next_pair(texts, at, block_at, positions, counts)
    if trusted:
        _accept(run, pairs)
    return tuple(pairs)


def _accept(run: Sequence[tuple[int, int]], pairs: list[int | None]) -> None:
    for text, block in run:
        pairs[text] = block


def _is_repeated_header(blocks: Sequence[Block], at: int, positions: dict[str, list[int]]) -> bool:
    """Return whether a block is the header of a table that goes on: the first of its page, and printed before."""
    block = blocks[at]
    return block.kind is BlockKind.TABLE_HEADER and block.char_start == 0 and positions[block.text][0] < at


def _next_pair(
    texts: Sequence[str], at: int, block_at: int, positions: dict[str, list[int]], counts: Counter[str]
) -> tuple[int, int]:
    """Return the nearest text and block that are equal; or, if none is near, the next text without one."""
    best: tuple[int, int] | None = None
    for skipped in range(min(_WINDOW, len(texts) - at)):
        if best is not None and skipped >= sum(best):
            break
        where = positions.get(texts[at + skipped], [])
        found = bisect_left(where, block_at)
        if found == len(where):
            continue
        ahead = where[found] - block_at
        is_alone = len(where) == 1 and counts[texts[at + skipped]] == 1
        if (ahead < _WINDOW or is_alone) and (best is None or skipped + ahead < sum(best)):
            best = (skipped, ahead)
    return (at + 1, block_at) if best is None else (at + best[0], block_at + best[1])
