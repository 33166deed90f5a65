"""Databases that differ in what hidden rows hold, and in nothing else: as many rows, as long, in the same places.

Every table behind the wall is filled: some rows that the narrow token below opens, the same in all; some of another
scope of the same tenant and of other tenants, with values of the database's own ("low" or "high"); and a restricted
document. Whoever asks as the runtime role must get the same from each, errors and a plan's counters included.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import psycopg
from django.conf import settings
from psycopg import sql

from apps.tenants.catalogue import guarded_tables
from tests.conftest import _drop, _schema_digest, _settle_copy, admin_dsn

WORLDS = ("low", "high", "none")
OWN_ROWS = 3
OTHER_TENANTS = 4

# What the README admits: how many events of a tenant's other scopes there are, by time and by action. And the order in
# which accounts were made, their links and codes, and that of sessions' digests. And how many passages of restricted
# documents are parents of others. These columns are the same in both databases.
ADMITTED = {
    "audit_event": ("action", "occurred_at", "subject_id", "id"),
    "audit_payload": ("id", "event_id", "data_key_id"),
    "corpus_chunk": ("is_parent",),
    "tenants_user": ("id",),
    "tenants_accountorigin": ("user_id",),
    "tenants_secondfactor": ("user_id",),
    "tenants_accountlink": ("id",),
    "tenants_recoverycode": ("id",),
    "tenants_session": ("key_sha256",),
}


def named(*parts: object) -> uuid.UUID:
    return uuid.uuid5(uuid.NAMESPACE_OID, "/".join(map(str, parts)))


TENANT = named("tenant", "own")
SCOPE = named("scope", "own")
RESTRICTED = named("restricted", 0)
# Of an account that is about to be made.
NEW_NAME = "mnew"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """kind: the type's name without length; length: of a varying character, or the dimension of a vector.

    is_readable: whether the runtime role may read it; who may not asks nothing about it.
    """

    table: str
    name: str
    kind: str
    length: int
    nullable: bool
    is_readable: bool
    literals: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """updatable: a column that the runtime role may change; keys: of each unique index without a predicate.

    by_scope: whether some rows of an open tenant are hidden; indexed: all columns of all indexes, those included that
    say which rows an index is of.
    """

    name: str
    columns: tuple[Column, ...]
    updatable: str
    keys: tuple[tuple[str, ...], ...]
    indexed: tuple[str, ...]
    by_scope: bool

    def has(self, name: str) -> bool:
        return any(column.name == name for column in self.columns)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a row lies; `world` is empty for rows that are the same in all databases."""

    name: str
    tenant: uuid.UUID
    scope: uuid.UUID
    row: int
    world: str = ""


@contextmanager
def twin_databases() -> Iterator[dict[str, str]]:
    """The names of the databases, by world. They end with the block."""
    with psycopg.connect(admin_dsn(), autocommit=True) as server, ExitStack() as stack:
        names = {}
        for world in WORLDS:
            names[world] = name = f"{settings.TEST_DATABASE}_{world}"
            _drop(server, name)
            server.execute(
                sql.SQL("CREATE DATABASE {} OWNER glassbox_owner TEMPLATE {} STRATEGY file_copy").format(
                    sql.Identifier(name), sql.Identifier(f"glassbox_template_{_schema_digest()}")
                )
            )
            stack.callback(_drop, server, name)
            _settle_copy(server, name)
            with psycopg.connect(f"{admin_dsn()} dbname={name}") as database:
                _fill(database, world)
        yield names


def tables(database: str) -> list[Table]:
    """Every table behind the wall, as the catalogue has it."""
    with psycopg.connect(f"{admin_dsn()} dbname={database}") as connection:
        return [_table(connection, name) for name in guarded_tables(connection.cursor())]


def own_value(column: Column, row: int) -> Any:
    """What a visible row holds."""
    return _value(column, Place(name="own", tenant=TENANT, scope=SCOPE, row=row))


