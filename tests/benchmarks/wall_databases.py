"""The databases of the benchmark, and the two sides that are compared: the runtime role and one that the wall ignores.

They lie on the test suite's own server and are copied from its migrated template, so that a benchmark measures the
schema as it is. All of them are dropped at the end; those of a run that died are dropped by the next run of the suite.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
from django.conf import settings
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper
from psycopg import sql

from config.locks import FileLock
from config.services import Durability, ensure_services
from tests.conftest import _drop, _migrate, _schema_digest, _settle_copy, admin_dsn

WALLED_ROLE = "glassbox_api"
BYPASSING_ROLE = "glassbox_backup"
# The search asks for restricted documents by itself, beside the policies. Without the wall it is a plain query.
_WITHOUT_THE_WALL = f"""
    CREATE SCHEMA IF NOT EXISTS bypassed;
    CREATE OR REPLACE FUNCTION bypassed.restricted_documents() RETURNS uuid[] LANGUAGE sql STABLE
        RETURN ARRAY(SELECT document_id FROM public.audit_restriction);
    GRANT USAGE ON SCHEMA bypassed TO {BYPASSING_ROLE};
"""
_TENANT_TABLES = """
    SELECT c.oid::regclass::text AS name, array_agg(a.attname ORDER BY a.attnum) AS columns
      FROM pg_class c
      JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
     GROUP BY c.oid HAVING 'tenant_id' = ANY (array_agg(a.attname)) ORDER BY 1
"""


class Databases:
    """Makes databases by name, as copies of one another; drops them when its block ends."""

    def __init__(self) -> None:
        self._stack = ExitStack()

    def __enter__(self) -> Databases:
        self._server = self._stack.enter_context(psycopg.connect(admin_dsn(), autocommit=True))
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def make(self, label: str, *, source: str = "") -> str:
        """Copy a database and add what is compared. Args and Returns: as `copy`."""
        name = self.copy(label, source=source)
        with superuser(name) as connection:
            connection.execute(_WITHOUT_THE_WALL)
        return name

    def copy(self, label: str, *, source: str = "") -> str:
        """Copy a database as it is, of whatever state its schema is.

        Args:    label: ends its name; without one it is the settings' own, which every process of the run then uses.
                 source: one made before, to which nobody is connected; the template without one.
        Returns: its name, that of the process' test database with the label behind it.
        """
        name = "_".join(part for part in (settings.TEST_DATABASE, label) if part)
        with FileLock(settings.GLASSBOX_HOME / "template.lock", timeout_s=300):
            _drop(self._server, name)
            self._server.execute(
                sql.SQL("CREATE DATABASE {} OWNER glassbox_owner TEMPLATE {} STRATEGY file_copy").format(
                    sql.Identifier(name), sql.Identifier(source or self._template())
                )
            )
        self._stack.callback(_drop, self._server, name)
        _settle_copy(self._server, name)
        return name

    def drop(self, name: str) -> None:
        _drop(self._server, name)

    def _template(self) -> str:
        """The suite's migrated template of this state of the schema, made when no run of the suite made it yet."""
        template = f"glassbox_template_{_schema_digest()}"
        if not self._server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [template]).fetchone():
            _drop(self._server, f"{template}_new")
            _migrate(f"{template}_new")
            self._server.execute(
                sql.SQL("ALTER DATABASE {} RENAME TO {}").format(
                    sql.Identifier(f"{template}_new"), sql.Identifier(template)
                )
            )
        return template


def start_services(durability: Durability = Durability.DISPOSABLE) -> None:
    """The suite's PostgreSQL; it stops with its last user."""
    settings.GLASSBOX_HOME.mkdir(parents=True, exist_ok=True)
    ensure_services(home=settings.GLASSBOX_HOME, durability=durability)


@contextmanager
def superuser(database: str) -> Iterator[psycopg.Connection[Any]]:
    """For loading and for statistics: constraints between rows are not checked, the wall is not asked."""
    with psycopg.connect(f"{admin_dsn()} dbname={database}", autocommit=True) as opened:
        opened.execute("SET session_replication_role = replica")
        yield opened


def set_statistics(database: str, *, kept: bool) -> None:
    """Let the planner keep its statistics of all tables with a tenant, or forget them for good.

    Sizes of tables (reltuples, relpages) are not statistics of values, and stay either way.
    """
    with superuser(database) as connection:
        for table, columns in connection.execute(_TENANT_TABLES).fetchall():
            target = "DEFAULT" if kept else "0"
            changes = ", ".join(f'ALTER COLUMN "{column}" SET STATISTICS {target}' for column in columns)
            connection.execute(f"ALTER TABLE {table} {changes}")
            if not kept:
                connection.execute(
                    "DELETE FROM pg_statistic WHERE starelid = %(table)s::regclass "
                    "OR starelid IN (SELECT indexrelid FROM pg_index WHERE indrelid = %(table)s::regclass)",
                    {"table": table},
                )
            connection.execute(f"ANALYZE {table}")


def connect(database: str, role: str) -> DatabaseWrapper:
    """Django's own connection settings with another database and role, and without a pool: one connection, kept.

    Binding and preparing are the same for every role: parameters are bound on the server's side, and no statement is
    prepared by name, so that each is planned anew with its parameters known.
    """
    ordinary = connections["default"].settings_dict
    options = {name: value for name, value in ordinary["OPTIONS"].items() if name != "pool"}
    if role == BYPASSING_ROLE:
        # An operator without a price is the wall's demand: without it, PostgreSQL's own.
        for ours, theirs in (("search_path=public", "search_path=bypassed,public"), ("cost=0", "cost=0.0025")):
            assert ours in options["options"]
            options["options"] = options["options"].replace(ours, theirs)
    return DatabaseWrapper(
        {
            **ordinary,
            "NAME": database,
            "USER": role,
            "PASSWORD": settings.GLASSBOX_DB_PASSWORDS[role],
            "OPTIONS": options,
        },
        alias="default",
    )
