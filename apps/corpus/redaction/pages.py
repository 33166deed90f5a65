"""Build a document's pages and blocks without the removed passages. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from apps.corpus.extraction.contracts import Block, BlockKind, Page
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.rendition import PageDraft
from apps.corpus.redaction.text import MARK, Redacted, Span, redact

_SHORTEST = 3  # characters: less than that is also a part of other words


def redacted_pages(pages: Sequence[Page], spans: Mapping[int, Sequence[Span]]) -> list[PageDraft]:
    """Return the pages with the mark in place of each span, block by block.

    What a table's rows share (its caption, its header) is repeated beside each row and has no place on the page: there
    the removed words are replaced wherever they stand.

    Args: spans: by page number; characters of the page's text.
    """
    redacted = {page.number: redact(page.text, spans.get(page.number, ())) for page in pages}
    words = _removed_words((page.text, redacted[page.number]) for page in pages)
    return [
        PageDraft(
            number=page.number,
            extracted=page.extracted,
            blocks=tuple(_block(block, redacted[page.number], words) for block in page.blocks),
        )
        for page in pages
    ]


def pages_of_lines(texts: Iterable[tuple[int, str, bool]]) -> list[Page]:
    """Stored pages as pages of paragraphs, one a line: where the file is not read today as it was then.

    Args: texts: number, text and extracted of each page.
    """
    return [
        Page(number=number, text=text, blocks=tuple(_lines(text)), extracted=extracted)
        for number, text, extracted in texts
    ]


def _lines(text: str) -> Iterator[Block]:
    start = 0
    for line in text.split("\n"):
        if line.strip():
            yield Block(kind=BlockKind.PARAGRAPH, text=line, char_start=start, char_end=start + len(line))
        start += len(line) + 1


def _block(block: Block, redacted: Redacted, words: Sequence[str]) -> BlockDraft:
    place = redacted.span_of(Span(block.char_start, block.char_end))
    context = block.context
    for word in words:
        context = context.replace(word, MARK)
    return BlockDraft(block.kind, redacted.text[place.start : place.end], level=block.level, context=context)


def _removed_words(pages: Iterable[tuple[str, Redacted]]) -> list[str]:
    """Return the removed texts, longest first, so that replacing a shorter text leaves no part of a longer name."""
    words = {text[span.start : span.end] for text, redacted in pages for span in redacted.removed}
    return sorted((word for word in words if len(word) >= _SHORTEST), key=lambda word: (-len(word), word))