def hidden_value(column: Column, world: str, row: int) -> Any:
    tenant = named("tenant", row)
    return _value(column, Place(name="other", tenant=tenant, scope=named("scope", row), row=row, world=world))


def _table(connection: psycopg.Connection[Any], name: str) -> Table:
    literals: dict[str, set[str]] = {}
    indexes = connection.execute(
        "SELECT pg_get_expr(i.indpred, i.indrelid), i.indisunique, ARRAY("
        " SELECT a.attname::text FROM unnest(i.indkey::int2[]) WITH ORDINALITY k (n, o)"
        " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.n ORDER BY k.o) "
        "FROM pg_index i WHERE i.indrelid = %s::regclass",
        [name],
    ).fetchall()
    columns = connection.execute(
        "SELECT attname, regexp_replace(format_type(atttypid, NULL), 'character varying', 'varchar'), atttypmod, "
        "NOT attnotnull, has_column_privilege('glassbox_api', attrelid, attnum, 'UPDATE'), "
        "has_column_privilege('glassbox_api', attrelid, attnum, 'SELECT') "
        "FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
        [name],
    ).fetchall()
    for predicate, _, _ in indexes:
        for column, *_ in columns:
            if predicate and f"({column})" in predicate:
                literals.setdefault(column, set()).update(predicate.split("'")[1::2])
    return Table(
        name=name,
        columns=tuple(
            Column(
                table=name,
                name=column,
                kind=kind,
                length=(modifier - 4 if kind.startswith("varchar") else modifier) if modifier > 0 else 0,
                nullable=nullable,
                is_readable=is_readable,
                literals=tuple(sorted(literals.get(column, ()))),
            )
            for column, kind, modifier, nullable, _, is_readable in columns
        ),
        updatable=next((column for column, *_, may, is_readable in columns if may and is_readable), ""),
        keys=tuple(tuple(key) for predicate, is_unique, key in indexes if is_unique and predicate is None),
        indexed=tuple(
            column
            for column, *_ in columns
            if any(column in key or re.search(rf"\b{column}\b", predicate or "") for predicate, _, key in indexes)
        ),
        by_scope=bool(
            connection.execute(
                "SELECT FROM pg_policy p WHERE p.polrelid = %s::regclass AND p.polcmd IN ('r', '*') "
                "AND pg_get_expr(p.polqual, p.polrelid) LIKE '%%authz.scopes%%'",
                [name],
            ).fetchone()
        ),
    )


def _fill(connection: psycopg.Connection[Any], world: str) -> None:
    # Neither triggers nor foreign keys; and a value of each type is enough: no check of a column is asked.
    connection.execute("SET session_replication_role = replica")
    for table, constraint in connection.execute(
        "SELECT conrelid::regclass::text, conname FROM pg_constraint "
        "WHERE contype = 'c' AND connamespace = 'public'::regnamespace AND conrelid <> 0"
    ).fetchall():
        connection.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{constraint}"')
    for name in guarded_tables(connection.cursor()):
        table = _table(connection, name)
        columns = ", ".join(f'"{column.name}"' for column in table.columns)
        values = ", ".join(["%s"] * len(table.columns))
        for place in _places(table, world):
            row = [
                None if _is_null(table, column, place) else _value(column, _placed(table, column, place))
                for column in table.columns
            ]
            connection.execute(f'INSERT INTO "{name}" ({columns}) VALUES ({values})', row)


def _places(table: Table, world: str) -> Iterator[Place]:
    own = 1 if table.name == "tenants_tenant" else OWN_ROWS
    for row in range(own):
        yield Place(name="own", tenant=TENANT, scope=SCOPE, row=row)
    if table.name == "audit_restriction":
        yield Place(name="restricted", tenant=TENANT, scope=SCOPE, row=0)
    if world == "none":
        return
    if table.name.startswith("corpus_"):
        yield Place(name="restricted", tenant=TENANT, scope=SCOPE, row=0, world=world)
    if table.by_scope:
        for row in range(2):
            yield Place(name="beside", tenant=TENANT, scope=named("scope", "beside"), row=row, world=world)
    for row in range(OTHER_TENANTS):
        yield Place(name="other", tenant=named("tenant", row), scope=named("scope", row), row=row, world=world)


