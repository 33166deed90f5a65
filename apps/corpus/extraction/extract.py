"""Read any supported file: decide its format, hand it to its reader, put the result on pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from apps.corpus.extraction.contracts import ExtractedDocument, ExtractionWarning, Limits, MediaType, Page, WarningCode
from apps.corpus.extraction.decoding import decode
from apps.corpus.extraction.delimited import DelimitedReading
from apps.corpus.extraction.detection import detect
from apps.corpus.extraction.docx import DocxReading
from apps.corpus.extraction.errors import NoTextError, TooManyPagesError
from apps.corpus.extraction.html import HtmlReading
from apps.corpus.extraction.json_records import JsonReading
from apps.corpus.extraction.language import detect_language
from apps.corpus.extraction.pages import BlockDraft, logical_pages
from apps.corpus.extraction.pdf import PdfReading
from apps.corpus.extraction.plain import MarkdownReading, text_drafts
from apps.corpus.extraction.rendition import read_rendition

_DEFAULT_LIMITS = Limits()


def extract(content: bytes, *, filename: str, limits: Limits = _DEFAULT_LIMITS) -> ExtractedDocument:
    """Turn a file into pages of text.

    Args:    content: the file's bytes; nothing about them is trusted.
             filename: what the uploader calls it. Used for its ending and in messages, never opened.
    Returns: pages in order. In a format without pages they hold about 3,000 characters, so that every citation has
             one. Rows, records and pages that had to be left out are in `warnings`.
    Raises:  ExtractionError: one of its subclasses, for every file that has no readable text.
    """
    media_type = detect(content, filename=filename, limits=limits)
    if media_type is MediaType.PDF:
        pdf = PdfReading(content, filename=filename, limits=limits)
        pages = tuple(pdf.pages())
        return _document(pages, media_type, filename, title=pdf.title, warnings=pdf.warnings)
    if media_type is MediaType.DOCX:
        word = DocxReading(content, filename=filename, limits=limits)
        pages = _paged(word.drafts(), filename, limits)
        return _document(pages, media_type, filename, title=word.title, warnings=[])
    if media_type is MediaType.RENDITION:
        pages = tuple(_counted(read_rendition(content, filename=filename), filename, limits))
        removed = ExtractionWarning(
            code=WarningCode.PASSAGES_REMOVED, detail="Its file is the text that is left; the original was not kept."
        )
        return _document(pages, media_type, filename, title=None, warnings=[removed])
    return _text_file(content, media_type, filename, limits)


def _text_file(content: bytes, media_type: MediaType, filename: str, limits: Limits) -> ExtractedDocument:
    decoded = decode(content)
    warnings: list[ExtractionWarning] = []
    if not decoded.certain:
        detail = f"read as {decoded.encoding}, since it is not UTF-8"
        warnings.append(ExtractionWarning(code=WarningCode.DECODED_WITH_FALLBACK, detail=detail))
    reader: HtmlReading | MarkdownReading | DelimitedReading | JsonReading
    if media_type is MediaType.HTML:
        reader = HtmlReading(decoded.text, filename=filename, limits=limits)
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
        reason = f"{pictures} of {len(pages)} pages are pictures" if pictures else "nothing in it is text"
        raise NoTextError(filename=filename, reason=reason)
    return ExtractedDocument(
        pages=pages,
        media_type=media_type,
        language=detect_language(page.text for page in pages),
        title=title,
        warnings=tuple(sorted(warnings, key=lambda warning: (warning.page or 0, warning.row or 0))),
    )
