"""Write a document's pages, passages, postings and vectors, with one INSERT statement per table.

PostgreSQL refuses COPY FROM on tables with row-level security. INSERT ... SELECT FROM unnest() is the fastest
statement that it allows.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import numpy as np
from django.db import connection

from apps.corpus.models import EMBEDDING_MODELS, Document
from apps.corpus.providers.protocol import Vectors
from apps.corpus.reader import ReadDocument, ReadPassage, ReadPosting
from apps.corpus.registry import store_derived
from apps.sql_files import read_statements

_SQL = read_statements(__file__)
_PAGES = _SQL["pages"]
_PARENTS = _SQL["parents"]
_CHILDREN = _SQL["children"]
_POSTINGS = _SQL["postings"]
_VECTORS: Mapping[int, str] = {
    dimension: _SQL["vectors"].replace("corpus_embedding384", model._meta.db_table)
    for dimension, model in EMBEDDING_MODELS.items()
}
_VECTORS_AGAIN: Mapping[int, str] = {
    dimension: _SQL["vectors_again"].replace("corpus_embedding384", model._meta.db_table)
    for dimension, model in EMBEDDING_MODELS.items()
}
_HEADER_CHARS = 500
_SECTION_CHARS = 300
_FORGET_POSTINGS = "DELETE FROM corpus_posting WHERE tenant_id = %s AND scope_id = %s AND document_id = %s"
_FORGET = (
    "DELETE FROM corpus_embedding384 WHERE tenant_id = %s AND scope_id = %s AND document_id = %s",
    "DELETE FROM corpus_embedding768 WHERE tenant_id = %s AND scope_id = %s AND document_id = %s",
    "DELETE FROM corpus_embedding1536 WHERE tenant_id = %s AND scope_id = %s AND document_id = %s",
    "DELETE FROM corpus_chunk WHERE tenant_id = %s AND scope_id = %s AND document_id = %s AND NOT is_parent",
    "DELETE FROM corpus_chunk WHERE tenant_id = %s AND scope_id = %s AND document_id = %s",
    "DELETE FROM corpus_page WHERE tenant_id = %s AND scope_id = %s AND document_id = %s",
)


def store_reading(document: Document, read: ReadDocument) -> None:
    """Replace the rows of an earlier reading with those of this one. Needs an open scope and its transaction."""
    own = [document.tenant_id, document.scope_id, document.id]
    with connection.cursor() as cursor:
        for statement in _FORGET:
            cursor.execute(statement, own)
        cursor.execute(
            _PAGES,
            [
                *own,
                [page.number for page in read.pages],
                [page.text for page in read.pages],
                [page.extracted for page in read.pages],
                [None if page.recognition is None else page.recognition.confidence for page in read.pages],
                [None if page.recognition is None else json.dumps(page.recognition.words) for page in read.pages],
            ],
        )
        cursor.execute(_PARENTS, [*own, document.kind, *_columns(read.parents)])
        cursor.execute(
            _CHILDREN,
            [
                *own,
                document.kind,
                *_columns(read.children),
                [passage.draft.parent_number for passage in read.children],
                *own,
            ],
        )
    store_postings(document, read.postings)
    store_derived(document, read.derived)


def store_postings(document: Document, postings: Sequence[ReadPosting]) -> None:
    """Replace a document's postings. Needs an open scope and its transaction."""
    own = [document.tenant_id, document.scope_id, document.id]
    with connection.cursor() as cursor:
        cursor.execute(_FORGET_POSTINGS, own)
        cursor.execute(
            _POSTINGS,
            [
                *own,
                document.kind,
                [posting.term for posting in postings],
                [_int_array(posting.chunk_numbers) for posting in postings],
                [_int_array(posting.term_frequencies) for posting in postings],
                [_int_array(posting.chunk_term_counts) for posting in postings],
            ],
        )


def store_vectors(document: Document, *, model: str, chunk_ids: Sequence[UUID], vectors: Vectors) -> None:
    """Write one batch of vectors as halfvec; a vector that is stored already stays.

    Args: vectors: (n, d) float32, unit norm, in the order of chunk_ids.
    """
    halves = vectors.astype(np.float16)
    with connection.cursor() as cursor:
        cursor.execute(
            _VECTORS[vectors.shape[1]],
            [
                document.tenant_id,
                document.scope_id,
                document.id,
                document.kind,
                model,
                list(chunk_ids),
                [f"[{','.join(map(str, half.tolist()))}]" for half in halves],
            ],
        )


def reuse_vectors(document: Document, *, model: str, dimension: int) -> None:
    """Copy the vectors of passages that another version of the same file has with the same header and text.

    The copies are the document's own, and go with it; a version that is restricted or erased gives none.
    """
    own: list[Any] = [document.tenant_id, document.scope_id]
    series: list[Any] = [document.series_id, document.id, document.content_sha256, document.id]
    with connection.cursor() as cursor:
        cursor.execute(_VECTORS_AGAIN[dimension], [*own, *series, model])


def _columns(passages: Sequence[ReadPassage]) -> list[list[Any]]:
    drafts = [passage.draft for passage in passages]
    return [
        [draft.number for draft in drafts],
        [draft.text for draft in drafts],
        [draft.context_header[:_HEADER_CHARS] for draft in drafts],
        [draft.page_start for draft in drafts],
        [draft.page_end for draft in drafts],
        [draft.char_start for draft in drafts],
        [draft.char_end for draft in drafts],
        [draft.sec_item for draft in drafts],
        [draft.section[:_SECTION_CHARS] for draft in drafts],
        [draft.token_count for draft in drafts],
        [passage.content_sha256 for passage in passages],
    ]


def _int_array(values: Sequence[int]) -> str:
    return f"{{{','.join(map(str, values))}}}"