def _placed(table: Table, column: Column, place: Place) -> Place:
    """The place, without its world for what is the same in all of them."""
    if column.name in ADMITTED.get(table.name, ()):
        return Place(name=place.name, tenant=place.tenant, scope=place.scope, row=place.row)
    return place


def _is_null(table: Table, column: Column, place: Place) -> bool:
    if not column.nullable or column.name in ADMITTED.get(table.name, ()) or column.name.endswith("tenant_id"):
        return False
    if column.name in ("scope_id", "scope_ids"):
        return False
    if column.name in table.indexed:
        # How many rows lack a value that an index has is told, as the README says.
        return bool(place.world) and place.row % 4 == 0
    return place.row % 4 == 0 if place.world == "low" else place.world == "high" and place.row % 4 != 1


def _value(column: Column, place: Place) -> Any:
    """A value of the column's type that tells place, row and world, and is as long in every world."""
    if column.name == "tenant_id":
        return place.tenant
    if column.table == "tenants_tenant" and column.name == "id":
        return place.tenant
    if column.name == "scope_id":
        return place.scope
    if column.name == "scope_ids":
        return [place.scope]
    if place.name == "restricted" and column.name == "document_id":
        return RESTRICTED
    # Low, the visible ones, high: so that a bound of the middle tells the worlds apart.
    rank = {"low": 1, "": 2, "high": 3}[place.world]
    number = rank * 1000 + {"own": 0, "restricted": 100, "beside": 200, "other": 300}[place.name] + place.row
    kind = column.kind.removesuffix("[]")
    match kind:
        case "uuid":
            found: Any = RESTRICTED if place.name == "restricted" and column.name == "id" else _uuid(place, rank)
        case "boolean":
            found = place.row % 2 == 0 if rank == 2 else rank == 1
        case "varchar" | "text":
            found = _text(column, number, rank)
        case "smallint" | "integer" | "bigint":
            # Small: elements of an array are looked up by it. Unique within a tenant.
            found = number % 100 + rank * 10
        case "double precision" | "real":
            found = number / 7
        case "numeric":
            found = rank + number % 900 / 1000
        case "date":
            found = f"{1990 + rank * 10}-01-{1 + place.row:02}"
        case "timestamp with time zone":
            found = f"{1990 + rank * 10}-01-{1 + number % 28:02} 00:00:00+00"
        case "jsonb":
            found = json.dumps({"kpz"[rank - 1]: number})
        case "bytea":
            found = str(number).encode() * 8
        case "halfvec":
            found = str([rank, *[0] * (column.length - 1)])
        case _:
            raise AssertionError(f"a type that nobody thought of: {column.kind} of {column.name}")
    return [found] if column.kind.endswith("[]") else found


def _uuid(place: Place, rank: int) -> uuid.UUID:
    if not place.world:
        return named(place.name, place.row)
    # Beginning with 1 or e: below or above most.
    return uuid.UUID(("1" if rank == 1 else "e") + named(place.name, place.row, place.world).hex[1:])


def _text(column: Column, number: int, rank: int) -> str:
    if column.literals and rank != 2:
        # Of how many rows an index is that is not of all is told, likewise.
        return column.literals[number % len(column.literals)]
    return f"{'bmz'[rank - 1]}{number % 1000:03}"[: column.length or None]


def literal(value: Any) -> str:
    """As SQL writes it."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, bytes):
        return f"'\\x{value.hex()}'::bytea"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"'{{{','.join(str(each) for each in value)}}}'"
    return "'" + str(value).replace("'", "''") + "'"
