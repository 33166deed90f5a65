"""Look up the rows that give a figure asked for, by the facts that were read from a document when it was taken in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import connection

from apps.retrieval.contracts import ChunkId, DocumentId, FoundLine, SearchBounds
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_ROWS_EACH: Final = 2
"""Of a concept and a document: the statement's row, and one more, such as that of a note with further years."""


def find_fact_rows(
    document_ids: Sequence[DocumentId], concepts: Sequence[str], *, within: SearchBounds, most: int
) -> Mapping[ChunkId, tuple[FoundLine, ...]]:
    """Return the rows of these concepts by the passages that hold them, within the same scopes and kinds as the search.

    Whether a document is in force is asked when its passages are loaded.

    Args:    concepts: names of the vocabulary.
             most:     how many rows are returned.
    Costs:   one query.
    """
    if not document_ids or not concepts:
        return {}
    parameters: dict[str, Any] = {
        "tenant": within.tenant_id,
        "scopes": list(within.scope_ids),
        "kinds": [str(kind) for kind in within.kinds],
        "documents": list(document_ids),
        "concepts": list(concepts),
        "each": _ROWS_EACH,
        "most": most,
    }
    found: dict[ChunkId, dict[int, FoundLine]] = {}
    with connection.cursor() as cursor:
        cursor.execute(_SQL["rows"], parameters)
        for concept, start, end, doubt, chunk_id, chunk_start in cursor.fetchall():
            line = FoundLine(item=concept, start=start - chunk_start, end=end - chunk_start, doubt=doubt)
            found.setdefault(ChunkId(chunk_id), {}).setdefault(line.start, line)
    return {chunk_id: tuple(sorted(lines.values(), key=lambda line: line.start)) for chunk_id, lines in found.items()}
