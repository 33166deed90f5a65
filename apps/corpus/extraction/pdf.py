"""Read PDF files page by page with PDFium. Memory stays flat: no page outlives its own turn but as text."""

from __future__ import annotations

import ctypes
import re
import threading
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from apps.corpus.extraction.cleaning import one_line
from apps.corpus.extraction.contracts import ExtractionWarning, Limits, Page, WarningCode
from apps.corpus.extraction.errors import CorruptFileError, EncryptedFileError, TooManyPagesError, TruncatedFileError
from apps.corpus.extraction.furniture import Furniture
from apps.corpus.extraction.pages import build_page
from apps.corpus.extraction.pdf_layout import PageWriter
from apps.corpus.extraction.pdf_lines import Line, read_lines
from apps.corpus.extraction.pdf_order import in_rows

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

    def __init__(self, content: bytes, *, filename: str, limits: Limits) -> None:
        self._content = content
        self._filename = filename
        self._limits = limits
        self._furniture = Furniture()
        self._writer = PageWriter()
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
            if count < 1:
                raise CorruptFileError(filename=self._filename, reason="it has no pages")
            if count > self._limits.max_pages:
                raise TooManyPagesError(filename=self._filename, pages=count, limit_pages=self._limits.max_pages)
            for first in range(0, count, _WINDOW_PAGES):
                yield from self._window(document, range(first, min(first + _WINDOW_PAGES, count)))
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
        window: list[tuple[int, list[Line], bool]] = []
        for index in indices:
            with _PDFIUM:
                lines, extracted = self._read(document, index)
            self._furniture.learn(lines)
            window.append((index + 1, lines, extracted))
        for number, lines, extracted in window:
            yield build_page(number, self._writer.write(self._furniture.without(lines)), extracted=extracted)

    def _read(self, document: Any, index: int) -> tuple[list[Line], bool]:
        """The lines of one page, and whether they are all that is printed there."""
        page = pdfium.FPDF_LoadPage(document.raw, index)
        if not page:
            self._warn(WarningCode.PAGE_BROKEN, "the page can't be opened", index)
            return [], False
        try:
            text_page = pdfium.FPDFText_LoadPage(page)
            if not text_page:
                self._warn(WarningCode.PAGE_BROKEN, "the page's text can't be read", index)
                return [], False
            try:
                if pdfium.FPDFText_CountChars(text_page) > self._limits.max_page_characters:
                    detail = f"only the first {self._limits.max_page_characters} characters were read"
                    self._warn(WarningCode.PAGE_CUT, detail, index)
                lines = in_rows(read_lines(page, text_page, max_characters=self._limits.max_page_characters))
            finally:
                pdfium.FPDFText_ClosePage(text_page)
            if sum(len(line.text) for line in lines) < _MIN_CHARACTERS and _is_picture(page, bool(lines)):
                self._warn(WarningCode.PAGE_NOT_EXTRACTED, "the page is a picture without text", index)
                return lines, False
            return lines, True
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
        return "it goes on after its last end marker"
    return ""


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
