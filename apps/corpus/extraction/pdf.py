"""Read PDF files page by page with PDFium. Memory stays flat: no page outlives its own turn but as text."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from apps.corpus.extraction.cleaning import lost_characters, one_line
from apps.corpus.extraction.contracts import (
    ExtractionWarning,
    Limits,
    Page,
    WarningCode,
    characters_lost,
)
from apps.corpus.extraction.errors import CorruptFileError, EncryptedFileError, TooManyPagesError, TruncatedFileError
from apps.corpus.extraction.furniture import Furniture
from apps.corpus.extraction.pages import build_page
from apps.corpus.extraction.pdf_grids import Grid, find_grids, take_tables
from apps.corpus.extraction.pdf_layout import PageWriter
from apps.corpus.extraction.pdf_lines import Line, page_text, read_lines
from apps.corpus.extraction.pdf_order import in_rows
from apps.corpus.extraction.pdf_rules import read_rules

# PDFium keeps global state: one call at a time in a process.
_PDFIUM = threading.Lock()
# Pages looked at together, so that running titles are known before the first page is written.
_WINDOW_PAGES = 32
_MIN_CHARACTERS = 24  # fewer, beside a picture that fills the page: a scan with a stamp
_PICTURE_SHARE = 0.5  # of the page
_MAX_OBJECTS_LOOKED_AT = 200
_LINEARIZED_LENGTH = re.compile(rb"/Linearized\b[^>]{0,200}?/L\s+(\d+)")
_TITLE_IS_A_FILE = re.compile(
    r"\.(?:docx?|xlsx?|html?|pdf|indd|qxd)$|^(?:untitled|document\d*|microsoft word.*)$", re.I
)


class PdfReading:
    """One PDF being read: its pages, its title and what went wrong on the way."""

    def __init__(self, content: bytes, *, filename: str, limits: Limits, on_page: Callable[[int], None]) -> None:
        self._content = content
        self._on_page = on_page
        self._filename = filename
        self._limits = limits
        self._furniture = Furniture()
        self._writer = PageWriter()
        self._lost: dict[int, int] = {}  # characters by page
        self.warnings: list[ExtractionWarning] = []
        self.title: str | None = None

    def pages(self) -> Iterator[Page]:
        """Every page of the file, in order.

        Raises: EncryptedFileError, TruncatedFileError, CorruptFileError, TooManyPagesError.
        """
        reason = cut_off(self._content)
        if reason:
            raise TruncatedFileError(filename=self._filename, reason=reason)
        with _PDFIUM:
            document = self._open()
        try:
            with _PDFIUM:
                count = len(document)
                self.title = _title(document)
                self.warnings.extend(_not_read(document))
            if count < 1:
                raise CorruptFileError(filename=self._filename, reason="it has no pages")
            if count > self._limits.max_pages:
                raise TooManyPagesError(filename=self._filename, pages=count, limit_pages=self._limits.max_pages)
            for first in range(0, count, _WINDOW_PAGES):
                yield from self._window(document, range(first, min(first + _WINDOW_PAGES, count)))
            if self._lost:
                self.warnings.append(characters_lost(sum(self._lost.values()), page=min(self._lost)))
        finally:
            with _PDFIUM:
                document.close()

    def _open(self) -> Any:
        try:
            return pypdfium2.PdfDocument(self._content)
        except pypdfium2.PdfiumError as error:
            if error.err_code in (pdfium.FPDF_ERR_PASSWORD, pdfium.FPDF_ERR_SECURITY):
                raise EncryptedFileError(filename=self._filename) from error
            raise CorruptFileError(filename=self._filename, reason="no readable PDF structure") from error

    def _window(self, document: Any, indices: range) -> Iterator[Page]:
        window: list[tuple[int, list[Line], list[Grid], bool]] = []
        for index in indices:
            self._on_page(index + 1)
            with _PDFIUM:
                lines, grids, extracted = self._read(document, index)
            self._furniture.learn(lines)
            window.append((index + 1, lines, grids, extracted))
        for number, lines, grids, extracted in window:
            kept, tables = take_tables(lines, self._furniture.without(lines), grids)
            yield build_page(number, self._writer.write(kept, tables), extracted=extracted)

    def _read(self, document: Any, index: int) -> tuple[list[Line], list[Grid], bool]:
        """The lines of one page, the tables that are ruled there, and whether that is all that is printed there."""
        page = pdfium.FPDF_LoadPage(document.raw, index)
        if not page:
            self._warn(WarningCode.PAGE_BROKEN, "the page can't be opened", index)
            return [], [], False
        try:
            text_page = pdfium.FPDFText_LoadPage(page)
            if not text_page:
                self._warn(WarningCode.PAGE_BROKEN, "the page's text can't be read", index)
                return [], [], False
            try:
                text = page_text(text_page, max_characters=self._limits.max_page_characters)
                if pdfium.FPDFText_CountChars(text_page) > self._limits.max_page_characters:
                    detail = f"only the first {self._limits.max_page_characters} characters were read"
                    self._warn(WarningCode.PAGE_CUT, detail, index)
                read, turn = read_lines(page, text_page, text)
                lines = in_rows(read)
                if lost := lost_characters(text):
                    self._lost[index + 1] = lost
            finally:
                pdfium.FPDFText_ClosePage(text_page)
            if sum(len(line.text) for line in lines) < _MIN_CHARACTERS and _is_picture(page, bool(lines)):
                self._warn(WarningCode.PAGE_NOT_EXTRACTED, "the page is a picture without text", index)
                return lines, [], False
            return lines, find_grids(read_rules(page, turn=turn)), True
        finally:
            pdfium.FPDF_ClosePage(page)

    def _warn(self, code: WarningCode, detail: str, index: int) -> None:
        self.warnings.append(ExtractionWarning(code=code, detail=detail, page=index + 1))


def cut_off(content: bytes) -> str:
    """Why a PDF must be a part of a longer file, or "".

    PDFium repairs such files and silently yields the pages it finds, so this has to be asked before.
    """
    length = _LINEARIZED_LENGTH.search(content[:2048])
    if length and int(length.group(1)) > len(content):
        return f"{len(content)} bytes of {int(length.group(1))}"
    end = content.rfind(b"%%EOF")
    if end < 0:
        return "its end marker is missing"
    if b" obj" in content[end : end + 1_000_000]:
        return "it continues after its last end marker"
    return ""


def _not_read(document: Any) -> Iterator[ExtractionWarning]:
    """What a file holds that is neither run nor a part of its pages."""
    if pdfium.FPDFDoc_GetJavaScriptActionCount(document.raw) > 0:
        yield ExtractionWarning(code=WarningCode.MACROS_IGNORED, detail="it contains scripts, which are not run")
    attached = pdfium.FPDFDoc_GetAttachmentCount(document.raw)
    if attached > 0:
        files = (
            "a file is attached to it, which was"
            if attached == 1
            else f"{attached} files are attached to it, which were"
        )
        yield ExtractionWarning(code=WarningCode.PART_NOT_READ, detail=f"{files} not read")


def _title(document: Any) -> str | None:
    title = one_line(document.get_metadata_value("Title"))
    if len(title) < 4 or len(title) > 200 or _TITLE_IS_A_FILE.search(title):
        return None
    return title


def _is_picture(page: Any, has_text: bool) -> bool:
    """Does the page show something that is not text? Any drawing counts on a page without any text."""
    count = min(pdfium.FPDFPage_CountObjects(page), _MAX_OBJECTS_LOOKED_AT)
    area = pdfium.FPDF_GetPageWidthF(page) * pdfium.FPDF_GetPageHeightF(page)
    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    for index in range(count):
        item = pdfium.FPDFPage_GetObject(page, index)
        kind = pdfium.FPDFPageObj_GetType(item)
        if kind in (pdfium.FPDF_PAGEOBJ_IMAGE, pdfium.FPDF_PAGEOBJ_FORM) and pdfium.FPDFPageObj_GetBounds(
            item, ctypes.byref(left), ctypes.byref(bottom), ctypes.byref(right), ctypes.byref(top)
        ):
            share = (right.value - left.value) * (top.value - bottom.value) / area if area else 0.0
            if not has_text or share > _PICTURE_SHARE:
                return True
    return False
