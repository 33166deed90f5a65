"""Read HTML, SEC filings (inline XBRL) above all: what a browser would show, in blocks, tables as tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from lxml import etree
from lxml import html as lxml_html

from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.contracts import BlockKind, Limits
from apps.corpus.extraction.errors import CorruptFileError, TooComplexError
from apps.corpus.extraction.grids import GridCell, grid_drafts
from apps.corpus.extraction.headings import heading_level, item_of, looks_like_title
from apps.corpus.extraction.pages import BlockDraft

_BLOCK_NAMES = (
    "address article aside blockquote body caption center dd details div dl dt fieldset figcaption figure footer form "
    "h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section summary table tbody td tfoot th thead tr ul"
)
BLOCKS = frozenset(_BLOCK_NAMES.split())
# ix:header holds the hidden facts of inline XBRL: thousands of values that no page shows.
_UNSEEN_NAMES = (
    "script style head title noscript template svg math object embed iframe select button textarea ix:header"
)
_UNSEEN = frozenset(_UNSEEN_NAMES.split())
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_HIDDEN_STYLE = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?:px|pt|em|%|;|$)", re.IGNORECASE
)
_BOLD_STYLE = re.compile(r"font-weight\s*:\s*(?:bold|[6-9]00)|font\s*:\s*bold", re.IGNORECASE)
_BOLD_TAGS = frozenset({"b", "strong"})
_XML_DECLARATION = re.compile(r"^\s*<\?xml[^>]{0,200}\?>")
_BULLET = re.compile(r"^[•◦▪●■·*\u2013\u2014-]\s+\S|^\(?(?:[a-z]|[ivx]{1,4}|\d{1,2})[.)]\s")
_MAX_DEPTH = 2_048  # libxml2's own
_MAX_COLSPAN = 200
_MAX_ROWSPAN = 100
_MAX_SPANNING = 30  # cells that reach down into one row; each is written once more in every row
_BREAKS = re.compile(r"\n\s*\n")


class HtmlReading:
    """One HTML file being read."""

    def __init__(self, text: str, *, filename: str, limits: Limits) -> None:
        self._filename = filename
        self._limits = limits
        self._root = self._parse(text)
        self._cells = 0
        self.title: str | None = None

    def _parse(self, text: str) -> Any:
        text = _XML_DECLARATION.sub("", text)
        parser = lxml_html.HTMLParser(
            encoding="utf-8", remove_comments=True, remove_pis=True, no_network=True, huge_tree=True
        )
        try:
            root = lxml_html.document_fromstring(text.encode("utf-8", "replace"), parser=parser)
        except (etree.ParserError, etree.XMLSyntaxError, ValueError) as error:
            raise CorruptFileError(filename=self._filename, reason="no readable HTML structure") from error
        # Past its own limit the parser drops the rest of the file and says so only in its log.
        if any(entry.type == etree.ErrorTypes.ERR_RESOURCE_LIMIT for entry in parser.error_log):
            raise TooComplexError(filename=self._filename, what="levels of nesting", limit=_MAX_DEPTH)
        return root

    def drafts(self) -> Iterator[BlockDraft]:
        """Block drafts in document order."""
        title = self._root.find(".//title")
        if title is not None:
            self.title = one_line(title.text_content()) or None
        flow = _Flow()
        last = ""
        for event, element in walk_visible(self._root):
            tag = element.tag
            if event == "table":
                yield from flow.flush()
                drafts = grid_drafts(self._grid(element), caption=flow.last or last)
                last = drafts[-1].text if drafts else last
                yield from (draft for draft in map(_titled, drafts))
                flow.add(element.tail)
            elif event == "start":
                if tag in BLOCKS:
                    yield from flow.flush()
                flow.open(element)
                flow.add(element.text)
            else:
                if tag in BLOCKS:
                    yield from flow.flush()
                flow.close(element)
                flow.add("\n" if tag == "br" else None)
                flow.add(element.tail)
        yield from flow.flush()

    def _grid(self, table: Any) -> list[list[GridCell]]:
        grid: list[list[GridCell]] = []
        for cells in grid_rows(table):
            self._count(len(cells))
            grid.append(cells)
        return grid

    def _count(self, cells: int) -> None:
        self._cells += cells
        if self._cells > self._limits.max_table_cells:
            raise TooComplexError(filename=self._filename, what="table cells", limit=self._limits.max_table_cells)


class _Flow:
    """Running text until its block ends, with how much of it is bold."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._bold_depth = 0
        self._bold_characters = 0
        self._characters = 0
        self._heading = 0
        self._in_list_item = 0
        self.last = ""

    def open(self, element: Any) -> None:
        self._bold_depth += _is_bold(element)
        self._heading = _HEADINGS.get(element.tag, self._heading)
        self._in_list_item += element.tag == "li"

    def close(self, element: Any) -> None:
        self._bold_depth -= _is_bold(element)
        if element.tag in _HEADINGS:
            self._heading = 0
        self._in_list_item -= element.tag == "li"

    def add(self, text: str | None) -> None:
        if text:
            self._parts.append(text)
            printed = len(text.strip())
            self._characters += printed
            self._bold_characters += printed if self._bold_depth else 0

    def flush(self) -> Iterator[BlockDraft]:
        """The blocks gathered so far."""
        bold = self._characters > 0 and self._bold_characters >= 0.9 * self._characters
        parts = _BREAKS.split("".join(self._parts)) if self._characters else []
        self._parts, self._bold_characters, self._characters = [], 0, 0
        for part in parts:
            text = one_line(part)
            if text:
                self.last = text
                yield self._draft(text, bold)

    def _draft(self, text: str, bold: bool) -> BlockDraft:
        if self._heading:
            return BlockDraft(BlockKind.HEADING, text, level=self._heading)
        if self._in_list_item:
            return BlockDraft(BlockKind.LIST_ITEM, text)
        if (bold or item_of(text)) and looks_like_title(text):
            return BlockDraft(BlockKind.HEADING, text, level=heading_level(text))
        if _BULLET.match(text):
            return BlockDraft(BlockKind.LIST_ITEM, text)
        return BlockDraft(BlockKind.PARAGRAPH, text)


