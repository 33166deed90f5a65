"""Turn a PDF page's lines into headings, paragraphs, list items and table rows."""

from __future__ import annotations

import itertools
import re
from collections import defaultdict
from collections.abc import Sequence

from apps.corpus.extraction.contracts import BlockKind
from apps.corpus.extraction.headings import begins_item, heading_level, is_title_case, looks_like_title
from apps.corpus.extraction.pages import BlockDraft
from apps.corpus.extraction.pdf_cells import TableLine, table_lines
from apps.corpus.extraction.pdf_grids import RuledTable
from apps.corpus.extraction.pdf_lines import Line, middle_of
from apps.corpus.extraction.pdf_regions import find_tables
from apps.corpus.extraction.pdf_ruled import ruled_drafts
from apps.corpus.extraction.pdf_tables import TableWriter

_BULLET = re.compile(r"^[•◦▪●○■❑✓➢*·o\u2013\u2014-]$")
_NUMBERED = re.compile(r"^(?:\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})\)|\d{1,2}\.)$")
_SENTENCE_END = re.compile(r"[.:;!?][\"'”\u2019)]*$")
_NEW_PARAGRAPH_DROP = 1.35  # of the page's usual distance between lines
_SHORT_LINE = 0.82  # of its column's width
_LONG_PARAGRAPH = 120  # characters
_VERY_SHORT_LINE = 0.6
_PROSE_WORDS = 5  # in small letters in a line, at least


class PageWriter:
    """Writes page after page of one document; it learns the document's words to mend divided ones."""

    def __init__(self) -> None:
        self._words: set[str] = set()

    def write(self, lines: Sequence[Line], ruled: Sequence[RuledTable] = ()) -> list[BlockDraft]:
        """The drafts of one page, in reading order.

        Args: lines: what stands outside of the ruled tables, which are in the order of the page.
        """
        inside = [line for table in ruled for pieces in table.cells.values() for line in pieces]
        for line in (*lines, *inside):
            self._words.update(word.text.lower() for word in line.words)
        shape = _Shape([*lines, *inside])
        tables = TableWriter()
        drafts: list[BlockDraft] = []
        start = 0
        for table in ruled:
            drafts.extend(self._unruled(lines[start : table.position], shape, tables, drafts))
            drafts.extend(ruled_drafts(table, join=self._join, caption=drafts[-1].text if drafts else ""))
            start = table.position
        drafts.extend(self._unruled(lines[start:], shape, tables, drafts))
        return _with_quiet_headings(drafts)

    def _unruled(
        self, lines: Sequence[Line], shape: _Shape, tables: TableWriter, before: Sequence[BlockDraft]
    ) -> list[BlockDraft]:
        rows = table_lines(lines)
        drafts: list[BlockDraft] = []
        position = 0
        for table in find_tables(rows):
            drafts.extend(self._prose(rows[position : table.start], shape))
            above = drafts or before
            drafts.extend(tables.write(rows, table, caption=above[-1].text if above else ""))
            position = table.end
        drafts.extend(self._prose(rows[position:], shape))
        return drafts

    def _prose(self, rows: Sequence[TableLine], shape: _Shape) -> list[BlockDraft]:
        drafts: list[BlockDraft] = []
        group: list[Line] = []
        for row in rows:
            if group and shape.breaks(group[-1], row.line):
                drafts.append(self._draft(group, shape))
                group = []
            group.append(row.line)
        if group:
            drafts.append(self._draft(group, shape))
        return drafts

    def _draft(self, group: Sequence[Line], shape: _Shape) -> BlockDraft:
        text = self._join(group)
        if shape.is_heading_line(group[0]) and looks_like_title(text):
            level = heading_level(text, larger=group[0].height > 1.15 * shape.body_height)
            return BlockDraft(BlockKind.HEADING, text, level=level)
        if _starts_item(group[0]):
            return BlockDraft(BlockKind.LIST_ITEM, text)
        return BlockDraft(BlockKind.PARAGRAPH, text)

    def _join(self, lines: Sequence[Line]) -> str:
        """The lines as running text; a word divided at a line's end is mended if the document knows it whole."""
        words = [word.text for word in lines[0].words]
        for before, line in itertools.pairwise(lines):
            following = [word.text for word in line.words]
            if before.divided and words:
                whole = words[-1].rstrip("-") + following[0]
                known = whole.lower().rstrip(".,;:)") in self._words
                words[-1] = whole if known else f"{words[-1].rstrip('-')}-{following[0]}"
                following = following[1:]
            words.extend(following)
        return " ".join(words)


