"""Made-up tenants of a chosen size, the same for the same seed: written by COPY, multiplied inside the database.

A tenant has two scopes. Its documents of at most 500 passages lie in them by turns and go through four kinds; a passage
has 60 terms from a vocabulary of 5,000 with frequencies by Zipf's law, and a random unit vector. Columns come from the
models, so that only what the searches read is named here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import numpy as np
import psycopg
from django.db import connection, models
from django.db.models.functions import Now
from django.utils import timezone
from numpy.typing import NDArray
from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import sql

from apps.corpus.models import Chunk, Document, DocumentStatus, Embedding384, Posting
from apps.corpus.terms import TERMS_VERSION
from apps.intents.fund_house import FundHouse
from apps.retrieval.contracts import SearchBounds
from apps.tenants.ids import ScopeId, TenantId
from apps.tenants.models import Scope, Tenant

DOCUMENT_CHUNKS = 500
DIMENSION = 384
EMBEDDING_MODEL = "benchmark"
KINDS = (FundHouse.RUN, FundHouse.REFERENCE_REPORT, FundHouse.METHODOLOGY, FundHouse.FUND_PROFILE)
COMPANIES = ("Aster", "Borage", "Cedar", "")
_CHUNK_TERMS = 60
_CHILDREN_OF_PARENT = 5
_VOCABULARY = 5_000
_ZIPF_EXPONENT = 1.07
_MODELS: tuple[type[models.Model], ...] = (Tenant, Scope, Document, Chunk, Posting, Embedding384)

_ranks = np.arange(1, _VOCABULARY + 1)
_CUMULATIVE = np.cumsum(1 / _ranks**_ZIPF_EXPONENT)
_CUMULATIVE /= _CUMULATIVE[-1]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeUpTenant:
    tenant_id: TenantId
    scope_ids: tuple[ScopeId, ...]

    @property
    def bounds(self) -> SearchBounds:
        """All of the tenant: both scopes, all kinds, no filter; the most that one search can have to read."""
        kinds = tuple(kind.value for kind in KINDS)
        return SearchBounds(tenant_id=self.tenant_id, scope_ids=self.scope_ids, kinds=kinds)


def term(rank: int) -> str:
    """The word at this place of the vocabulary, from 0; what is frequent stands first."""
    return f"word{rank:05d}"


def load_tenant(target: psycopg.Connection[Any], *, slug: str, number: int, chunks: int) -> MadeUpTenant:
    """Write one tenant.

    Args: number: tells tenants apart: it stands in every id, and seeds what is random.
          chunks: how many passages are searched; parents come on top.
    """
    rng = np.random.default_rng(number)
    ids = _ids(number)
    tenant = MadeUpTenant(tenant_id=TenantId(next(ids)), scope_ids=(ScopeId(next(ids)), ScopeId(next(ids))))
    register_vector(target)
    _copy(target, Tenant, [{"id": tenant.tenant_id, "slug": slug, "name": slug, "residency_region": "eu"}])
    root, fund = tenant.scope_ids
    _copy(
        target,
        Scope,
        [
            {"id": root, "tenant_id": tenant.tenant_id, "key": f"firm:{slug}", "name": slug},
            {"id": fund, "tenant_id": tenant.tenant_id, "key": "fund:alpha", "name": "Alpha", "parent_id": root},
        ],
    )
    for place, start in enumerate(range(0, chunks, DOCUMENT_CHUNKS)):
        _load_document(target, tenant, ids, rng, place=place, chunks=min(DOCUMENT_CHUNKS, chunks - start))
    return tenant


def transfer(source: psycopg.Connection[Any], target: psycopg.Connection[Any], tenant: MadeUpTenant) -> None:
    """Copy a tenant's rows as they are from one database to another."""
    for model in _MODELS:
        columns = sql.SQL(", ").join(sql.Identifier(column) for column in _columns(model))
        table, owner = sql.Identifier(model._meta.db_table), sql.Identifier(_owner(model))
        rows = sql.SQL("COPY (SELECT {} FROM {} WHERE {} = {} ORDER BY id) TO STDOUT (FORMAT BINARY)").format(
            columns, table, owner, sql.Literal(tenant.tenant_id)
        )
        into = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(table, columns)
        with source.cursor().copy(rows) as reading, target.cursor().copy(into) as writing:
            for block in reading:
                writing.write(block)


