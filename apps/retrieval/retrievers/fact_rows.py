"""Look up the rows that give a figure asked for, by the facts that were read from a document when it was taken in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.db import connection

from apps.retrieval.contracts import AskedFigures, ChunkId, DocumentId, FactCell, FoundLine, SearchBounds
from apps.retrieval.retrievers.row_choice import FactRow, choose_rows
from apps.sql_files import read_statements

_SQL: Final = read_statements(__file__)
_MOST_ROWS_READ: Final = 10_000
"""Some ten long reports. Of what is beyond, no row is found by this way; the ranking may still find its passage."""


def find_fact_rows(
    document_ids: Sequence[DocumentId], asked: AskedFigures, *, within: SearchBounds, most: int
) -> Mapping[ChunkId, tuple[FoundLine, ...]]:
    """Return the rows that give what is asked for, by the passages that hold them.

    The scopes and kinds are those of the search. Whether a document is in force is asked when its passages are loaded.

    Args:    most: how many rows are returned.
    Costs:   two queries; one if there is no such row.
    """
    if not document_ids or not (asked.concepts or asked.words):
        return {}
    gates: dict[str, Any] = {
        "tenant": within.tenant_id,
        "scopes": list(within.scope_ids),
        "kinds": [str(kind) for kind in within.kinds],
    }
    with connection.cursor() as cursor:
        cursor.execute(_SQL["rows"], {**gates, "documents": list(document_ids), "most": _MOST_ROWS_READ})
        rows = choose_rows([FactRow(*each) for each in cursor.fetchall()], asked)[:most]
        if not rows:
            return {}
        places: dict[str, Any] = {
            "documents": [row.document_id for row in rows],
            "pages": [row.page for row in rows],
            "starts": [row.start for row in rows],
            "ends": [row.end for row in rows],
        }
        cursor.execute(_SQL["chunks"], {**gates, **places})
        found: dict[ChunkId, dict[int, FoundLine]] = {}
        for place, chunk_id, chunk_start in cursor.fetchall():
            row = rows[place - 1]
            item = row.concept if row.concept in asked.concepts else ""
            line = FoundLine(item=item, start=row.start - chunk_start, end=row.end - chunk_start, doubt=row.doubt)
            found.setdefault(ChunkId(chunk_id), {}).setdefault(line.start, line)
    return {chunk_id: tuple(sorted(lines.values(), key=lambda line: line.start)) for chunk_id, lines in found.items()}


def find_fact_cells(chunk_ids: Sequence[ChunkId], *, within: SearchBounds) -> Mapping[ChunkId, tuple[FactCell, ...]]:
    """Return the figures of passages that are facts, in the order of the text. Omit a passage without any.

    Costs: one query; none for no passages.
    """
    if not chunk_ids:
        return {}
    found: dict[ChunkId, list[FactCell]] = {}
    with connection.cursor() as cursor:
        gates: dict[str, Any] = {
            "tenant": within.tenant_id,
            "scopes": list(within.scope_ids),
            "kinds": [str(kind) for kind in within.kinds],
        }
        cursor.execute(_SQL["cells"], {**gates, "chunks": list(chunk_ids)})
        for chunk_id, start, end, concept, year, quarter, months, ends_on, exponent, currency, dimension in cursor:
            cell = FactCell(
                start=start,
                end=end,
                concept=concept,
                fiscal_year=year,
                fiscal_quarter=quarter,
                months=months,
                ends_on=ends_on,
                exponent=exponent,
                currency=currency,
                dimension=dimension,
            )
            found.setdefault(ChunkId(chunk_id), []).append(cell)
    return {chunk_id: tuple(cells) for chunk_id, cells in found.items()}
