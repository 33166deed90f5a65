"""Turn a file's bytes into the pages, passages and postings that are stored. Uses no database and no model."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Protocol

from apps.corpus.chunking import ChunkDraft, chunk_document
from apps.corpus.description import describe, without
from apps.corpus.errors import NoPassagesError
from apps.corpus.extraction import extract
from apps.corpus.reader.contracts import ReadDocument, ReadPassage, ReadPosting, ReadRequest
from apps.corpus.registry import derive_all
from apps.corpus.terms import statement_term, term_frequencies
from apps.corpus.tokens import wordpiece_counter


class Passage(Protocol):
    """A stored passage or a draft of one."""

    @property
    def context_header(self) -> str: ...

    @property
    def text(self) -> str: ...


def read_document(content: bytes, request: ReadRequest, on_page: Callable[[int], None]) -> ReadDocument:
    """Extract, describe, chunk and count terms.

    Args:   on_page: called with the number of each page before it is read, if the format has pages.
    Raises: ExtractionError: the file can't be read; NoPassagesError: nothing in it can be searched;
            InvalidFieldError: what is stored about the document can't be understood.
    """
    extracted = extract(
        content,
        filename=request.filename,
        limits=request.limits,
        on_page=on_page,
        recognises=request.recognises,
    )
    about = describe(extracted, filename=request.filename, given=request.given)
    about = without(about, request.left_empty)
    drafts = chunk_document(extracted, facts=about.facts, count_tokens=wordpiece_counter())
    language = request.language or about.language
    counted = {draft.number: counted_terms(draft, language) for draft in drafts if not draft.is_parent}
    if not counted:
        raise NoPassagesError(filename=request.filename)
    passages = [
        ReadPassage(draft=draft, content_sha256=hashlib.sha256(draft.text.encode()).hexdigest()) for draft in drafts
    ]
    derived, not_derived = derive_all(content, extracted, about, language)
    return ReadDocument(
        pages=extracted.pages,
        children=[passage for passage in passages if not passage.draft.is_parent],
        parents=[passage for passage in passages if passage.draft.is_parent],
        postings=packed(counted),
        term_count=sum(terms.total() for terms in counted.values()),
        media_type=extracted.media_type.value,
        about=about,
        warnings=(*extracted.warnings, *not_derived),
        derived=derived,
    )


def searched_text(passage: Passage) -> str:
    """Return the text that is embedded and indexed for a passage: its context header and its text."""
    return f"{passage.context_header}\n{passage.text}" if passage.context_header else passage.text


def counted_terms(draft: ChunkDraft, language: str) -> Counter[str]:
    """Return a passage's terms, and one for each financial statement that its page prints (`statement_term`)."""
    counted = term_frequencies(searched_text(draft), language)
    counted.update(statement_term(statement.value) for statement in draft.statements)
    return counted


def packed(counted: Mapping[int, Counter[str]]) -> list[ReadPosting]:
    """Return the postings of a document, sorted by term.

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
