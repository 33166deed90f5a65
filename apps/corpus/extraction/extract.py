"""Read any supported file: decide its format, hand it to its reader, put the result on pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from apps.corpus.extraction.contracts import (
    ExtractedDocument,
    ExtractionWarning,
    Limits,
    MediaType,
    Page,
    WarningCode,
    characters_lost,
)
from apps.corpus.extraction.decoding import decode
from apps.corpus.extraction.delimited import DelimitedReading
from apps.corpus.extraction.detection import detect
from apps.corpus.extraction.docx import DocxReading
from apps.corpus.extraction.errors import NoTextError, TooManyPagesError, UnknownEncodingError
from apps.corpus.extraction.html import HtmlReading
from apps.corpus.extraction.json_records import JsonReading
from apps.corpus.extraction.language import detect_language
from apps.corpus.extraction.pages import BlockDraft, logical_pages
from apps.corpus.extraction.pdf import PdfReading
from apps.corpus.extraction.plain import MarkdownReading, text_drafts
from apps.corpus.extraction.record_file import read_record
from apps.corpus.extraction.record_pages import record_pages
from apps.corpus.extraction.rendition import read_rendition
from apps.corpus.extraction.xbrl_instances import is_instance, render_instance

_DEFAULT_LIMITS = Limits()
ALL_PAGES_READ = 0
_REFERENCE = re.compile("&#(?:[xX]0{0,8}([dD][89a-fA-F][0-9a-fA-F]{2})|0{0,8}(5[5-7][0-9]{3}))(?![0-9a-fA-F])")


def _unheard(_: int) -> None:
    """Nobody asked how far the reading is."""


def extract(
    content: bytes,
    *,
    filename: str,
    limits: Limits = _DEFAULT_LIMITS,
    on_page: Callable[[int], None] = _unheard,
    recognises: bool = False,
) -> ExtractedDocument:
    """Turn a file into pages of text. In this process: a file that came from outside goes through apps/corpus/reader.

    Args:    content: the file's bytes; nothing about them is trusted.
             filename: what the uploader calls it. Used for its ending and in messages, never opened.
             on_page: is told the number of each page of a PDF before it is read, and again before its text is
             recognised; and ALL_PAGES_READ after the last.
             recognises: whether the text of a PDF's pages that are pictures is recognised (ocr/).
    Returns: pages in order. In a format without pages they hold about 3,000 characters, so that every citation has
             one. Rows, records and pages that had to be left out are in `warnings`.
    Raises:  ExtractionError: one of its subclasses, for every file that has no readable text.
    """
    media_type = detect(content, filename=filename, limits=limits)
    if media_type is MediaType.PDF:
        pdf = PdfReading(content, filename=filename, limits=limits, on_page=on_page, recognises=recognises)
        pages = tuple(pdf.pages())
        on_page(ALL_PAGES_READ)
        return _document(pages, media_type, filename, title=pdf.title, warnings=pdf.warnings)
    if media_type is MediaType.DOCX:
        word = DocxReading(content, filename=filename, limits=limits)
        pages = _paged(word.drafts(), filename, limits)
        return _document(pages, media_type, filename, title=word.title, warnings=word.warnings)
    if media_type is MediaType.RENDITION:
        pages = tuple(_counted(read_rendition(content, filename=filename), filename, limits))
        removed = ExtractionWarning(
            code=WarningCode.PASSAGES_REMOVED, detail="The file is the remaining text; the original was not kept."
        )
        return _document(pages, media_type, filename, title=None, warnings=[removed])
    if media_type is MediaType.RECORD:
        record = read_record(content, filename=filename)
        pages = tuple(_counted(record_pages(record), filename, limits))
        return _document(pages, media_type, filename, title=record.title, warnings=[])
    return _text_file(content, media_type, filename, limits)


def open_file(content: bytes, *, filename: str, limits: Limits = _DEFAULT_LIMITS) -> int:
    """Open a PDF or a Word document without reading what is in it. In this process, like extract.

    Returns: the number of a PDF's pages; 0 for a format without pages.
    Raises:  what detect raises; EncryptedFileError, TruncatedFileError, CorruptFileError, MacroFileError,
             TooManyPagesError.
    """
    media_type = detect(content, filename=filename, limits=limits)
    if media_type is MediaType.PDF:
        return PdfReading(content, filename=filename, limits=limits, on_page=_unheard).count()
    if media_type is MediaType.DOCX:
        DocxReading(content, filename=filename, limits=limits)
    return 0


def _text_file(content: bytes, media_type: MediaType, filename: str, limits: Limits) -> ExtractedDocument:
    decoded = decode(content)
    warnings: list[ExtractionWarning] = []
    if decoded.wrong:
        raise UnknownEncodingError(filename=filename)
    if not decoded.certain:
        detail = f"read as {decoded.encoding}, because it is not UTF-8"
        warnings.append(ExtractionWarning(code=WarningCode.DECODED_WITH_FALLBACK, detail=detail))
    if decoded.twice:
        detail = "it was saved in a wrong encoding before the upload: each accented letter appears as two characters"
        warnings.append(ExtractionWarning(code=WarningCode.ENCODING_DOUBTFUL, detail=detail))
    lost = decoded.broken + (_halves_in_html(decoded.text) if media_type is MediaType.HTML else 0)
    if lost:
        warnings.append(characters_lost(lost))
    reader: HtmlReading | MarkdownReading | DelimitedReading | JsonReading
    if media_type is MediaType.HTML:
        text = decoded.text
        shown = render_instance(text, filename=filename) if is_instance(text) else text
        reader = HtmlReading(shown, filename=filename, limits=limits)
    elif media_type is MediaType.MARKDOWN:
        reader = MarkdownReading(decoded.text)
    elif media_type is MediaType.CSV:
        reader = DelimitedReading(decoded.text, filename=filename, limits=limits)
    elif media_type is MediaType.JSON:
        reader = JsonReading(decoded.text, filename=filename, limits=limits)
    else:
        pages = _paged(text_drafts(decoded.text), filename, limits)
        return _document(pages, media_type, filename, title=None, warnings=warnings)
    pages = _paged(reader.drafts(), filename, limits)
    warnings.extend(getattr(reader, "warnings", ()))
    title: str | None = getattr(reader, "title", None)
    return _document(pages, media_type, filename, title=title, warnings=warnings)


def _halves_in_html(text: str) -> int:
    """Character references to half of a surrogate pair, which the parser drops."""
    numbers = (int(match[1], 16) if match[1] else int(match[2]) for match in _REFERENCE.finditer(text))
    return sum(0xD800 <= number <= 0xDFFF for number in numbers)


def _paged(drafts: Iterable[BlockDraft], filename: str, limits: Limits) -> tuple[Page, ...]:
    return tuple(_counted(logical_pages(drafts, page_characters=limits.logical_page_characters), filename, limits))


def _counted(pages: Iterator[Page], filename: str, limits: Limits) -> Iterator[Page]:
    for page in pages:
        if page.number > limits.max_pages:
            raise TooManyPagesError(filename=filename, pages=page.number, limit_pages=limits.max_pages)
        yield page


def _document(
    pages: tuple[Page, ...],
    media_type: MediaType,
    filename: str,
    *,
    title: str | None,
    warnings: list[ExtractionWarning],
) -> ExtractedDocument:
    if not any(page.text for page in pages):
        pictures = sum(not page.extracted for page in pages)
        reason = f"{pictures} of {len(pages)} pages are pictures" if pictures else "it contains no text"
        raise NoTextError(filename=filename, reason=reason)
    return ExtractedDocument(
        pages=pages,
        media_type=media_type,
        language=detect_language(page.text for page in pages),
        title=title,
        warnings=tuple(sorted(warnings, key=lambda warning: (warning.page or 0, warning.row or 0))),
    )
