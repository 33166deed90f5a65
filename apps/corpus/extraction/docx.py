"""Read Word documents: headings by style, lists, tables with merged cells, in the order of the body."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Iterator
from typing import Any

import docx
from docx.opc.exceptions import OpcError
from docx.oxml.exceptions import InvalidXmlError
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml import etree

from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.contracts import BlockKind, ExtractionWarning, Limits, WarningCode
from apps.corpus.extraction.errors import CorruptFileError, MacroFileError, TooComplexError
from apps.corpus.extraction.grids import GridCell, grid_drafts
from apps.corpus.extraction.headings import heading_level, item_of, looks_like_title
from apps.corpus.extraction.pages import BlockDraft

_HEADING_STYLE = re.compile(r"^(?:heading|überschrift|berschrift|titre)\s*(\d)$", re.IGNORECASE)
_LIST_STYLE = re.compile(r"list|aufz", re.IGNORECASE)
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"


_NOT_READ = (
    (re.compile(r"^/word/(?:footnotes|endnotes)\d*\.xml$"), "its footnotes"),
    (re.compile(r"^/word/comments\d*\.xml$"), "its comments"),
)
_EMBEDDED = re.compile(r"^/word/embeddings/")
_MACROS = re.compile(r"/vbaProject\.bin$", re.IGNORECASE)
_WORDS = re.compile(rb"<w:t(?: [^>]*)?>[^<]*[^<\s]")


class DocxReading:
    """One Word document being read."""

    def __init__(self, content: bytes, *, filename: str, limits: Limits) -> None:
        self._filename = filename
        self._limits = limits
        self._cells = 0
        self._last = ""
        self._style_names: dict[str | None, str] = {}
        self.title: str | None = None
        self.warnings: list[ExtractionWarning] = []
        try:
            self._document = docx.Document(io.BytesIO(content))
            self.title = one_line(self._document.core_properties.title or "") or None
            self.warnings.extend(_not_read(self._document))
        except (
            OpcError,
            InvalidXmlError,
            zipfile.BadZipFile,
            zlib.error,
            etree.XMLSyntaxError,
            NotImplementedError,  # zipfile's word for a compression method that it does not know
        ) as error:
            raise CorruptFileError(filename=filename, reason="its parts can't be unpacked") from error
        except (KeyError, ValueError, AttributeError, EOFError, OSError, TypeError) as error:
            if "macroEnabled" in str(error):  # python-docx names the content type that it does not take
                raise MacroFileError(filename=filename) from error
            raise CorruptFileError(filename=filename, reason="a part of it is missing or malformed") from error

    def drafts(self) -> Iterator[BlockDraft]:
        """Block drafts in the order of the body.

        Raises: CorruptFileError, TooComplexError.
        """
        try:
            for item in self._document.iter_inner_content():
                drafts = self._table(item) if isinstance(item, Table) else self._paragraph(item)
                for draft in drafts:
                    self._last = draft.text
                    yield draft
        except (KeyError, ValueError, AttributeError, TypeError, OpcError, InvalidXmlError) as error:
            raise CorruptFileError(filename=self._filename, reason="a part of it is missing or malformed") from error

    def _paragraph(self, paragraph: Paragraph) -> list[BlockDraft]:
        text = one_line(_text_of(paragraph._p))
        if not text:
            return []
        style = self._style_name(paragraph)
        match = _HEADING_STYLE.match(style)
        if match:
            return [BlockDraft(BlockKind.HEADING, text, level=int(match.group(1)) or 1)]
        if style.lower() in ("title", "titel"):
            self.title = self.title or text
            return [BlockDraft(BlockKind.HEADING, text, level=1)]
        if _LIST_STYLE.search(style) or _is_numbered(paragraph):
            return [BlockDraft(BlockKind.LIST_ITEM, text)]
        if (item_of(text) or _is_bold(paragraph)) and looks_like_title(text):
            return [BlockDraft(BlockKind.HEADING, text, level=heading_level(text))]
        return [BlockDraft(BlockKind.PARAGRAPH, text)]

    def _table(self, table: Table) -> list[BlockDraft]:
        rows: list[list[GridCell]] = []
        above: dict[int, GridCell] = {}
        for row in table._tbl.tr_lst:
            cells: list[GridCell] = []
            column = row.grid_before
            for element in row.tc_lst:
                self._count()
                width = element.grid_span
                if element.vMerge == "continue" and column in above:
                    cell = above[column]
                else:
                    text = one_line(" ".join(_text_of(part) for part in element.iter(f"{_WORD}p")))
                    cell = GridCell(text, column, width, row.trPr is not None and _marks_header(row))
                above[column] = cell
                if cell.text:
                    cells.append(cell)
                column += width
            rows.append(cells)
        return grid_drafts(rows, caption=self._last)

    def _style_name(self, paragraph: Paragraph) -> str:
        """Looked up once: each look-up goes through all styles of the document."""
        style_id = paragraph._p.style
        if style_id not in self._style_names:
            style = paragraph.style
            self._style_names[style_id] = (style.name or "") if style is not None else ""
        return self._style_names[style_id]

    def _count(self) -> None:
        self._cells += 1
        if self._cells > self._limits.max_table_cells:
            raise TooComplexError(filename=self._filename, what="table cells", limit=self._limits.max_table_cells)


def _not_read(document: Any) -> Iterator[ExtractionWarning]:
    """What a document holds that is neither run nor read with its body."""
    parts = sorted(document.part.package.iter_parts(), key=lambda part: str(part.partname))
    if any(_MACROS.search(str(part.partname)) for part in parts):
        yield ExtractionWarning(
            code=WarningCode.MACROS_IGNORED, detail="it contains macros, which are neither run nor read"
        )
    for pattern, what in _NOT_READ:
        if any(pattern.match(str(part.partname)) and _WORDS.search(part.blob) for part in parts):
            yield ExtractionWarning(code=WarningCode.PART_NOT_READ, detail=f"{what} were not read")
    if any(_EMBEDDED.match(str(part.partname)) for part in parts):
        yield ExtractionWarning(code=WarningCode.PART_NOT_READ, detail="embedded content was not read")


def _text_of(element: Any) -> str:
    """The visible text below a paragraph: hyperlinks and insertions count, deletions and field codes do not."""
    parts: list[str] = []
    for node in element.iter(f"{_WORD}t", f"{_WORD}tab", f"{_WORD}br", f"{_WORD}cr", f"{_WORD}noBreakHyphen"):
        if any(_is_unseen(ancestor) for ancestor in node.iterancestors()):
            continue
        tag = node.tag[len(_WORD) :]
        parts.append(node.text or "" if tag == "t" else "-" if tag == "noBreakHyphen" else " ")
    return "".join(parts)


def _is_unseen(element: Any) -> bool:
    if element.tag in (f"{_WORD}del", f"{_WORD}moveFrom", f"{_WORD}tabs"):
        return True
    return element.tag == f"{_WORD}r" and element.find(f"{_WORD}rPr/{_WORD}vanish") is not None


def _is_numbered(paragraph: Paragraph) -> bool:
    return paragraph._p.find(f"{_WORD}pPr/{_WORD}numPr") is not None


def _is_bold(paragraph: Paragraph) -> bool:
    runs = [run for run in paragraph.runs if run.text.strip()]
    return bool(runs) and all(run.bold for run in runs)


def _marks_header(row: Any) -> bool:
    return row.find(f"{_WORD}trPr/{_WORD}tblHeader") is not None
