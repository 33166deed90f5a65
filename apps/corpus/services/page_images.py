"""Show a page of a PDF as an image. Whoever may read the page's text may see it; nothing of it is recorded or stored.

No transaction is open while a page is drawn: the document is found in one, its file read in a second, and the document
looked for again in a third before anything is handed out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from apps.corpus.errors import DocumentNotFoundError, PageNotFoundError, PageWithoutImageError
from apps.corpus.extraction.contracts import MediaType, RecognisedWord
from apps.corpus.extraction.errors import (
    CorruptFileError,
    EncryptedFileError,
    ReaderFailedError,
    TooCostlyError,
)
from apps.corpus.models import Document, Page, SourceFile
from apps.corpus.reader.answers import refusal
from apps.corpus.reader.contracts import PagePicture
from apps.corpus.reader.drawing import picture_contained
from apps.corpus.services.page_image_cache import DrawnPage, forget, keep, keep_error, kept
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

# The whole file is in memory while one of its pages is drawn.
MOST_FILE_BYTES: Final = 64 * 1024 * 1024
# Pixels for each point of 1/72 inch.
SCALES: Final = (1, 2, 3)
SHOWN_SCALE: Final = 2
# What a file is to blame for, and would be again.
_OF_THE_FILE: Final = (CorruptFileError, EncryptedFileError, ReaderFailedError, TooCostlyError)


def page_image(*, document_id: UUID, number: int, scopes: ShortScopes, scale: int = SHOWN_SCALE) -> PagePicture:
    """Return a page's image, drawn now or lately. Opens its own scopes.

    Raises: PermissionDeniedError; DocumentNotFoundError; PageNotFoundError; PageWithoutImageError: it is no page of a
            PDF, or the file is too large; ExtractionError: it can't be drawn; DrawingBusyError.
    """
    with scopes.open() as context:
        context.principal.require(Permission.DOCUMENT_VIEW)
        document = _found(document_id)
        shown = Page.objects.filter(document=document, number=number).only("ocr_words").first()
        if shown is None:
            raise PageNotFoundError(document=document_id, page=number, pages=document.page_count)
    if document.media_type != MediaType.PDF:
        raise PageWithoutImageError(why="only PDF files have pages that can be drawn")
    if document.byte_size > MOST_FILE_BYTES:
        raise PageWithoutImageError(why=f"the file is larger than {MOST_FILE_BYTES // (1024 * 1024)} MiB")
    drawn = DrawnPage(
        tenant_id=document.tenant_id,
        scope_id=document.scope_id,
        document_id=document.id,
        content_sha256=document.content_sha256,
        page=number,
        scale=scale,
    )
    before = kept(drawn)
    if before is not None and not isinstance(before, PagePicture):
        raise _refusal(before, document)
    picture = _draw(drawn, document, scopes) if before is None else before
    return picture if shown.ocr_words is None else with_words(picture, shown.ocr_words)


def with_words(picture: PagePicture, words: Iterable[Sequence[Any]]) -> PagePicture:
    """Return the picture with what was recognised on the page in place of the characters of its file.

    Of a word its place is known, of its characters it is not: they share the word's width equally.

    Args: words: as they are stored, in the form of RecognisedWord.
    """
    text: list[str] = []
    boxes: list[int] = []
    for word in (RecognisedWord(*each) for each in words):
        wide = (word.right - word.left) / max(len(word.text), 1)
        for number, character in enumerate(word.text):
            text.append(character)
            boxes += (round(word.left + number * wide), word.top, round(word.left + (number + 1) * wide), word.bottom)
        text.append(" ")
        boxes += (0, 0, 0, 0)
    return replace(picture, text="".join(text), boxes=boxes)


def _draw(drawn: DrawnPage, document: Document, scopes: ShortScopes) -> PagePicture:
    with scopes.open():
        content = SourceFile.objects.filter(document=document).values_list("content", flat=True).first()
    if content is None:
        raise DocumentNotFoundError(document=document.id)
    try:
        picture = picture_contained(bytes(content), filename=document.filename, page=drawn.page, scale=drawn.scale)
    except _OF_THE_FILE as error:
        keep_error(drawn, {"error": type(error).__name__, "data": {**error.data, "filename": ""}})
        raise
    keep(drawn, picture)
    try:
        with scopes.renewed().open() as context:
            context.principal.require(Permission.DOCUMENT_VIEW)
            _found(document.id)
    except DocumentNotFoundError:
        forget(tenant_id=drawn.tenant_id, document_id=drawn.document_id)
        raise
    return picture


def _found(document_id: UUID) -> Document:
    document: Document | None = Document.objects.filter(id=document_id).first()
    if document is None:
        raise DocumentNotFoundError(document=document_id)
    return document


def _refusal(told: dict[str, Any], document: Document) -> Exception:
    try:
        return refusal(told, document.filename)
    except (KeyError, TypeError, ValueError):
        return ReaderFailedError(filename=document.filename, reason="no answer", place="")
