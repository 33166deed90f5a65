"""From bytes to everything that is stored about a document: pages, passages and postings. No database, no model."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from apps.corpus.chunking import ChunkDraft, chunk_document
from apps.corpus.description import Description
from apps.corpus.extraction import ExtractionWarning, Limits, Page, extract
from apps.corpus.models import Chunk, Document
from apps.corpus.services.ingest_errors import NoPassagesError
from apps.corpus.services.ingest_metadata import describe_stored
from apps.corpus.terms import statement_term, term_frequencies
from apps.corpus.tokens import wordpiece_counter


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPassage:
    """A passage as it is stored."""

    draft: ChunkDraft
    content_sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadPosting:
    """The passages that hold a term: three columns of equal length, by passage number; the last is their length in
    terms."""

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
    term_count: int
    media_type: str
    about: Description
    warnings: Sequence[ExtractionWarning]


def read_file(content: bytes, *, document: Document, limits: Limits | None = None) -> ReadDocument:
    """Extract, describe, cut into passages and count terms. The document itself is not changed.

    Raises: ExtractionError: the file can't be read; NoPassagesError: nothing in it can be searched;
            InvalidFieldError: what is stored about the document can't be understood.
    """
    extracted = extract(content, filename=document.filename, limits=limits or Limits())
    about = describe_stored(document, extracted)
    drafts = chunk_document(extracted, facts=about.facts, count_tokens=wordpiece_counter())
    language = document.language or about.language
    counted = {draft.number: counted_terms(draft, language) for draft in drafts if not draft.is_parent}
    if not counted:
        raise NoPassagesError(filename=document.filename)
    passages = [
        ReadPassage(draft=draft, content_sha256=hashlib.sha256(draft.text.encode()).hexdigest()) for draft in drafts
    ]
    return ReadDocument(
        pages=extracted.pages,
        children=[passage for passage in passages if not passage.draft.is_parent],
        parents=[passage for passage in passages if passage.draft.is_parent],
        postings=packed(counted),
        term_count=sum(terms.total() for terms in counted.values()),
        media_type=extracted.media_type.value,
        about=about,
        warnings=extracted.warnings,
    )


def searched_text(chunk: Chunk | ChunkDraft) -> str:
    """What is embedded and indexed for a passage: where it comes from, and what it says."""
    return f"{chunk.context_header}\n{chunk.text}" if chunk.context_header else chunk.text


def counted_terms(draft: ChunkDraft, language: str) -> Counter[str]:
    """The terms of a passage, and one for each financial statement that its page prints (`statement_term`)."""
    counted = term_frequencies(searched_text(draft), language)
    counted.update(statement_term(statement.value) for statement in draft.statements)
    return counted


def packed(counted: Mapping[int, Counter[str]]) -> list[ReadPosting]:
    """The postings of a document, by term.

    Args: counted: the terms of each passage that is searched, by its number.
    """
    lengths = {number: terms.total() for number, terms in counted.items()}
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


def warnings_of(read: ReadDocument) -> list[dict[str, Any]]:
    """What a person should know about the document, as it is stored: what was left out, and what contradicts."""
    left_out = ({key: value for key, value in asdict(each).items() if value is not None} for each in read.warnings)
    contradictions = (
        {"code": "metadata_contradicts", "detail": f"{each.field}: {each.detail}."} for each in read.about.warnings
    )
    return [*left_out, *contradictions]
