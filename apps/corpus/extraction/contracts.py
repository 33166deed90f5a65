"""What extraction hands on: pages of text cut into blocks, with what went wrong named beside them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple


class MediaType(StrEnum):
    """The formats that can be read."""

    PDF = "application/pdf"
    HTML = "text/html"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    MARKDOWN = "text/markdown"
    CSV = "text/csv"
    JSON = "application/json"
    TEXT = "text/plain"
    RENDITION = "text/vnd.glassbox.rendition"
    RECORD = "application/vnd.glassbox.record+json"


class BlockKind(StrEnum):
    """What a block is on its page. A table group is a line inside a table that has no numbers of its own."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    LIST_ITEM = "list_item"
    TABLE_HEADER = "table_header"
    TABLE_GROUP = "table_group"
    TABLE_ROW = "table_row"
    RECORD = "record"
    CODE = "code"


class WarningCode(StrEnum):
    """What did not stop the file, but should be known about it."""

    PAGE_NOT_EXTRACTED = "page_not_extracted"
    PAGE_BROKEN = "page_broken"
    PAGE_CUT = "page_cut"
    RECOGNITION_OFF = "recognition_off"
    RECOGNITION_LIMITED = "recognition_limited"
    RECOGNITION_DOUBTFUL = "recognition_doubtful"
    ROW_BROKEN = "row_broken"
    RECORD_BROKEN = "record_broken"
    PASSAGES_REMOVED = "passages_removed"
    DECODED_WITH_FALLBACK = "decoded_with_fallback"
    ENCODING_DOUBTFUL = "encoding_doubtful"
    CHARACTERS_LOST = "characters_lost"
    KEY_REPEATED = "key_repeated"
    MACROS_IGNORED = "macros_ignored"
    PART_NOT_READ = "part_not_read"
    MORE_WARNINGS = "more_warnings"


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """One heading, paragraph, list item or table row.

    `text == page.text[char_start:char_end]`. `level` counts from 1 for headings and is 0 elsewhere. `context` is what
    a table row needs besides its own text: the table's caption, unit and the header that all columns share.
    """

    kind: BlockKind
    text: str
    char_start: int
    char_end: int
    level: int = 0
    context: str = ""


class HowPageRead(StrEnum):
    """From what the text of a page comes."""

    TEXT = "text"
    OCR = "ocr"
    NOT_READ = "not_read"


def how_page_read(*, extracted: bool, is_recognised: bool) -> HowPageRead:
    if not extracted:
        return HowPageRead.NOT_READ
    return HowPageRead.OCR if is_recognised else HowPageRead.TEXT


# A word's place is counted in this many parts of the page's width and height.
WORD_PARTS: Final = 10_000


class RecognisedWord(NamedTuple):
    """A word that was recognised, and where it stands on the page as shown, in parts from the upper left corner."""

    text: str
    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """That a page's text was recognised in a picture of it. confidence: 0 to 1, the mean over its characters."""

    confidence: float
    words: tuple[RecognisedWord, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """One page: a PDF's own, or about 3,000 characters of a format that has none.

    Its text is the authority for quotes. `extracted` is False where something is printed that could not be read.
    `recognition` is None unless the text was recognised in a picture.
    """

    number: int
    text: str
    blocks: tuple[Block, ...]
    extracted: bool = True
    recognition: Recognition | None = None

    @property
    def how_read(self) -> HowPageRead:
        return how_page_read(extracted=self.extracted, is_recognised=self.recognition is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractionWarning:
    """Something that was left out, and where: the page or the row (both count from 1)."""

    code: WarningCode
    detail: str
    page: int | None = None
    row: int | None = None


def characters_lost(count: int, *, page: int | None = None) -> ExtractionWarning:
    """That characters of a file are no characters. Args: page: the first where that is so."""
    said = "1 character can't be read, and was" if count == 1 else f"{count} characters can't be read, and were"
    return ExtractionWarning(
        code=WarningCode.CHARACTERS_LOST,
        detail=f"{said} left out{' from here on' if page and count > 1 else ''}",
        page=page,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractedDocument:
    """A file as text. `language` is "en", "de" or "" where it could not be told."""

    pages: tuple[Page, ...]
    media_type: MediaType
    language: str
    title: str | None
    warnings: tuple[ExtractionWarning, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a file may cost us. Every limit ends in an error that names it, never in a silent cut."""

    max_file_bytes: int = 100 * 1024 * 1024
    max_pages: int = 5_000
    max_page_characters: int = 400_000
    max_unpacked_bytes: int = 400 * 1024 * 1024
    max_unpack_ratio: int = 200
    max_json_depth: int = 64
    max_table_cells: int = 2_000_000
    max_warnings: int = 500
    logical_page_characters: int = 3_000
    # Of the process that reads it (apps/corpus/reader). The ratios are to the size of the file.
    max_seconds: int = 120
    max_seconds_per_mebibyte: int = 30
    max_page_seconds: int = 30
    # Of text recognition (ocr/), which reads pages that are pictures: pages of a file, seconds for all and for one.
    max_recognised_pages: int = 200
    max_recognition_seconds: int = 600
    max_recognition_page_seconds: int = 15
    max_memory_bytes: int = 1024 * 1024 * 1024
    max_memory_ratio: int = 40
    max_output_bytes: int = 32 * 1024 * 1024
    max_output_ratio: int = 60
