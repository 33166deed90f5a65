"""Cut blocks into the pieces that a chunk is made of: headings, rows and sentences with their token counts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from apps.corpus.chunking.outline import BlockPosition
from apps.corpus.chunking.sentences import sentence_spans
from apps.corpus.extraction.contracts import BlockKind, Page
from apps.corpus.tokens import TokenCounter

_WHOLE = frozenset(
    {BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.TABLE_GROUP, BlockKind.TABLE_ROW, BlockKind.CODE}
)
_MAX_GROUP_CHARACTERS = 70
_WORD = re.compile(r"\S+")
# From a cell's first character, which in an empty cell is the bar itself, through the bar that ends it.
_CELL = re.compile(r"\S[^|]*(?:\|\s*|$)")


@dataclass(slots=True)
class Unit:
    """A piece of one page's text that is not divided further unless it is too long.

    `context` is what its table's rows share, `group` the title inside the table under which its row stands.
    """

    start: int
    end: int
    tokens: int
    kind: BlockKind
    begins_block: bool
    place: BlockPosition
    context: str
    group: str = ""

    @property
    def header_context(self) -> str:
        """What the header of a chunk that begins here says of its table."""
        parts = (self.context, self.group if self.kind is BlockKind.TABLE_ROW else "")
        return ", ".join(part for part in parts if part)

    @property
    def leads(self) -> bool:
        """Does it head what follows, so that a chunk must not end with it?"""
        return self.kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER, BlockKind.TABLE_GROUP)


def page_units(page: Page, places: Sequence[BlockPosition]) -> list[Unit]:
    """The units of a page, not counted yet."""
    units: list[Unit] = []
    group = ""
    for block, place in zip(page.blocks, places, strict=True):
        if block.kind is BlockKind.TABLE_GROUP:
            group = block.text if len(block.text) <= _MAX_GROUP_CHARACTERS else ""
        elif block.kind is not BlockKind.TABLE_ROW:
            group = ""
        spans = [(0, len(block.text))] if block.kind in _WHOLE else sentence_spans(block.text)
        for position, (start, end) in enumerate(spans):
            at = block.char_start
            units.append(Unit(at + start, at + end, 0, block.kind, position == 0, place, block.context, group))
    return units


def split_long(unit: Unit, text: str, *, limit: int, count_tokens: TokenCounter) -> list[Unit]:
    """Cut a unit that is over the limit: between a row's cells, else between words, else, in a word, anywhere.

    Args:    text: the text of the unit's page.
             limit: tokens, > 0; every piece stays within it.
    """
    pattern = _CELL if unit.kind is BlockKind.TABLE_ROW else _WORD
    spans = [match.span() for match in pattern.finditer(text, unit.start, unit.end)]
    counts = count_tokens([text[start:end] for start, end in spans])
    pieces: list[tuple[int, int, int]] = []
    for (start, end), tokens in zip(spans, counts, strict=True):
        if tokens > limit:
            finer = _finer(text, start, end, limit=limit, count_tokens=count_tokens, words=pattern is _CELL)
        else:
            finer = [(start, end, tokens)]
        for piece in finer:
            if pieces and pieces[-1][2] + piece[2] <= limit:
                first = pieces.pop()
                pieces.append((first[0], piece[1], first[2] + piece[2]))
            else:
                pieces.append(piece)
    units: list[Unit] = []
    for position, (start, end, tokens) in enumerate(pieces):
        trimmed = start + len(text[start:end].rstrip())
        begins = unit.begins_block and position == 0
        units.append(replace(unit, start=start, end=trimmed, tokens=tokens, begins_block=begins))
    return units


def _finer(
    text: str, start: int, end: int, *, limit: int, count_tokens: TokenCounter, words: bool
) -> list[tuple[int, int, int]]:
    spans = [match.span() for match in _WORD.finditer(text, start, end)] if words else [(start, end)]
    counted: list[tuple[int, int, int]] = []
    for (first, last), tokens in zip(spans, count_tokens([text[a:b] for a, b in spans]), strict=True):
        if tokens <= limit:
            counted.append((first, last, tokens))
            continue
        width = last - first
        while True:
            cuts = [(at, min(at + width, last)) for at in range(first, last, width)]
            counts = count_tokens([text[a:b] for a, b in cuts])
            if max(counts) <= limit or width == 1:
                counted.extend((a, b, tokens) for (a, b), tokens in zip(cuts, counts, strict=True))
                break
            width = max(width // 2, 1)
    return counted
