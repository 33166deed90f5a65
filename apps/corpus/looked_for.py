"""What a residue scan looks for of a document that was removed: a sample of all that was made of it."""

from __future__ import annotations

from typing import Final

from apps.audit.erasure.contracts import TargetType
from apps.audit.erasure.proof.looked_for import LookedFor, Made, register_looked_for, slices_of

_OF: Final = "WHERE tenant_id = %(tenant)s AND document_id = %(item)s"
# A shorter word is in many other documents too, and would be left out again.
_LONG_TERM: Final = 6
_QUERIES: Final = (
    (
        Made.TEXT,
        "SELECT unnest(ARRAY[title, filename, external_id, slug]) AS value FROM corpus_document "
        "WHERE tenant_id = %(tenant)s AND id = %(item)s",
    ),
    (Made.TEXT, f"SELECT text AS value FROM corpus_page {_OF}"),
    (Made.TEXT, f"SELECT text AS value FROM corpus_chunk {_OF}"),
    (Made.TERM, f"SELECT term AS value FROM corpus_posting {_OF} AND length(term) >= {_LONG_TERM}"),
    (Made.ID, f"SELECT id AS value FROM corpus_chunk {_OF}"),
    (Made.ID, f"SELECT id AS value FROM corpus_page {_OF}"),
    (Made.VECTOR, f"SELECT vector::text AS value FROM corpus_embedding384 {_OF}"),
    (Made.VECTOR, f"SELECT vector::text AS value FROM corpus_embedding1536 {_OF}"),
    (Made.BYTES, f"SELECT {slices_of('content')} AS value FROM corpus_sourcefile {_OF}"),
)


def register_looked_for_of_documents() -> None:
    register_looked_for(*(LookedFor(type=TargetType.DOCUMENT, made=made, sql=sql) for made, sql in _QUERIES))