def _titled(draft: BlockDraft) -> BlockDraft:
    """Items of a filing are often set in a table of one row: "Item 7." beside its title."""
    if draft.kind is BlockKind.PARAGRAPH and item_of(draft.text) and looks_like_title(draft.text):
        return BlockDraft(BlockKind.HEADING, draft.text, level=heading_level(draft.text))
    return draft


def grid_rows(table: Any) -> Iterator[list[GridCell]]:
    """The cells of each row that are not empty, on their grid columns; cells that span rows are in each of them."""
    spanning: dict[int, tuple[int, GridCell]] = {}
    for row in table.iter("tr"):
        if _is_hidden(row):
            continue
        cells: list[GridCell] = []
        column = 0
        for element in row:
            if element.tag not in ("td", "th"):
                continue
            column = _place_spanning(spanning, cells, column)
            width = _span(element, "colspan", _MAX_COLSPAN)
            height = _span(element, "rowspan", _MAX_ROWSPAN)
            text = "" if _is_hidden(element) else one_line(_visible_text(element))
            cell = GridCell(text, column, width, element.tag == "th", element)
            if text:
                cells.append(cell)
            if height > 1 and len(spanning) < _MAX_SPANNING:
                spanning[column] = (height - 1, cell)
            column += width
        _place_spanning(spanning, cells, column, to_end=True)
        yield cells


def walk_visible(root: Any) -> Iterator[tuple[str, Any]]:
    """Elements as they open and close, without recursion: files nest deeper than Python's stack.

    What no browser shows is left out. A table comes as one event, unless it holds further tables or whole sections.
    """
    stack: list[tuple[Any, bool]] = [(root, False)]
    while stack:
        element, is_open = stack.pop()
        if is_open:
            yield "end", element
            continue
        if not isinstance(element.tag, str) or element.tag in _UNSEEN or _is_hidden(element):
            yield from _tail_of_hidden(element)
            continue
        if element.tag == "table" and next(element.iterdescendants("table"), None) is None:
            yield "table", element
            continue
        yield "start", element
        stack.append((element, True))
        stack.extend((child, False) for child in reversed(element))


def _tail_of_hidden(element: Any) -> Iterator[tuple[str, Any]]:
    """What follows a hidden element is not hidden."""
    if element.tail and element.tail.strip():
        stand_in = etree.Element("span")
        stand_in.tail = element.tail
        yield "end", stand_in


def _visible_text(cell: Any) -> str:
    parts: list[str] = []
    for event, element in walk_visible(cell):
        if event == "start":
            if element.tag in BLOCKS:
                parts.append(" ")
            parts.append(element.text or "")
        elif element is not cell:
            parts.append(" " if element.tag in BLOCKS or element.tag == "br" else "")
            parts.append(element.tail or "")
    return "".join(parts)


def _is_hidden(element: Any) -> bool:
    style = element.get("style")
    return (style is not None and bool(_HIDDEN_STYLE.search(style))) or element.get("hidden") is not None


def _is_bold(element: Any) -> bool:
    style = element.get("style")
    return element.tag in _BOLD_TAGS or (style is not None and bool(_BOLD_STYLE.search(style)))


def _span(element: Any, name: str, limit: int) -> int:
    value = (element.get(name) or "1").strip()
    return min(max(int(value), 1), limit) if value.isascii() and value.isdigit() and len(value) < 9 else 1


def _place_spanning(
    spanning: dict[int, tuple[int, GridCell]], cells: list[GridCell], column: int, *, to_end: bool = False
) -> int:
    """Put cells that reach down from rows above into this row; returns the next free column."""
    for position in sorted(at for at in spanning if at >= column) if to_end else _run_from(spanning, column):
        remaining, cell = spanning[position]
        if cell.text:
            cells.append(cell)
        if remaining > 1:
            spanning[position] = (remaining - 1, cell)
        else:
            del spanning[position]
        column = position + cell.width
    return column


def _run_from(spanning: dict[int, tuple[int, GridCell]], column: int) -> list[int]:
    """Columns of the spanning cells that stand side by side from `column` on."""
    run: list[int] = []
    while column in spanning:
        run.append(column)
        column += spanning[column][1].width
    return run
