"""The input and output types of chunking."""

from __future__ import annotations

from dataclasses import dataclass

from apps.corpus.extraction.statements import Statement


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentFacts:
    """What is known of a document as a whole; an empty string where it is not.

    `period` as people write it ("FY2018", "Q2 FY2023"), `document_type` as a label ("10-K").
    """

    title: str = ""
    company: str = ""
    period: str = ""
    document_type: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkDraft:
    """A chunk that is not stored yet.

    Children are numbered 1..n in reading order, parents n+1..n+m; a child that is alone in its parent has none.
    A child lies on one page: `text == page.text[char_start:char_end]`. A parent may span pages: `char_start` counts in
    the text of `page_start`, `char_end` in that of `page_end`, and the pages' parts are joined by a line break.
    `token_count` counts header and text, without the two special tokens of an input. `statements` are those that its
    first page prints.
    """

    number: int
    parent_number: int | None
    is_parent: bool
    text: str
    context_header: str
    page_start: int
    page_end: int
    char_start: int
    char_end: int
    sec_item: str
    section: str
    token_count: int
    statements: tuple[Statement, ...] = ()
