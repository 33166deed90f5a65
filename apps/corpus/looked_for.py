"""What a residue scan looks for after a document was removed: a sample of everything that was made from it."""

from __future__ import annotations

from typing import Final

from apps.erasure.contracts import TargetType
from apps.erasure.declarations.looked_for import LookedFor, Made, slices_of
from apps.erasure.registry import register_looked_for

_OF: Final = "WHERE tenant_id = %(tenant)s AND document_id = %(item)s"
# A shorter word occurs in many other documents too, so the scan would drop it.
_LONG_TERM: Final = 6
_QUERIES: Final = (
    (
        Made.TEXT,
        "unnest(ARRAY[title, filename, external_id, slug])",
        "corpus_document WHERE tenant_id = %(tenant)s AND id = %(item)s",
    ),
    (Made.TEXT, "text", f"corpus_page {_OF}"),
    (Made.TEXT, "text", f"corpus_chunk {_OF}"),
    (Made.TERM, "term", f"corpus_posting {_OF} AND length(term) >= {_LONG_TERM}"),
    (Made.ID, "id", f"corpus_chunk {_OF}"),
    (Made.ID, "id", f"corpus_page {_OF}"),
    (Made.VECTOR, "vector", f"corpus_embedding384 {_OF}"),
    (Made.VECTOR, "vector", f"corpus_embedding768 {_OF}"),
    (Made.VECTOR, "vector", f"corpus_embedding1536 {_OF}"),
    (Made.BYTES, slices_of("content"), f"corpus_sourcefile {_OF}"),
)


def register_looked_for_of_documents() -> None:
    register_looked_for(
        *(LookedFor(type=TargetType.DOCUMENT, made=made, value=value, of=of) for made, value, of in _QUERIES)
    )