def _with_quiet_headings(drafts: list[BlockDraft]) -> list[BlockDraft]:
    """Take a short line of capitalised words over a table or a long text as its heading, whatever its type."""
    for position, (draft, following) in enumerate(itertools.pairwise(drafts)):
        if (
            draft.kind is BlockKind.PARAGRAPH
            and (following.kind is BlockKind.TABLE_HEADER or len(following.text) > _LONG_PARAGRAPH)
            and is_title_case(draft.text)
        ):
            drafts[position] = BlockDraft(BlockKind.HEADING, draft.text, level=heading_level(draft.text))
    return drafts


class _Shape:
    """What is usual on a page: type size, distance of lines, width of columns."""

    def __init__(self, lines: Sequence[Line]) -> None:
        sizes: dict[float, int] = defaultdict(int)
        self._widths: dict[int, float] = defaultdict(float)
        drops: list[float] = []
        for before, line in zip([None, *lines], lines, strict=False):
            # Tables are often set smaller than the text; they would make all prose look like headings.
            small = sum(1 for word in line.words if word.text.islower())
            weight = 100 if small >= _PROSE_WORDS else 1
            sizes[round(line.height, 1)] += weight * len(line.words)
            key = _column_key(line)
            self._widths[key] = max(self._widths[key], line.x1)
            if before is not None:
                drop = middle_of(before) - middle_of(line)
                if 0 < drop < 3 * line.height:
                    drops.append(drop)
        self.body_height = max(sizes, key=lambda size: (sizes[size], size)) if sizes else 1.0
        # The lower quartile: pages of tables and headings have more wide gaps than line distances.
        self._pitch = sorted(drops)[len(drops) // 4] if drops else self.body_height * 1.2

    def is_heading_line(self, line: Line) -> bool:
        if line.bold or line.height > 1.12 * self.body_height:
            return True
        letters = [word.text for word in line.words if word.text.isalpha()]
        return bool(letters) and all(word.isupper() for word in letters) and sum(map(len, letters)) > 3

    def breaks(self, before: Line, line: Line) -> bool:
        """Does a new block begin with `line`?"""
        if before.divided:
            return False
        if _starts_item(line) or begins_item(line.text):
            return True
        drop = middle_of(before) - middle_of(line)
        ended = bool(_SENTENCE_END.search(before.words[-1].text))
        before_heads, heads = self.is_heading_line(before), self.is_heading_line(line)
        if before_heads != heads:
            return True
        if before_heads and abs(before.height - line.height) > 0.1 * line.height:
            return True
        if drop < 0 or drop > 4 * line.height:
            return ended or heads  # the next column, or after a figure: a sentence may go on there
        if drop > _NEW_PARAGRAPH_DROP * max(self._pitch, 0.9 * line.height):
            return True
        if heads:
            return not self._is_full(before) or heading_level(line.text) == 1
        if line.words[0].text[0].isupper() and not self._is_full(before, _VERY_SHORT_LINE):
            return True
        return ended and (not self._is_full(before) or line.x0 > before.x0 + line.height)

    def _is_full(self, line: Line, share: float = _SHORT_LINE) -> bool:
        right = max(self._widths[_column_key(line)], self._widths[_column_key(line) - 1])
        return line.x1 > line.x0 + share * (right - line.x0)


def _column_key(line: Line) -> int:
    return int(line.x0 // 24)


def _starts_item(line: Line) -> bool:
    first = line.words[0].text
    if first[0] in "•◦▪●■" or _BULLET.match(first):
        return len(line.words) > 1 or len(first) > 1 or first in "•◦▪●■"
    return bool(_NUMBERED.match(first)) and len(line.words) > 1
