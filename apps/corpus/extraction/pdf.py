"""Read PDF files page by page with PDFium. Memory stays flat: no page outlives its own turn but as text."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pypdfium2
import pypdfium2.raw as pdfium

from apps.corpus.extraction.cleaning import lost_characters, one_line
from apps.corpus.extraction.contracts import (
    ExtractionWarning,
    Limits,
    Page,
    Recognition,
    WarningCode,
    characters_lost,
)
from apps.corpus.extraction.errors import CorruptFileError, EncryptedFileError, TooManyPagesError, TruncatedFileError
from apps.corpus.extraction.furniture import Furniture
from apps.corpus.extraction.ocr.pages import NO_TEXT, PictureReader
from apps.corpus.extraction.pages import build_page
from apps.corpus.extraction.pdf_grids import Grid, find_grids, take_tables
from apps.corpus.extraction.pdf_layout import PageWriter
from apps.corpus.extraction.pdf_lines import Line, page_text, read_lines
from apps.corpus.extraction.pdf_order import in_rows
from apps.corpus.extraction.pdf_pictures import MIN_CHARACTERS, UndrawableError, draw, is_garbled, is_picture
from apps.corpus.extraction.pdf_rules import read_rules

if TYPE_CHECKING:
    from PIL.Image import Image

# PDFium keeps global state: one call at a time in a process.
_PDFIUM = threading.Lock()
# Pages looked at together, so that running titles are known before the first page is written.
_WINDOW_PAGES = 32
_LINEARIZED_LENGTH = re.compile(rb"/Linearized\b[^>]{0,200}?/L\s+(\d+)")
_TITLE_IS_A_FILE = re.compile(
    r"\.(?:docx?|xlsx?|html?|pdf|indd|qxd)$|^(?:untitled|document\d*|microsoft word.*)$", re.I
)
# Of the words that were recognised, so many as the text layer has show that the layer is no garbage.
_SAME_WORDS = 0.5


@dataclass(slots=True)
class _ReadPage:
    """The lines of a page, the tables that are ruled there, and whether that is all that is printed there.

    picture: the page drawn, with points for each pixel, where its text is to be recognised.
    """

    number: int
    lines: list[Line]
    grids: Sequence[Grid] = ()
    extracted: bool = True
    picture: tuple[Image, float] | None = None
    recognition: Recognition | None = None


class PdfReading:
    """One PDF being read: its pages, its title and what went wrong on the way.

    Args: recognises: whether the text of pages that are pictures is recognised.
    """

    def __init__(
        self,
        content: bytes,
        *,
        filename: str,
        limits: Limits,
        on_page: Callable[[int], None],
        recognises: bool = False,
    ) -> None:
        self._content = content
        self._pictures = PictureReader(is_on=recognises, limits=limits)
        self._on_page = on_page
        self._filename = filename
        self._limits = limits
        self._furniture = Furniture()
        self._writer = PageWriter()
        self._lost: dict[int, int] = {}  # characters by page
        self.warnings: list[ExtractionWarning] = []
        self.title: str | None = None

    def count(self) -> int:
        """Return the number of pages. Raises: what `pages` raises."""
        with self._opened() as (_, count):
            return count

    def pages(self) -> Iterator[Page]:
        """Every page of the file, in order.

        Raises: EncryptedFileError, TruncatedFileError, CorruptFileError, TooManyPagesError.
        """
        with self._opened() as (document, count):
            with _PDFIUM:
                self.title = _title(document)
                self.warnings.extend(_not_read(document))
            for first in range(0, count, _WINDOW_PAGES):
                yield from self._window(document, range(first, min(first + _WINDOW_PAGES, count)))
            if self._lost:
                self.warnings.append(characters_lost(sum(self._lost.values()), page=min(self._lost)))
            self.warnings.extend(self._pictures.warnings())

    @contextmanager
    def _opened(self) -> Iterator[tuple[Any, int]]:
        """Yield the open file and the number of its pages, of which it has at least one."""
        reason = cut_off(self._content)
        if reason:
            raise TruncatedFileError(filename=self._filename, reason=reason)
        with _PDFIUM:
            document = self._open()
        try:
            with _PDFIUM:
                count = len(document)
            if count < 1:
                raise CorruptFileError(filename=self._filename, reason="it has no pages")
            if count > self._limits.max_pages:
                raise TooManyPagesError(filename=self._filename, pages=count, limit_pages=self._limits.max_pages)
            yield document, count
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
        window: list[_ReadPage] = []
        for index in indices:
            self._on_page(index + 1)
            with _PDFIUM:
                read = self._read(document, index)
            if read.picture is not None:
                self._on_page(index + 1)  # the time of a page once more
                self._recognise(read)
            self._furniture.learn(read.lines)
            window.append(read)
        for read in window:
            kept, tables = take_tables(read.lines, self._furniture.without(read.lines), read.grids)
            drafts = self._writer.write(kept, tables)
            yield build_page(read.number, drafts, extracted=read.extracted, recognition=read.recognition)

    def _read(self, document: Any, index: int) -> _ReadPage:
        number = index + 1
        page = pdfium.FPDF_LoadPage(document.raw, index)
        if not page:
            self._warn(WarningCode.PAGE_BROKEN, "the page can't be opened", number)
            return _ReadPage(number, [], extracted=False)
        try:
            text_page = pdfium.FPDFText_LoadPage(page)
            if not text_page:
                self._warn(WarningCode.PAGE_BROKEN, "the page's text can't be read", number)
                return _ReadPage(number, [], extracted=False)
            try:
                text = page_text(text_page, max_characters=self._limits.max_page_characters)
                if pdfium.FPDFText_CountChars(text_page) > self._limits.max_page_characters:
                    detail = f"only the first {self._limits.max_page_characters} characters were read"
                    self._warn(WarningCode.PAGE_CUT, detail, number)
                read, turn = read_lines(page, text_page, text)
                lines = in_rows(read)
                if lost := lost_characters(text):
                    self._lost[number] = lost
            finally:
                pdfium.FPDFText_ClosePage(text_page)
            if sum(len(line.text) for line in lines) < MIN_CHARACTERS and is_picture(page, has_text=bool(lines)):
                return self._drawn(page, _ReadPage(number, lines, extracted=False))
            grids = find_grids(read_rules(page, turn=turn))
            if is_garbled(text) and self._pictures.is_on:
                return self._drawn(page, _ReadPage(number, lines, grids))
            return _ReadPage(number, lines, grids)
        finally:
            pdfium.FPDF_ClosePage(page)

    def _drawn(self, page: Any, read: _ReadPage) -> _ReadPage:
        """Draw a page whose text has to be recognised, unless the limits or the settings forbid it."""
        if self._pictures.may_read(read.number):
            try:
                read.picture = draw(page)
            except UndrawableError as error:
                self._warn(
                    WarningCode.PAGE_NOT_EXTRACTED, f"the page is a picture that was not read: {error}", read.number
                )
        elif not read.extracted:
            self._warn(WarningCode.PAGE_NOT_EXTRACTED, NO_TEXT, read.number)
        return read

    def _recognise(self, read: _ReadPage) -> None:
        """Put what is recognised in place of the text layer; one that says the same, or more, stays."""
        if read.picture is None:
            return
        found = self._pictures.read(read.number, *read.picture)
        read.picture = None
        if isinstance(found, str):
            self._warn(WarningCode.PAGE_NOT_EXTRACTED, found, read.number)
            read.extracted = False
            return
        lines, recognition = found
        layer = {word.text for line in read.lines for word in line.words}
        same = sum(word.text in layer for word in recognition.words)
        if read.extracted and same > _SAME_WORDS * len(recognition.words):
            return
        self._lost.pop(read.number, None)
        read.lines, read.grids, read.extracted, read.recognition = lines, (), True, recognition

    def _warn(self, code: WarningCode, detail: str, page: int) -> None:
        self.warnings.append(ExtractionWarning(code=code, detail=detail, page=page))


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
