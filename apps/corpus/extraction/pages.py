"""Put blocks on pages, so that every character of a page belongs to a block or to the break between two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from apps.corpus.extraction.contracts import Block, BlockKind, Page, Recognition

_BREAK = "\n"
_TABLE_KINDS = frozenset({BlockKind.TABLE_HEADER, BlockKind.TABLE_GROUP, BlockKind.TABLE_ROW})


@dataclass(frozen=True, slots=True)
class BlockDraft:
    """A block that has no place yet. The text is clean and not blank."""

    kind: BlockKind
    text: str
    level: int = 0
    context: str = ""


def build_page(
    number: int, drafts: Iterable[BlockDraft], *, extracted: bool = True, recognition: Recognition | None = None
) -> Page:
    """Lay drafts out as one page's text and give each its character span."""
    blocks: list[Block] = []
    position = 0
    for draft in drafts:
        end = position + len(draft.text)
        blocks.append(
            Block(
                kind=draft.kind,
                text=draft.text,
                char_start=position,
                char_end=end,
                level=draft.level,
                context=draft.context,
            )
        )
        position = end + len(_BREAK)
    text = _BREAK.join(block.text for block in blocks)
    return Page(number=number, text=text, blocks=tuple(blocks), extracted=extracted, recognition=recognition)


def logical_pages(drafts: Iterable[BlockDraft], *, page_characters: int) -> Iterator[Page]:
    """Cut a stream of drafts into pages of about `page_characters`, at block boundaries.

    A heading goes over to the page of what it heads; a table that goes on repeats its header line on the next page,
    so that a cited page can be read alone.
    """
    number = 1
    pending: list[BlockDraft] = []
    size = 0
    header: BlockDraft | None = None
    for draft in (piece for whole in drafts for piece in pieces(whole, page_characters)):
        if size and size + len(draft.text) > page_characters:
            carried = _trailing_headings(pending)
            if sum(len(item.text) for item in carried) > page_characters // 2:
                carried = []  # headings that head nothing: else each page would carry all that came before
            kept = pending[: len(pending) - len(carried)]
            if kept:
                yield build_page(number, kept)
                number += 1
                pending = carried
                if header is not None and draft.kind is BlockKind.TABLE_ROW and not carried:
                    pending = [header]
                size = sum(len(item.text) for item in pending)
        if draft.kind is BlockKind.TABLE_HEADER:
            header = draft
        elif draft.kind not in _TABLE_KINDS:
            header = None
        pending.append(draft)
        size += len(draft.text) + 1
    if pending:
        yield build_page(number, pending)


def pieces(draft: BlockDraft, longest: int) -> Iterator[BlockDraft]:
    """A block longer than a page, cut at spaces where it has any."""
    text = draft.text
    start = 0  # the rest is never copied: a block may be as long as the file
    while len(text) - start > longest:
        cut = text.rfind(" ", start + longest // 2, start + longest)
        cut = cut if cut > start else start + longest
        yield replace(draft, text=text[start:cut].rstrip())
        start = cut
        while start < len(text) and text[start].isspace():
            start += 1
    if start < len(text):
        yield replace(draft, text=text[start:] if start else text)


def _trailing_headings(drafts: Sequence[BlockDraft]) -> list[BlockDraft]:
    start = len(drafts)
    while start and drafts[start - 1].kind in (BlockKind.HEADING, BlockKind.TABLE_HEADER):
        start -= 1
    return list(drafts[start:])
