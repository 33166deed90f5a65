"""From bytes to everything that is stored about a document: pages, passages and postings. No database, no model."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from apps.corpus.chunking import ChunkDraft, DocumentFacts, chunk_document
from apps.corpus.extraction import ExtractionWarning, Limits, Page, extract
from apps.corpus.kinds import DocumentType
from apps.corpus.models import Chunk, Document
from apps.corpus.services.ingest_errors import NoPassagesError
from apps.corpus.services.ingest_metadata import title_from_filename
from apps.corpus.terms import term_frequencies
from apps.corpus.tokens import wordpiece_counter


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage as it is stored; term_count is 0 for a parent, which is not searched."""

    draft: ChunkDraft
    term_count: int
    content_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPosting:
    """The passages that hold a term: three columns of equal length, by passage number."""

    term: str
    chunk_numbers: Sequence[int]
    term_frequencies: Sequence[int]
    chunk_term_counts: Sequence[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadDocument:
    pages: Sequence[Page]
    children: Sequence[ReadPassage]
    parents: Sequence[ReadPassage]
    postings: Sequence[ReadPosting]
    media_type: str
    language: str
    title: str
    warnings: Sequence[ExtractionWarning]

    @property
    def term_count(self) -> int:
        return sum(passage.term_count for passage in self.children)


def read_file(content: bytes, *, document: Document, limits: Limits | None = None) -> ReadDocument:
    """Extract, cut into passages and count terms.

    Raises: ExtractionError: the file can't be read; NoPassagesError: nothing in it can be searched.
    """
    extracted = extract(content, filename=document.filename, limits=limits or Limits())
    title = document.title
    if extracted.title and title == title_from_filename(document.filename):
        title = extracted.title[:300]
    drafts = chunk_document(extracted, facts=facts_of(document, title=title), count_tokens=wordpiece_counter())
    language = document.language or extracted.language
    counted = {
        draft.number: term_frequencies(searched_text(draft), language) for draft in drafts if not draft.is_parent
    }
    if not counted:
        raise NoPassagesError(filename=document.filename)
    lengths = {number: terms.total() for number, terms in counted.items()}
    passages = [
        ReadPassage(
            draft=draft,
            term_count=lengths.get(draft.number, 0),
            content_sha256=hashlib.sha256(draft.text.encode()).hexdigest(),
        )
        for draft in drafts
    ]
    return ReadDocument(
        pages=extracted.pages,
        children=[passage for passage in passages if not passage.draft.is_parent],
        parents=[passage for passage in passages if passage.draft.is_parent],
        postings=_postings(counted, lengths),
        media_type=extracted.media_type.value,
        language=language,
        title=title,
        warnings=extracted.warnings,
    )


def facts_of(document: Document, *, title: str) -> DocumentFacts:
    """What every passage's header says about its document."""
    known = document.document_type != DocumentType.OTHER
    return DocumentFacts(
        title=title,
        company=document.company,
        period=period_label(document.fiscal_year, document.fiscal_quarter),
        document_type=_TYPE_NAMES.get(document.document_type, document.get_document_type_display()) if known else "",
    )


def period_label(fiscal_year: int | None, fiscal_quarter: int | None) -> str:
    """A fiscal period as people write it: "FY2018", "Q2 FY2023", or nothing."""
    if fiscal_year is None:
        return ""
    return f"Q{fiscal_quarter} FY{fiscal_year}" if fiscal_quarter else f"FY{fiscal_year}"


def searched_text(chunk: Chunk | ChunkDraft) -> str:
    """What is embedded and indexed for a passage: where it comes from, and what it says."""
    return f"{chunk.context_header}\n{chunk.text}" if chunk.context_header else chunk.text


def warnings_as_json(warnings: Sequence[ExtractionWarning]) -> list[dict[str, Any]]:
    return [{key: value for key, value in asdict(warning).items() if value is not None} for warning in warnings]


_TYPE_NAMES = {
    str(DocumentType.FORM_10K): "10-K",
    str(DocumentType.FORM_10Q): "10-Q",
    str(DocumentType.FORM_8K): "8-K",
}


def _postings(counted: dict[int, Counter[str]], lengths: dict[int, int]) -> list[ReadPosting]:
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, terms in counted.items():
        for term, frequency in terms.items():
            found[term].append((number, frequency))
    return [
        ReadPosting(
            term=term,
            chunk_numbers=[number for number, _ in places],
            term_frequencies=[frequency for _, frequency in places],
            chunk_term_counts=[lengths[number] for number, _ in places],
        )
        for term, places in sorted(found.items())
    ]
