"""The passages of the benchmarks of erasing: a tenant's documents, written by the superuser as ingesting leaves them.

Each passage is a page of its own of about 900 characters, words drawn from 20,000 made-up ones; it has a random vector
of 384 numbers, and ten of 2,000 terms. A document's file is its pages' text.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any
from uuid import UUID

_AT_ONCE = 5_000  # passages of one set of statements
_WORDS, _OF_PAGE = 20_000, 130
# Parameters: tenant, scope, and as many documents as there are ids, of so many passages each.
_DOCUMENTS = """
INSERT INTO corpus_document (id, tenant_id, scope_id, kind, title, slug, document_type, source_type, company, ticker,
    language, jurisdictions, external_id, series_id, version, status, error_code, error_detail, warnings, filename,
    media_type, byte_size, content_sha256, page_count, chunk_count, term_count, created_at)
SELECT t.id, %(tenant)s, %(scope)s, 'run', 'Report ' || t.id, 'report-' || t.id, 'other', 'internal', '', '', 'en',
    '{}', '', t.id, 1, 'ready', '', '', '[]', 'report.pdf', 'application/pdf', 0, '', %(each)s, %(each)s,
    %(each)s * 10, now()
FROM unnest(%(ids)s::uuid[]) AS t (id)
"""
_PAGES = """
INSERT INTO corpus_page (tenant_id, scope_id, document_id, number, text, extracted)
SELECT %(tenant)s, %(scope)s, t.id, n, texts.text || %(words)s, true
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS t (id, place), generate_series(1, %(each)s) AS n
JOIN unnest(%(texts)s::text[]) WITH ORDINALITY AS texts (text, place) ON true
WHERE texts.place = (t.place - 1) * %(each)s + n
"""
_FILES = """
INSERT INTO corpus_sourcefile (tenant_id, scope_id, document_id, content)
SELECT tenant_id, scope_id, document_id, convert_to(string_agg(text, E'\\n' ORDER BY number), 'UTF8')
FROM corpus_page WHERE tenant_id = %(tenant)s AND scope_id = %(scope)s AND document_id = ANY (%(ids)s::uuid[])
GROUP BY 1, 2, 3
"""
_CHUNKS = """
INSERT INTO corpus_chunk (tenant_id, scope_id, document_id, kind, is_parent, number, text, context_header, page_start,
    page_end, char_start, char_end, sec_item, section, token_count, content_sha256)
SELECT tenant_id, scope_id, document_id, 'run', false, number, text, '', number, number, 0, length(text), '', '', 150,
    encode(sha256(convert_to(text, 'UTF8')), 'hex')
FROM corpus_page WHERE tenant_id = %(tenant)s AND scope_id = %(scope)s AND document_id = ANY (%(ids)s::uuid[])
"""
_VECTORS = """
INSERT INTO corpus_embedding384 (tenant_id, scope_id, document_id, kind, model, chunk_id, vector)
SELECT c.tenant_id, c.scope_id, c.document_id, c.kind, 'random', c.id,
    ARRAY(SELECT random() + 0 * c.number FROM generate_series(1, 384))::real[]::vector::halfvec
FROM corpus_chunk c
WHERE tenant_id = %(tenant)s AND scope_id = %(scope)s AND document_id = ANY (%(ids)s::uuid[])
"""
_POSTINGS = """
INSERT INTO corpus_posting (tenant_id, scope_id, document_id, kind, term, chunk_numbers, term_frequencies,
    chunk_term_counts)
SELECT %(tenant)s, %(scope)s, t.id, 'run', 'term' || g, array_agg(n), array_agg(1), array_agg(10)
FROM unnest(%(ids)s::uuid[]) AS t (id), generate_series(1, %(each)s) AS n, LATERAL (
    SELECT DISTINCT (n * 7919 + k * 104729) %% 2000 AS g FROM generate_series(1, 10) AS k) AS terms
GROUP BY t.id, g
"""
_ALL = (_DOCUMENTS, _PAGES, _FILES, _CHUNKS, _VECTORS, _POSTINGS)


def new_ids(count: int) -> list[UUID]:
    from apps.audit.ids import new_id

    return [new_id() for _ in range(count)]


def load(database: str, firm: Any, ids: Sequence[UUID], each: int, *, words: str = "") -> None:
    """Write these documents of a firm. Args: each: passages of one. words: at the end of each of them."""
    from tests.benchmarks.wall_databases import superuser

    chance = random.Random(str(firm.id))
    vocabulary = ["".join(chance.choices("abcdefghiklmnoprstuvw", k=chance.randint(3, 11))) for _ in range(_WORDS)]
    given = {"tenant": firm.id, "scope": firm.scopes["fund:alpha"].id, "each": each, "words": words}
    with superuser(database) as connection:
        at_once = max(1, _AT_ONCE // each)
        for some in (ids[start : start + at_once] for start in range(0, len(ids), at_once)):
            texts = [" ".join(chance.choices(vocabulary, k=_OF_PAGE)) + ". " for _ in range(each * len(some))]
            for statement in _ALL:
                connection.execute(statement, {**given, "ids": list(some), "texts": texts})


def as_autovacuum_leaves_it(database: str) -> None:
    from tests.benchmarks.wall_databases import superuser

    with superuser(database) as connection:
        connection.execute("VACUUM ANALYZE")


def ask(firm: Any, named: Sequence[UUID], others: Sequence[UUID], questions: int) -> None:
    """So many answered questions, sealed. Every tenth found a document of `named`, the others one of the others."""
    from apps.audit.services import record
    from apps.tenants.context import open_scope
    from tests.audit.acting import sealed
    from tests.audit.forging import ANSWERED

    for number in range(questions):
        documents = others if number % 10 else named
        hit = {"rank": 1, "chunk_id": str(new_ids(1)[0]), "document_id": str(documents[number // 10 % len(documents)])}
        with open_scope(tenant=firm.id, reason="a benchmark"):
            record(
                action=ANSWERED,
                core={"intent": "x"},
                question={"length_chars": 9},
                answer={"grounding": "x"},
                passages={"hits": [{**hit, "kind": "run"}]},
                scopes=firm.scope_ids("fund:alpha"),
            )
    sealed(firm)
