"""Decide from the bytes what a file is, and hold that against what its name claims."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from pathlib import PurePath

from apps.corpus.extraction.contracts import Limits, MediaType
from apps.corpus.extraction.decoding import decode, looks_binary
from apps.corpus.extraction.errors import (
    CorruptFileError,
    EmptyFileError,
    EncryptedFileError,
    FileTooLargeError,
    LyingFileError,
    MacroFileError,
    TruncatedFileError,
    UnknownEncodingError,
    UnpackedTooLargeError,
    UnsupportedFileError,
)
from apps.corpus.extraction.record_file import RECORD_BEGINS
from apps.corpus.extraction.rendition import RENDITION_BEGINS
from apps.corpus.extraction.xbrl_instances import is_instance

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF87a", "a GIF image"),
    (b"GIF89a", "a GIF image"),
    (b"II*\x00", "a TIFF image"),
    (b"MM\x00*", "a TIFF image"),
    (b"RIFF", "a media file"),
    (b"MZ", "a Windows program"),
    (b"\x7fELF", "a program"),
    (b"\xcf\xfa\xed\xfe", "a program"),
    (b"\xca\xfe\xba\xbe", "a program"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive"),
    (b"Rar!", "a RAR archive"),
    (b"BZh", "a bzip2 archive"),
    (b"\xfd7zXZ", "an xz archive"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
    (b"SQLite format 3", "a database"),
    (b"\x00asm", "a program"),
    (b"PAR1", "a Parquet file"),
)
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_PDF_WITHIN = 1024  # readers accept this much in front of "%PDF-"

_EXTENSIONS: dict[str, MediaType] = {
    ".pdf": MediaType.PDF,
    ".htm": MediaType.HTML,
    ".html": MediaType.HTML,
    ".xhtml": MediaType.HTML,
    ".docx": MediaType.DOCX,
    ".md": MediaType.MARKDOWN,
    ".markdown": MediaType.MARKDOWN,
    ".csv": MediaType.CSV,
    ".tsv": MediaType.CSV,
    ".json": MediaType.JSON,
    ".jsonl": MediaType.JSON,
    ".ndjson": MediaType.JSON,
    ".txt": MediaType.TEXT,
    ".text": MediaType.TEXT,
}
_NAMES: dict[MediaType, str] = {
    MediaType.PDF: "a PDF",
    MediaType.HTML: "a web page",
    MediaType.DOCX: "a Word document",
    MediaType.MARKDOWN: "Markdown",
    MediaType.CSV: "a table of values (CSV)",
    MediaType.JSON: "JSON",
    MediaType.TEXT: "text",
    MediaType.RENDITION: "a rendition of a document",
    MediaType.RECORD: "a structured record",
}
_HTML = re.compile(
    r"<!doctype\s+html|<html[\s>]|<head[\s>]|<body[\s>]|<sec-document>|<document>\s*<type>|<ix:header", re.IGNORECASE
)
_TAG = re.compile(r"</?(?:p|div|span|table|tr|td|br|h[1-6]|ul|li|font|b)\b[^<>]*>", re.IGNORECASE)
_JSON_START = re.compile(r"\s*(?:\{\s*(?:\"|\})|\[\s*(?:[\[{\"\]]|-?\d|true|false|null))")
_HTML_WITHIN = 8192
_MIN_TAGS = 3
_TEXT_WITHIN = 1024 * 1024
# Formats that are no text, or in UTF-8 by their own definition.
_NOT_GUESSED = frozenset({MediaType.PDF, MediaType.RENDITION, MediaType.RECORD})


def detect(content: bytes, *, filename: str, limits: Limits) -> MediaType:
    """The format of a file's content, after checking that its name does not claim another.

    Raises: EmptyFileError, FileTooLargeError, LyingFileError, UnsupportedFileError, EncryptedFileError (Office files
            with a password), TruncatedFileError, CorruptFileError, UnpackedTooLargeError (zip containers).
    """
    if not content.strip(b"\x00\t\n\r \xef\xbb\xbf\xff\xfe"):
        raise EmptyFileError(filename=filename)
    if len(content) > limits.max_file_bytes:
        raise FileTooLargeError(filename=filename, size_bytes=len(content), limit_bytes=limits.max_file_bytes)
    claimed = _EXTENSIONS.get(PurePath(filename).suffix.lower())
    if content.startswith(RENDITION_BEGINS):
        return MediaType.RENDITION
    if content.startswith(RECORD_BEGINS):
        return MediaType.RECORD
    if is_pdf(content):
        return _checked(MediaType.PDF, claimed, filename)
    if content.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _checked(_container(content, claimed, filename, limits), claimed, filename)
    if content.startswith(_OLE):
        if _OLE_ENCRYPTED in content:
            raise EncryptedFileError(filename=filename)
        raise _refusal("an old Office document", claimed, filename)
    for magic, name in _MAGIC:
        if content.startswith(magic) and (len(magic) > 2 or looks_binary(content)):
            raise _refusal(name, claimed, filename)
    if looks_binary(content):
        if claimed in (MediaType.PDF, MediaType.DOCX):
            raise CorruptFileError(filename=filename, reason="its first bytes are not those of its format")
        raise _refusal("binary data", claimed, filename)
    return _text_format(decode(content[:_HTML_WITHIN]).text, claimed, filename)


def is_pdf(content: bytes) -> bool:
    return b"%PDF-" in content[:_PDF_WITHIN] and content.lstrip()[:1] not in (b"<", b"{", b"[")


def possible_types(content: bytes, *, filename: str) -> frozenset[MediaType]:
    """What detect can answer for a file of this name, told without looking further than its first bytes."""
    if content.startswith(RENDITION_BEGINS):
        return frozenset({MediaType.RENDITION})
    if content.startswith(RECORD_BEGINS):
        return frozenset({MediaType.RECORD})
    claimed = _EXTENSIONS.get(PurePath(filename).suffix.lower())
    by_content = {MediaType.HTML, MediaType.JSON, MediaType.TEXT}
    if claimed is None:
        return frozenset(by_content | {MediaType.PDF, MediaType.DOCX})
    return frozenset(by_content if claimed is MediaType.TEXT else {claimed})


def require_readable(content: bytes, *, filename: str, limits: Limits) -> MediaType:
    """Refuse at once what no reader would take, by what needs no parser, and return the format.

    A parser runs in a process of its own (reader/opening.py). What only reading tells (pages without text) comes later.

    Raises: what detect raises; UnknownEncodingError; MacroFileError: a Word document of the kind that runs macros.
    """
    media_type = detect(content, filename=filename, limits=limits)
    if media_type is MediaType.DOCX:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            runs_macros = _runs_macros(archive)
        if runs_macros:
            raise MacroFileError(filename=filename)
    elif media_type not in _NOT_GUESSED and decode(content[:_TEXT_WITHIN]).wrong:
        raise UnknownEncodingError(filename=filename)
    return media_type


def _runs_macros(archive: zipfile.ZipFile) -> bool:
    """Whether its own table of contents says so, as a .docm's does, whatever the file is called."""
    try:
        entry = archive.getinfo("[Content_Types].xml")
        return entry.file_size < _TEXT_WITHIN and b"document.macroEnabled" in archive.read(entry)
    except (KeyError, zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError):
        return False  # its reader says what is wrong with it


