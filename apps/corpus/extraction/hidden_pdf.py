"""All texts of a PDF: every string of every object, its metadata, what is attached, and all text that is drawn."""

from __future__ import annotations

import ctypes
import io
from collections.abc import Iterator
from typing import Any, Final

import pypdfium2
from pdfminer.pdfdocument import PDFDocument
from pdfminer.pdfparser import PDFParser
from pdfminer.pdftypes import PDFObjRef, PDFStream
from pdfminer.psparser import PSLiteral
from pdfminer.utils import decode_text
from pypdfium2 import raw as pdfium

from apps.corpus.extraction.errors import CorruptFileError
from apps.corpus.extraction.hidden_docx import printed

_INFO: Final = frozenset(("Title", "Author", "Subject", "Keywords", "Creator", "Producer", "Company", "Manager"))
_FIELD: Final = frozenset(("V", "DV", "TU", "TM", "Opt", "RV"))
_FILE: Final = frozenset(("F", "UF", "Desc"))
_SCRIPT: Final = frozenset(("JS", "URI"))
_TOO_DEEP: Final = 50
_PAGE_CHARACTERS: Final = 1_000_000
# Instead of a part: what could not be searched, and which it is.
UNREAD: Final = "unread"


def pdf_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """Parts (Part) with a text each, and under UNREAD the objects that nobody can read. Raises: CorruptFileError."""
    try:
        document = PDFDocument(PDFParser(io.BytesIO(content)))
        numbers = sorted({number for xref in document.xrefs for number in xref.get_objids()})
    except MemoryError:
        raise
    except Exception as error:
        raise CorruptFileError(filename="", reason="no readable PDF structure") from error
    for info in document.info:
        yield from _strings(info, "properties")
    yield from _strings(document.catalog, "rest")
    for number in numbers:
        try:
            item = document.getobj(number)
        except MemoryError:
            raise  # over the limit of the reading process: the file is named as not searched
        except Exception:  # noqa: BLE001 - whatever an object fails with, it was not searched
            yield UNREAD, f"object {number}"
            continue
        yield from _object(item, number)
    yield from _drawn(content)


def _object(item: Any, number: int) -> Iterator[tuple[str, str]]:
    if not isinstance(item, PDFStream):
        yield from _strings(item, _part(item))
        return
    yield from _strings(item.attrs, _part(item.attrs))
    type_ = _name(item.attrs.get("Type"))
    is_file = type_ == "EmbeddedFile" or _name(item.attrs.get("Subtype")) == "JavaScript"
    if type_ != "Metadata" and not is_file:
        return
    try:
        unpacked = bytes(item.get_data())
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - of a stream that can't be unpacked, what it is
        yield UNREAD, f"object {number}"
        unpacked = bytes(item.rawdata or b"")
    yield ("attachments", printed(unpacked)) if is_file else ("properties", unpacked.decode("utf-8", "replace"))


def _part(item: Any) -> str:
    if not isinstance(item, dict):
        return "rest"
    if "FT" in item or _name(item.get("Subtype")) == "Widget":
        return "fields"
    if _name(item.get("Type")) in ("Filespec", "F") or "EF" in item:
        return "attachments"
    if ("Contents" in item and "Subtype" in item) or _name(item.get("Type")) == "Annot":
        return "comments"
    return "properties" if _INFO & item.keys() and "Parent" not in item else "rest"


def _strings(item: Any, part: str, key: str = "", depth: int = 0) -> Iterator[tuple[str, str]]:
    """The strings in a value that are written there; those of other objects are theirs."""
    if isinstance(item, bytes):
        yield _by_key(key, part), _text(item)
    elif isinstance(item, PSLiteral):
        # A name that an author gave, such as the state of a box; those of the format match nobody.
        yield "attributes", _name(item)
    elif isinstance(item, (dict, list)) and depth < _TOO_DEEP:
        pairs = item.items() if isinstance(item, dict) else ((key, each) for each in item)
        own = _part(item) if isinstance(item, dict) and _part(item) != "rest" else part
        for name, each in pairs:
            if not isinstance(each, PDFObjRef):
                yield from _strings(each, own, str(name), depth + 1)


def _by_key(key: str, part: str) -> str:
    if key in _INFO and part == "rest":
        return "properties"
    if key in _FIELD:
        return "fields"
    if key in _FILE:
        return "attachments"
    return "scripts" if key in _SCRIPT else part


def _text(value: bytes) -> str:
    return decode_text(value) if value.startswith((b"\xfe\xff", b"\xff\xfe")) else _without_mark(value)


def _without_mark(value: bytes) -> str:
    """Most writers mean UTF-8 where it is that, whatever the format says."""
    try:
        return value.decode("utf-8-sig")
    except UnicodeDecodeError:
        return decode_text(value)


def _name(value: Any) -> str:
    name = value.name if isinstance(value, PSLiteral) else ""
    return name if isinstance(name, str) else bytes(name).decode("utf-8", "replace")


def _drawn(content: bytes) -> Iterator[tuple[str, str]]:
    """The text of each page as it is drawn: also what reading leaves out, such as running titles."""
    try:
        document = pypdfium2.PdfDocument(content)
    except pypdfium2.PdfiumError as error:
        raise CorruptFileError(filename="", reason="no readable PDF structure") from error
    try:
        for index in range(len(document)):
            page = pdfium.FPDF_LoadPage(document.raw, index)
            text = _of_page(page) if page else None
            yield (UNREAD, f"page {index + 1}") if text is None else ("rest", text)
            if page:
                pdfium.FPDF_ClosePage(page)
    finally:
        document.close()


def _of_page(page: Any) -> str | None:
    text_page = pdfium.FPDFText_LoadPage(page)
    if not text_page:
        return None
    try:
        count = min(pdfium.FPDFText_CountChars(text_page), _PAGE_CHARACTERS)
        buffer = (ctypes.c_ushort * (count + 1))()
        pdfium.FPDFText_GetText(text_page, 0, count, buffer)
        return bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
    finally:
        pdfium.FPDFText_ClosePage(text_page)
