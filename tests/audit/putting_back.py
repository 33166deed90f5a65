"""What the tests of backup and restore share: a removal as the engine does it, and looking at other databases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

import psycopg
from django.conf import settings
from psycopg import sql

from apps.audit.backup.acting import ERASER, acting_as
from apps.audit.erasing import Removal, RemovalReason, payload_erase, removals_execute
from apps.audit.erasure.concerning import event_groups_of
from apps.audit.erasure.contracts import Origin, Target, TargetType
from apps.audit.erasure.registry import after_removal, before_removal, stores
from apps.audit.ids import new_id
from apps.audit.registry import Group
from apps.tenants.context import open_scope
from tests.audit.acting import sealed
from tests.conftest import admin_dsn
from tests.factories import Firm

REASON = RemovalReason.ERASURE_REQUEST


def removed(firm: Firm, targets: Sequence[Target], *, origin: Origin = Origin.REQUEST) -> UUID:
    """Remove targets and what the log says of them, from everywhere, with tombstones. Returns: the run's id."""
    run_id = new_id()
    sealed(firm)
    with open_scope(tenant=firm.id, reason="a test"):
        groups = event_groups_of(targets)
    every = [*targets, *groups]
    about = {"tenant_id": firm.id, "run_id": run_id, "origin": origin, "reason_code": REASON.value}
    with acting_as("glassbox_worker"):
        before_removal(**about, targets=every)  # type: ignore[arg-type]
    with acting_as(ERASER):
        for store in stores():
            while True:
                with open_scope(tenant=firm.id, reason="a test"):
                    if not store.clear(targets, limit=1_000):
                        break
    if groups:
        with open_scope(tenant=firm.id, reason="a test"):
            removals = [Removal(event_id=each.id, group=Group(each.part)) for each in groups]
            event = payload_erase(removals=removals, reason_code=REASON)
        sealed(firm)
        with acting_as(ERASER), open_scope(tenant=firm.id, reason="a test"):
            assert removals_execute(authorising_event_id=event.id).removed == len(groups)
    with acting_as("glassbox_worker"):
        after_removal(**about, targets=[])  # type: ignore[arg-type]
    return run_id


def document(id: UUID) -> Target:
    return Target(type=TargetType.DOCUMENT, id=id)


@contextmanager
def administrator(database: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(admin_dsn(), dbname=database, autocommit=True) as connection:
        yield connection


def rows_of(database: str) -> dict[str, frozenset[str]]:
    """Every row of every table, as the superuser sees them: table -> rows as text."""
    with administrator(database) as connection:
        tables = connection.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        ).fetchall()
        return {
            table: frozenset(
                row[0]
                for row in connection.execute(
                    sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(table))
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