def _text_format(beginning: str, claimed: MediaType | None, filename: str) -> MediaType:
    """Which of the text formats it is. A name decides between those that any text could be."""
    is_html = (
        bool(_HTML.search(beginning))
        or (beginning.lstrip()[:1] == "<" and len(_TAG.findall(beginning)) >= _MIN_TAGS)
        or is_instance(beginning)  # which is shown as a web page
    )
    if claimed in (MediaType.PDF, MediaType.DOCX):
        detected = "a web page" if is_html else "plain text"
        raise LyingFileError(filename=filename, claimed=_NAMES[claimed], detected=detected)
    if claimed is MediaType.MARKDOWN:
        return claimed
    if is_html and beginning.lstrip()[:1] == "<":
        if claimed in (MediaType.CSV, MediaType.JSON):
            raise LyingFileError(filename=filename, claimed=_NAMES[claimed], detected=_NAMES[MediaType.HTML])
        return MediaType.HTML
    if claimed is not None and claimed is not MediaType.TEXT:
        return claimed
    return MediaType.JSON if _JSON_START.match(beginning) else MediaType.TEXT


def _container(content: bytes, claimed: MediaType | None, filename: str, limits: Limits) -> MediaType:
    """What a zip holds. Sizes are checked from its listing, before anything is unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            entries = archive.infolist()
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
        raise TruncatedFileError(filename=filename, reason="its table of contents is missing") from error
    names = {entry.filename for entry in entries}
    if "word/document.xml" not in names:
        if any(name.startswith("xl/") for name in names):
            raise _refusal("an Excel workbook", claimed, filename)
        if any(name.startswith("ppt/") for name in names):
            raise _refusal("a PowerPoint presentation", claimed, filename)
        raise _refusal("a zip archive", claimed, filename)
    if any(entry.flag_bits & 0x1 for entry in entries):
        raise EncryptedFileError(filename=filename)
    unpacked = sum(entry.file_size for entry in entries)
    packed = max(sum(entry.compress_size for entry in entries), 1)
    limit = min(limits.max_unpacked_bytes, max(packed * limits.max_unpack_ratio, 10_000_000))
    if unpacked > limit:
        raise UnpackedTooLargeError(filename=filename, unpacked_bytes=unpacked, limit_bytes=limit)
    return MediaType.DOCX


def _checked(detected: MediaType, claimed: MediaType | None, filename: str) -> MediaType:
    if claimed is not None and claimed is not detected:
        raise LyingFileError(filename=filename, claimed=_NAMES[claimed], detected=_NAMES[detected])
    return detected


def _refusal(detected: str, claimed: MediaType | None, filename: str) -> LyingFileError | UnsupportedFileError:
    """A file that can't be read is a lie if its name claims a readable format, and unsupported otherwise."""
    if claimed is not None:
        return LyingFileError(filename=filename, claimed=_NAMES[claimed], detected=detected)
    return UnsupportedFileError(filename=filename, detected=detected)
