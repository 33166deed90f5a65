"""The rows of this worker's database, whoever may see them: emptied, remembered and put back by the superuser.

No role that runs the application may truncate, nor un-log, nor write what its walls did not see.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import psycopg
from django.conf import settings

from config.services import endpoints

# What `migrate` writes, and no test does.
OF_THE_SCHEMA: Final = ("django_migrations", "django_content_type", "auth_permission")
_TABLES: Final = f"""
    SELECT oid FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT IN {OF_THE_SCHEMA}
"""
_SEQUENCES: Final = f"""
    SELECT s.seqrelid, s.seqstart, pg_sequence_last_value(s.seqrelid) AS reached
      FROM pg_sequence s JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.seqrelid
     WHERE d.refobjid IN ({_TABLES}) AND d.deptype IN ('a', 'i') AND pg_sequence_last_value(s.seqrelid) IS NOT NULL
"""
# To truncate a table means new files for it and each of its indexes, and all tables must go together, since they point
# at each other: 40 ms of work after each test that commits, most of it for tables that nobody wrote to. A table without
# a page was never written to. What is deleted leaves its room behind, so once in a while all are truncated after all.
_ROOM_LEFT_BYTES: Final = 24 * 1024 * 1024
_EMPTY: Final = f"""
    DO $$
    DECLARE
        every oid[];
        each record;
    BEGIN
        SELECT array_agg(oid) INTO every FROM ({_TABLES}) AS found;
        IF (SELECT sum(pg_relation_size(one)) FROM unnest(every) AS one) > {_ROOM_LEFT_BYTES} THEN
            EXECUTE (SELECT 'TRUNCATE ' || string_agg(one::regclass::text, ', ') || ' RESTART IDENTITY'
                       FROM unnest(every) AS one);
            RETURN;
        END IF;
        FOR each IN SELECT one FROM unnest(every) AS one WHERE pg_relation_size(one) > 0 LOOP
            EXECUTE 'DELETE FROM ' || each.one::regclass;
        END LOOP;
        PERFORM setval(seqrelid, seqstart, false) FROM ({_SEQUENCES}) AS found;
    END
    $$
"""
# A session that is new knows no table yet, and emptying asks about all of them: kept, it takes 4 ms instead of 20.
_kept: list[psycopg.Connection] = []


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of each table that has some, as COPY writes them, and how far each sequence has come."""

    tables: Mapping[str, bytes]
    sequences: Mapping[str, int]


def admin_dsn() -> str:
    """The superuser's connection string, for fixtures and for controls that must work without the wall."""
    return endpoints(settings.GLASSBOX_HOME).admin_dsn


def empty_database() -> None:
    """Do what Django's flush does."""
    _superuser().execute(_EMPTY)


def filled_tables() -> list[str]:
    """Return the names of the tables that have a row."""
    written = _superuser().execute(
        f"SELECT oid::regclass::text FROM ({_TABLES}) AS found WHERE pg_relation_size(oid) > 0"
    )
    names = [name for (name,) in written]
    if not names:
        return []
    each = (f"SELECT '{name}' WHERE EXISTS (SELECT FROM {name})" for name in names)
    return [name for (name,) in _superuser().execute(" UNION ALL ".join(each))]


def remember_rows() -> Rows:
    """Return all that is committed."""
    tables = {}
    for name in filled_tables():
        # In an order of its own: what was deleted before leaves room, so that rows lie in any order on their pages.
        ordered = f"SELECT * FROM {name} AS one ORDER BY one::text"
        with _superuser().cursor().copy(f"COPY ({ordered}) TO STDOUT (FORMAT binary)") as copy:
            tables[name] = b"".join(copy)
    reached = _superuser().execute(f"SELECT seqrelid::regclass::text, reached FROM ({_SEQUENCES}) AS found")
    return Rows(tables=tables, sequences=dict(reached.fetchall()))


def put_rows_back(rows: Rows) -> None:
    """Commit these rows, in place of all that are there."""
    with _superuser().transaction(), _superuser().cursor() as cursor:
        cursor.execute(_EMPTY)
        for name, content in rows.tables.items():
            with cursor.copy(f"COPY {name} FROM STDIN (FORMAT binary)") as copy:
                copy.write(content)
        for name, reached in rows.sequences.items():
            cursor.execute("SELECT setval(%s::regclass, %s)", [name, reached])


def next_transaction() -> int:
    """Return the number that the server's next transaction that writes will have."""
    found = _superuser().execute("SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint").fetchone()
    assert found is not None
    return int(found[0])


def close_superuser() -> None:
    while _kept:
        _kept.pop().close()


def _superuser() -> psycopg.Connection:
    if not _kept:
        _kept.append(psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True))
        # No triggers: neither those that keep the log whole, nor those that look for rows that point here.
        _kept[0].execute("SET session_replication_role = replica")
    return _kept[0]