def multiply(target: psycopg.Connection[Any], tenant: MadeUpTenant, numbers: range) -> None:
    """Write copies of a tenant with ids of their own, one tenant after another: each id carries the copy's number."""
    for model in _MODELS:
        fields = model._meta.local_concrete_fields
        statement = sql.SQL(
            "INSERT INTO {table} ({columns}) SELECT {copied} FROM generate_series({first}, {last}) AS n "
            "CROSS JOIN LATERAL (SELECT * FROM {table} WHERE {owner} = {tenant} ORDER BY id OFFSET 0) AS original"
        ).format(
            table=sql.Identifier(model._meta.db_table),
            columns=sql.SQL(", ").join(sql.Identifier(field.column) for field in fields),
            copied=sql.SQL(", ").join(_copied(field) for field in fields),
            first=sql.Literal(numbers.start),
            last=sql.Literal(numbers.stop - 1),
            owner=sql.Identifier(_owner(model)),
            tenant=sql.Literal(tenant.tenant_id),
        )
        with _without_indexes(target, model):
            target.execute(statement)


def _copied(field: models.Field[Any, Any]) -> sql.Composable:
    """A column of copy n: every id (all are UUIDs) with n in its lower time bits, the slug with n behind it."""
    column = sql.Identifier(field.column)
    typed = field.target_field if isinstance(field, models.ForeignKey) else field
    if isinstance(typed, models.UUIDField):
        return sql.SQL("(overlay({}::text PLACING lpad(to_hex(n), 4, '0') FROM 10 FOR 4))::uuid").format(column)
    if field.model is Tenant and field.column == "slug":
        return sql.SQL("{} || '-' || n").format(column)
    return column


@contextmanager
def _without_indexes(target: psycopg.Connection[Any], model: type[models.Model]) -> Iterator[None]:
    """Build the indexes that are not constraints once at the end: a million rows are written in half the time."""
    indexes = target.execute(_INDEXES, [model._meta.db_table]).fetchall()
    for name, _ in indexes:
        target.execute(f"DROP INDEX {name}")
    yield
    for _, definition in indexes:
        target.execute(definition)


def settle(target: psycopg.Connection[Any], *, analysed: bool) -> None:
    """VACUUM what was written, so that no measurement pays for it."""
    tables = ", ".join(model._meta.db_table for model in _MODELS)
    target.execute(f"VACUUM {'(ANALYZE) ' if analysed else ''}{tables}")


