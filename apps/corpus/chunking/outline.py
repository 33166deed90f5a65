"""Find the SEC item and the headings of every block."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from apps.corpus.extraction.contracts import Block, BlockKind, Page
from apps.corpus.extraction.headings import begins_item, item_of, names_statement

_TABLE_OF_CONTENTS_ROWS = 3  # rows that name items
_TABLE_OF_CONTENTS_HEADINGS = 3  # item headings with nothing below them
_BODY_CHARACTERS = 60  # of a paragraph that belongs to an item
_MAX_HEADING_CHARACTERS = 90
_LAST_ITEM = 16


class BlockPosition(NamedTuple):
    """The place of a block: its SEC item ("7A" or "") and its headings, the outer one first (at most two)."""

    sec_item: str
    headings: tuple[str, ...]

    @property
    def section(self) -> str:
        return " \u203a ".join(self.headings)


def outline(pages: Sequence[Page]) -> Iterator[tuple[Page, list[BlockPosition]]]:
    """Each page with the place of each of its blocks. A heading stands under itself."""
    item = ""
    outer = inner = ""
    outer_is_statement = False
    for page, begins in zip(pages, _without_strays([_item_headings(page.blocks) for page in pages]), strict=True):
        if outer_is_statement:  # a statement's page ends it; what follows has headings of its own or belongs to notes
            outer, inner, outer_is_statement = "", "", False
        places: list[BlockPosition] = []
        for position, block in enumerate(page.blocks):
            if position in begins:
                item = begins[position]
                outer, inner, outer_is_statement = _shortened(block.text), "", False
            elif block.kind is BlockKind.HEADING:
                if block.level <= 2:
                    outer, inner = _shortened(block.text), ""
                    outer_is_statement = names_statement(block.text)
                else:
                    inner = _shortened(block.text)
            places.append(BlockPosition(item, tuple(part for part in (outer, inner) if part)))
        yield page, places


def _item_headings(blocks: Sequence[Block]) -> dict[int, str]:
    """Positions of the headings that begin an SEC item; a table of contents begins none."""
    named = [(position, item_of(block.text)) for position, block in enumerate(blocks) if block.text[:1] in "Ii"]
    items = [(position, item) for position, item in named if item is not None and _exists(item)]
    rows = sum(blocks[position].kind in (BlockKind.TABLE_ROW, BlockKind.TABLE_GROUP) for position, _ in items)
    if rows >= _TABLE_OF_CONTENTS_ROWS:
        return {}
    headings = [(position, item) for position, item in items if _is_item_heading(blocks[position])]
    if not headings:
        return {}
    ends = [position for position, _ in headings[1:]] + [len(blocks)]
    bare = [
        not any(len(block.text) >= _BODY_CHARACTERS for block in blocks[position + 1 : end])
        for (position, _), end in zip(headings, ends, strict=True)
    ]
    if sum(bare) >= _TABLE_OF_CONTENTS_HEADINGS and sum(bare) > len(bare) / 2:
        return {}
    return dict(headings)


def _is_item_heading(block: Block) -> bool:
    return block.kind is BlockKind.HEADING or (block.kind is BlockKind.PARAGRAPH and begins_item(block.text))


def _without_strays(pages: Sequence[dict[int, str]]) -> list[dict[int, str]]:
    """Leave out an item that the one after it shows to be a reference: 7, *8*, 7A."""
    order = [(page, position, item) for page, items in enumerate(pages) for position, item in sorted(items.items())]
    kept = [dict(items) for items in pages]
    for before, (page, position, item), after in zip(order, order[1:], order[2:], strict=False):
        if _rank(before[2]) <= _rank(after[2]) < _rank(item):
            del kept[page][position]
    return kept


def _rank(item: str) -> tuple[float, str]:
    return float(item.rstrip("ABC")), item[-1] if item[-1].isalpha() else ""


def _exists(item: str) -> bool:
    """Item 1 to 16 of a 10-K or 10-Q, 1.01 to 9.01 of an 8-K."""
    if "." in item:
        return 1 <= float(item.rstrip("ABC")) < 10
    return 1 <= int(item.rstrip("ABC")) <= _LAST_ITEM


def _shortened(text: str) -> str:
    if len(text) <= _MAX_HEADING_CHARACTERS:
        return text
    return text[:_MAX_HEADING_CHARACTERS].rsplit(" ", 1)[0]
