"""Everything in a file that can hold text and that its pages don't show: for the search for a person alone.

No list of places to look at, which would have gaps, but all of the file: every string of every object of a PDF, every
element and attribute of a Word document or a web page, every line of a text. What its pages show is left out again.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from apps.corpus.extraction.contracts import Limits, MediaType
from apps.corpus.extraction.decoding import decode
from apps.corpus.extraction.detection import detect
from apps.corpus.extraction.errors import ExtractionError
from apps.corpus.extraction.extract import extract
from apps.corpus.extraction.hidden_docx import docx_texts
from apps.corpus.extraction.hidden_html import html_texts
from apps.corpus.extraction.hidden_pdf import UNREAD, pdf_texts
from apps.corpus.extraction.record_file import exact_json, texts_of
from apps.corpus.extraction.rendition import rendition_cells
from config.strict_json import InvalidJsonError


class Part(StrEnum):
    """What of a file it is. The places of an inventory are named by it."""

    PROPERTIES = "properties"
    COMMENTS = "comments"
    FIELDS = "fields"
    ATTACHMENTS = "attachments"
    MARGINS = "margins"
    NOTES = "notes"
    CHANGES = "changes"
    AUTHORS = "authors"
    ATTRIBUTES = "attributes"
    SCRIPTS = "scripts"
    REST = "rest"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HiddenText:
    """All texts of one part, a line or more each."""

    part: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class HiddenTexts:
    """unread: what of the file could not be read, such as an object of a PDF: it was not searched."""

    texts: tuple[HiddenText, ...]
    unread: tuple[str, ...] = ()


_ESCAPED: Final = re.compile(r"\\u([0-9a-fA-F]{4})|\\([\"\\/])|\\[nrtbf]")
_NOT_COMPARED: Final = re.compile(r"[\W_]+")


def hidden_texts(content: bytes, *, filename: str, limits: Limits, on_page: Callable[[int], None]) -> HiddenTexts:
    """What is in the file beside what its pages show, by part.

    Raises: ExtractionError: its bytes can't be taken apart. A file of which nothing can be shown, such as one of
            pictures, is not refused: what else is in it may name somebody.
    """
    media_type = detect(content, filename=filename, limits=limits)
    shown = _shown(content, filename, limits, on_page)
    reader = _READERS.get(media_type, _raw_texts)
    by_part: dict[str, dict[str, None]] = defaultdict(dict)
    unread: list[str] = []
    for part, text in reader(content):
        if part == UNREAD:
            unread.append(text)
            continue
        for line in text.splitlines():
            plain = line.strip()
            if plain and not (part == Part.REST and _compared(plain) in shown):
                by_part[part].setdefault(plain)
    texts = [HiddenText(part=part, text="\n".join(lines)) for part, lines in sorted(by_part.items())]
    return HiddenTexts(texts=tuple(texts), unread=tuple(unread))


def _shown(content: bytes, filename: str, limits: Limits, on_page: Callable[[int], None]) -> str:
    """The letters and digits of all pages. A line that stands there is no hidden one."""
    try:
        document = extract(content, filename=filename, limits=limits, on_page=on_page)
    except ExtractionError:
        return ""
    return "\n".join(_compared(page.text) for page in document.pages)


def _compared(text: str) -> str:
    return _NOT_COMPARED.sub("", text).casefold()


def _raw_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """A text file as it is, and with the characters that JSON escapes."""
    yield from _plain_and_unescaped(decode(content).text)


def _rendition_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """Cell by cell: a line has a block's kind and level before its text, so it would never be one that a page shows."""
    for cell in rendition_cells(decode(content).text):
        yield from _plain_and_unescaped(cell)


def _record_texts(content: bytes) -> Iterator[tuple[str, str]]:
    """Name by name and value by value: the file is one line, which no page shows as it is."""
    try:
        yield from ((Part.REST, text) for text in texts_of(exact_json(content)))
    except InvalidJsonError:
        yield from _raw_texts(content)


def _plain_and_unescaped(text: str) -> Iterator[tuple[str, str]]:
    yield Part.REST, text
    if "\\" in text:
        yield Part.REST, _ESCAPED.sub(_unescaped, text)


def _unescaped(match: re.Match[str]) -> str:
    if match[1]:
        return chr(int(match[1], 16))
    return match[2] or " "


_READERS: Final[dict[MediaType, Callable[[bytes], Iterable[tuple[str, str]]]]] = {
    MediaType.PDF: pdf_texts,
    MediaType.DOCX: docx_texts,
    MediaType.HTML: html_texts,
    MediaType.RENDITION: _rendition_texts,
    MediaType.RECORD: _record_texts,
}
