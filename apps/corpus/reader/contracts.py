"""The request to the reading process, and its result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from pydantic import Base64Bytes

from apps.corpus.chunking.contracts import ChunkDraft
from apps.corpus.description import Description
from apps.corpus.extraction.contracts import WORD_PARTS, ExtractionWarning, Limits, Page


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadRequest:
    """A file's name and its known metadata: `given` as `description.describe` takes it, and `language` or "".

    left_empty: the fields of a Description that stay empty, whatever the file says.
    recognises: whether the text of a PDF's pages that are pictures is recognised.
    """

    filename: str
    given: Mapping[str, str | int | date | None] = field(default_factory=dict)
    left_empty: tuple[str, ...] = ()
    language: str = ""
    recognises: bool = False
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage in the form in which it is stored."""

    draft: ChunkDraft
    content_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPosting:
    """The passages that contain a term: three columns of equal length, by passage number; the last is the length of
    each passage in terms."""

    term: str
    chunk_numbers: Sequence[int]
    term_frequencies: Sequence[int]
    chunk_term_counts: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    """derived: the results of registry.py by name, as JSON's types."""

    pages: Sequence[Page]
    children: Sequence[ReadPassage]
    parents: Sequence[ReadPassage]
    postings: Sequence[ReadPosting]
    term_count: int
    media_type: str
    about: Description
    warnings: Sequence[ExtractionWarning]
    derived: Mapping[str, Any] = field(default_factory=dict)


# A box's coordinates are counted in this many parts of the page's width and height.
BOX_PARTS: Final = WORD_PARTS


@dataclass(frozen=True, slots=True, kw_only=True)
class PictureRequest:
    """Which page of a PDF to draw. scale: pixels for each point of 1/72 inch; page: counted from 1."""

    filename: str
    page: int
    scale: int
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True, kw_only=True)
class PagePicture:
    """A page as a PNG image, and where its characters stand.

    width_pt, height_pt: of the page as it is shown, in points.
    text: the page's characters in PDFium's order, at most MOST_CHARACTERS of picture.py.
    boxes: left, top, right and bottom of each of them, in parts (BOX_PARTS) from the upper left corner.
    """

    image: Base64Bytes
    width_pt: float
    height_pt: float
    text: str
    boxes: list[int]
