"""A document as its pages and blocks, in a text file that we write ourselves and read again without loss.

It stands in for a file from which passages were removed: the file's own bytes would still hold them. A line is a page
("page", number, whether its text could be read) or a block (kind, level, text, context), tab after tab.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from apps.corpus.extraction.cleaning import clean
from apps.corpus.extraction.contracts import BlockKind, Page
from apps.corpus.extraction.errors import CorruptFileError
from apps.corpus.extraction.pages import BlockDraft, build_page

RENDITION_BEGINS = b"Glassbox rendition 1\n"
_NOTE = "Passages were removed from this document. This is the text that is left; the original file was not kept."
_PAGE = "page"
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}
_PLAIN = {escaped: plain for plain, escaped in _ESCAPES.items()}
_ESCAPED = re.compile(r"\\[\\ntr]")
_TO_ESCAPE = re.compile(r"[\\\n\t\r]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PageDraft:
    number: int
    blocks: tuple[BlockDraft, ...]
    extracted: bool = True


def write_rendition(pages: Iterable[PageDraft], *, note: str = "") -> bytes:
    """The file, as UTF-8. Reading it gives pages of the same numbers, with the same blocks.

    Args: note: one line for who opens the file; it is not read again.
    """
    lines = [f"{_NOTE} {note}".strip()]
    for page in pages:
        lines.append("\t".join((_PAGE, str(page.number), "read" if page.extracted else "not read")))
        lines += [
            "\t".join((block.kind.value, str(block.level), _escaped(block.text), _escaped(block.context)))
            for block in page.blocks
        ]
    return RENDITION_BEGINS + "\n".join(lines).encode() + b"\n"


def read_rendition(content: bytes, *, filename: str) -> Iterator[Page]:
    """Its pages. Nothing in the file is trusted: anybody may upload one.

    Raises: CorruptFileError.
    """
    try:
        lines = content[len(RENDITION_BEGINS) :].decode().split("\n")
    except UnicodeDecodeError as error:
        raise CorruptFileError(filename=filename, reason="it is not UTF-8") from error
    begun: tuple[int, bool] | None = None
    blocks: list[BlockDraft] = []
    for number, line in enumerate(lines[1:], start=3):
        if not line:
            continue
        cells = line.split("\t")
        try:
            if cells[0] == _PAGE:
                following = int(cells[1])
                if following < 1 or (begun is not None and following <= begun[0]):
                    raise ValueError("pages are not in order")  # noqa: TRY301 - one answer for all that is wrong
                if begun is not None:
                    yield build_page(begun[0], blocks, extracted=begun[1])
                begun, blocks = (following, cells[2] == "read"), []
            elif begun is not None:
                blocks.append(_block(cells))
            else:
                raise ValueError("a block comes before the first page")  # noqa: TRY301
        except (ValueError, IndexError) as error:
            raise CorruptFileError(filename=filename, reason=f"line {number} can't be read") from error
    if begun is not None:
        yield build_page(begun[0], blocks, extracted=begun[1])


def rendition_cells(text: str) -> Iterator[str]:
    """Every cell of every line, whatever it is, as it reads: for who looks for what no page shows."""
    for line in text.split("\n"):
        for cell in line.split("\t"):
            yield _unescaped(cell)


def _block(cells: list[str]) -> BlockDraft:
    kind, level, text, context = cells
    text = clean(_unescaped(text))
    if not text.strip():
        raise ValueError("a block is empty")
    return BlockDraft(BlockKind(kind), text, level=min(max(int(level), 0), 9), context=clean(_unescaped(context)))


def _escaped(text: str) -> str:
    return _TO_ESCAPE.sub(lambda match: _ESCAPES[match.group()], text)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda match: _PLAIN[match.group()], text)
