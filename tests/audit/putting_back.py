"""What the tests of backup and restore share: a removal as the engine does it, and looking at other databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

import psycopg
from django.conf import settings
from psycopg import sql

from apps.erasure.contracts import Origin, RunState, Target, TargetType
from apps.erasure.models import RemovalRun
from apps.erasure.runs.concerning import event_groups_of
from apps.tenants.context import open_scope
from tests.audit.acting import sealed
from tests.audit.removing import again, approved, carried_out
from tests.conftest import admin_dsn
from tests.factories import Firm


def removed(firm: Firm, targets: Sequence[Target], *, origin: Origin = Origin.REQUEST) -> RemovalRun:
    """Remove targets and what the log says of them, from everywhere, by the engine."""
    sealed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        groups = event_groups_of(targets)
    run = approved(firm, [*targets, *groups], origin=origin)
    for _ in range(10):
        if carried_out(firm, run) is RunState.COMPLETED:
            return again(firm, run)
        sealed(firm)
    raise AssertionError(again(firm, run).error_code)


def document(id: UUID) -> Target:
    return Target(type=TargetType.DOCUMENT, id=id)


@contextmanager
def administrator(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(admin_dsn(), dbname=database, autocommit=True) as connection:
        yield connection


def rows_of(database: str) -> dict[str, frozenset[str]]:
    """Every row of every table, as the superuser sees them: table -> rows as text.

    But for when a document or a job last changed: what is done again is done at another moment.
    """
    noted = ("corpus_document", "corpus_ingestjob")
    with administrator(database) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        return {
            table: frozenset(
                row[0]
                for row in connection.execute(
                    sql.SQL("SELECT {}::text FROM {} t").format(
                        sql.SQL("(to_jsonb(t) - 'updated_at')" if table in noted else "t"), sql.Identifier(table)
                    )
                ).fetchall()
            )
            for (table,) in tables
        }


def drop(*databases: str) -> None:
    with administrator("postgres") as server:
        for database in databases:
            server.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database)))


def other(name: str) -> str:
    """A database of this test worker beside its own."""
    return f"{settings.TEST_DATABASE}_{name}"