def _load_document(
    target: psycopg.Connection[Any],
    tenant: MadeUpTenant,
    ids: Iterator[UUID],
    rng: np.random.Generator,
    *,
    place: int,
    chunks: int,
) -> None:
    document_id = next(ids)
    scope_id, kind = tenant.scope_ids[place % 2], KINDS[(place // 2) % len(KINDS)].value
    placed = {"tenant_id": tenant.tenant_id, "scope_id": scope_id, "document_id": document_id, "kind": kind}
    words = np.searchsorted(_CUMULATIVE, rng.random((chunks, _CHUNK_TERMS)))
    document = {
        **placed,
        "id": document_id,
        "title": f"Report {place}",
        "slug": f"report-{place}",
        "company": COMPANIES[place % len(COMPANIES)],
        "fiscal_year": 2020 + place % 6,
        "language": "en",
        "series_id": next(ids),
        "valid_from": timezone.now(),
        "status": DocumentStatus.READY.value,
        "filename": "report.pdf",
        "byte_size": chunks * 1_000,
        "content_sha256": hashlib.sha256(document_id.bytes).hexdigest(),
        "page_count": chunks // 2 + 1,
        "chunk_count": chunks,
        "term_count": chunks * _CHUNK_TERMS,
        "terms_version": TERMS_VERSION,
    }
    del document["document_id"]
    _copy(target, Document, [document])
    children = [next(ids) for _ in range(chunks)]
    parents = [next(ids) for _ in range(0, chunks, _CHILDREN_OF_PARENT)]
    _copy(target, Chunk, _passages(placed, words, children, parents))
    _copy(target, Posting, ({**placed, "id": next(ids), **posting} for posting in _postings(words)))
    vectors = rng.standard_normal((chunks, DIMENSION)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    _copy(
        target,
        Embedding384,
        (
            {**placed, "id": next(ids), "chunk_id": chunk, "model": EMBEDDING_MODEL, "vector": HalfVector(vector)}
            for chunk, vector in zip(children, vectors, strict=True)
        ),
    )


def _passages(
    placed: Row, words: NDArray[np.int64], children: Sequence[UUID], parents: Sequence[UUID]
) -> Iterator[Row]:
    texts = [" ".join(map(term, row)) for row in words]
    for number, parent in enumerate(parents, start=1):
        first = (number - 1) * _CHILDREN_OF_PARENT
        yield {
            **_passage(placed, number, "\n".join(texts[first : first + _CHILDREN_OF_PARENT])),
            "id": parent,
            "is_parent": True,
        }
    for number, (child, text) in enumerate(zip(children, texts, strict=True), start=1):
        yield {
            **_passage(placed, number, text),
            "id": child,
            "parent_id": parents[(number - 1) // _CHILDREN_OF_PARENT],
        }


def _passage(placed: Row, number: int, text: str) -> Row:
    return {
        **placed,
        "number": number,
        "text": text,
        "context_header": "Report",
        "page_start": number // 2 + 1,
        "page_end": number // 2 + 1,
        "char_start": 0,
        "char_end": len(text),
        "token_count": len(text) // 4,
        "content_sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


def _postings(words: NDArray[np.int64]) -> Iterator[Row]:
    """By term: the passages that hold it (numbers from 1), how often, and their lengths."""
    numbers = np.repeat(np.arange(1, len(words) + 1), words.shape[1])
    pairs, frequencies = np.unique(np.stack([words.ravel(), numbers]), axis=1, return_counts=True)
    starts = np.flatnonzero(np.diff(pairs[0], prepend=-1))
    for start, end in zip(starts, [*starts[1:], pairs.shape[1]], strict=True):
        yield {
            "term": term(int(pairs[0, start])),
            "chunk_numbers": pairs[1, start:end].tolist(),
            "term_frequencies": frequencies[start:end].tolist(),
            "chunk_term_counts": [_CHUNK_TERMS] * int(end - start),
        }


def _ids(number: int) -> Iterator[UUID]:
    """Version 7 as the database would make them: ascending, with the tenant's number in the lower time bits."""
    counter = 0
    while True:
        yield UUID(f"01940000-{number:04x}-7000-8000-{counter:012x}")
        counter += 1


def _copy(target: psycopg.Connection[Any], model: type[models.Model], rows: Iterable[Row]) -> None:
    """COPY rows in; a column that a row does not name gets the model's default."""
    fields = model._meta.local_concrete_fields
    columns = [field.column for field in fields]
    defaults = {field.column: _default(field) for field in fields}
    types = [row[0] for row in target.execute(_TYPES, {"table": model._meta.db_table, "columns": columns}).fetchall()]
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY)").format(
        sql.Identifier(model._meta.db_table), sql.SQL(", ").join(sql.Identifier(column) for column in columns)
    )
    with target.cursor().copy(statement) as writing:
        writing.set_types(types)
        for row in rows:
            unknown = row.keys() - defaults.keys()
            if unknown:
                raise LookupError(f"{model.__name__} has no columns {sorted(unknown)}")
            writing.write_row([row.get(column, default) for column, default in defaults.items()])


_INDEXES = """
    SELECT indexrelid::regclass::text, pg_get_indexdef(indexrelid) FROM pg_index
     WHERE indrelid = %s::regclass AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
"""
_TYPES = """
    SELECT a.atttypid FROM pg_attribute a JOIN unnest(%(columns)s::text[]) WITH ORDINALITY AS wanted (name, place)
        ON wanted.name = a.attname
     WHERE a.attrelid = %(table)s::regclass ORDER BY wanted.place
"""


def _default(field: models.Field[Any, Any]) -> Any:
    if isinstance(field.db_default, Now):
        return timezone.now()
    if field.primary_key:
        return None
    return field.get_db_prep_save(field.get_default(), connection)


def _columns(model: type[models.Model]) -> list[str]:
    return [field.column for field in model._meta.local_concrete_fields]


def _owner(model: type[models.Model]) -> str:
    return "id" if model is Tenant else "tenant_id"
