"""What an analyst may write into which table, by any SQL: every table and command, tried, against a reviewed table.

A trigger or a policy that guards UPDATE and DELETE and forgets INSERT shows here as a row of MATRIX that nobody would
sign. The tries are generated from the catalogue: a row of the world is copied (INSERT), each of its columns is changed
to another value (UPDATE), it is removed (DELETE), the table is emptied (TRUNCATE). Each is tried in ann's scope as the
runtime role; its control, without policies, triggers and missing rights, shows that there was something to write.

Nothing but these stands in the way of a try: keys and checks are taken away, since a copied row breaks some of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from apps.tenants.catalogue import guarded_tables
from apps.tenants.context import open_scope
from tests.isolation.harness import _as_superuser, sql
from tests.isolation.world import World

# Another value of each type.
_OTHER = {
    "uuid": "uuidv7()",
    "text": "CASE WHEN {0} = 'x' THEN 'y' ELSE 'x' END",
    "character varying": "CASE WHEN {0} = 'x' THEN 'y' ELSE 'x' END",
    "numeric": "coalesce({0}, 0) + 1",
    "integer": "coalesce({0}, 0) + 1",
    "smallint": "coalesce({0}, 0) + 1",
    "bigint": "coalesce({0}, 0) + 1",
    "boolean": "NOT coalesce({0}, false)",
    "real": "coalesce({0}, 0) + 1",
    "double precision": "coalesce({0}, 0) + 1",
    "date": "coalesce({0}, current_date) + 1",
    "timestamp with time zone": "coalesce({0}, now()) + interval '1 day'",
    "jsonb": "CASE WHEN {0} = '{{}}' THEN '[]' ELSE '{{}}' END::jsonb",
    "halfvec": "{0} + {0}",
    "bytea": "'\\x00'::bytea",
}


# A row where the world has none, for Acme ({tenant}).
_PLANTED = {
    "audit_attestation": "INSERT INTO audit_attestation (tenant_id, size, kind, by, content, told_at) "
    "VALUES ('{tenant}', 1, 'timestamp', 'x', 'x', now())",
    "intents_goldenvector": "INSERT INTO intents_goldenvector (tenant_id, example_id, model, vector, created_at) "
    "SELECT tenant_id, id, 'none', '{{1}}', now() FROM intents_goldenexample WHERE tenant_id = '{tenant}' LIMIT 1",
    "tenants_idempotentrequest": "INSERT INTO tenants_idempotentrequest (tenant_id, principal_kind, principal_id, "
    "key_digest, request_digest, scope_ids, subject_id, replayable, status_code, location, created_at, expires_at) "
    "VALUES ('{tenant}', 'user', uuidv7(), 'x', 'x', '{{}}', uuidv7(), true, 201, '', now(), now() + interval '1 day')",
    "tenants_accountlink": "INSERT INTO tenants_accountlink (user_id, purpose, email, token_sha256, created_at, "
    "expires_at) VALUES (uuidv7(), 'password', 'x@example.com', 'x', now(), now() + interval '1 hour')",
    "tenants_secondfactor": "INSERT INTO tenants_secondfactor (user_id, sealed, created_at, last_step) "
    "VALUES (uuidv7(), 'x', now(), 1)",
    "tenants_recoverycode": "INSERT INTO tenants_recoverycode (user_id, code_sha256) VALUES (uuidv7(), 'x')",
    "tenants_session": "INSERT INTO tenants_session VALUES ('x', 'x', now() + interval '1 day')",
}
_PLANT = """
    CREATE TEMP TABLE planted ON COMMIT DROP AS SELECT * FROM {table} {mine} LIMIT 1;
    GRANT SELECT ON planted TO glassbox_api;
    DO $$
    DECLARE each record;
    BEGIN
        FOR each IN SELECT conname FROM pg_constraint
                     WHERE conrelid = '{table}'::regclass AND contype IN ('c', 'u', 'x') LOOP
            EXECUTE format('ALTER TABLE {table} DROP CONSTRAINT %I CASCADE', each.conname);
        END LOOP;
        FOR each IN SELECT indexrelid::regclass AS name FROM pg_index
                     WHERE indrelid = '{table}'::regclass AND indisunique AND NOT indisprimary LOOP
            EXECUTE format('DROP INDEX %s', each.name);
        END LOOP;
    END
    $$
"""
_OPEN = """
    ALTER TABLE {table} DISABLE ROW LEVEL SECURITY;
    GRANT ALL ON ALL TABLES IN SCHEMA public TO glassbox_api;
    SET LOCAL session_replication_role = replica
"""


def _tries(table: str, *, scope_id: str) -> Iterator[tuple[str, str]]:
    """(INSERT, UPDATE column, DELETE or TRUNCATE, the statement)."""
    columns = sql(
        "SELECT attname::text, format_type(atttypid, NULL), has_column_privilege(attrelid, attnum, 'INSERT') "
        "FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' "
        "ORDER BY attnum",
        table,
    )
    given = {name: kind for name, kind, may in columns if may} or {name: kind for name, kind, _ in columns}
    other = {"id": "uuidv7()" if given["id"] == "uuid" else "id"} if "id" in given else {}
    copied = ", ".join({**other, "scope_id": f"'{scope_id}'"}.get(name, name) for name in given)
    yield "INSERT", f"INSERT INTO {table} ({', '.join(given)}) SELECT {copied} FROM planted"
    for name, kind, _ in columns:
        array = f"CASE WHEN cardinality({{0}}) = 0 THEN ARRAY[NULL] ELSE '{{{{}}}}' END::{kind}"
        value = array if kind.endswith("[]") else _OTHER[kind]
        yield f"UPDATE {name}", f"UPDATE {table} SET {name} = {value.format(name)}"
    yield "DELETE", f"DELETE FROM {table}"
    yield "TRUNCATE", f"TRUNCATE {table} CASCADE"


@dataclass(frozen=True, slots=True, kw_only=True)
class Writable:
    """What any member of a tenant may do to a table's rows.

    keeps: the columns that no UPDATE changes; None: all but those of `changes`.
    """

    insert: bool = False
    delete: bool = False
    keeps: str | None = None
    changes: str = ""


# To be read as: whoever holds any role of a tenant may do this, with SQL of their own. To a table that is not
# here they write nothing.
MATRIX: dict[str, Writable] = {
    # Whoever takes documents in writes them, their passages and their jobs, within the scopes that they hold. All that
    # the world has are published: they, what they hold and what they are found by stay as they are.
    # In one's own name alone, and what is copied here is the platform's. How far it is, is written by whoever runs it;
    # a person starts it again, and clears what it said. A document begins as received; what is copied here was read.
    "corpus_ingestjob": Writable(changes="error_code error_detail request_id"),
    # What was answered to a repeated request: kept for a day, taken away when it has ended.
    "tenants_idempotentrequest": Writable(insert=True, delete=True),
}

# No row of these is in the world, and no right to write them is the API's; or runs of removals, of which
# test_removal_runs.py tries each command.
WITHOUT_ROWS = frozenset(
    {
        "audit_certificate",
        "audit_checkpoint",
        "audit_leaf",
        "audit_removalrun",
        "audit_removalstep",
        "audit_removaltarget",
        "audit_restoration",
        "audit_subtree",
        "audit_supplement",
        "audit_tombstonemark",
        "corpus_embedding384",
        "corpus_embedding768",
    }
)
# Their key is no id of their own: the copy of a row is a duplicate.
WITHOUT_COPY = frozenset({"audit_unsealed", "tenants_accountorigin", "tenants_secondfactor", "tenants_session"})


def _values(cursor: Any, table: str, column: str) -> str:
    """All values of a column, as a digest."""
    cursor.execute(f"SELECT md5(string_agg(t.v, '|' ORDER BY t.v)) FROM (SELECT {column}::text AS v FROM {table}) t")
    return str(cursor.fetchone()[0])


# What ends a try and says nothing of what may be written: a deadlock with autovacuum or another session, a lock that is
# not given in time, a statement that is cancelled, a server that is short of memory.
_OF_THE_SERVER = ("40P01", "55P03", "57014", "53200")
_ATTEMPTS = 3


def _try_write(statement: str, changed: Callable[[Any], bool]) -> str:
    """Run a statement and take it back. Return "" if it changed something, and otherwise why it did not."""
    for attempt in range(_ATTEMPTS):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(statement)
                # What a trigger puts back as it was is not written, though the command says that it was.
                outcome = "" if cursor.rowcount and changed(cursor) else "nothing changed"
                transaction.set_rollback(True)
                return outcome
        except DatabaseError as error:
            state = getattr(error.__cause__, "sqlstate", None)
            if state not in _OF_THE_SERVER or attempt == _ATTEMPTS - 1:
                return f"{state}: {error}"
    raise AssertionError("unreachable")


def written(world: World, table: str, *, guarded: bool) -> tuple[set[str], dict[str, str]]:
    """What of the tries changes something as ann, and of each other one why it changed nothing."""
    alpha = str(world.scope_id("acme", "fund:alpha"))
    named = {
        name
        for (name,) in sql(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped",
            table,
        )
    }
    mine = f"WHERE tenant_id = '{world.acme.id}'" if "tenant_id" in named else ""
    if "scope_id" in named:
        mine += f" ORDER BY scope_id <> '{alpha}'"
    done: set[str] = set()
    idle: dict[str, str] = {}
    before: dict[str, str] = {}

    def prepare(cursor: Any) -> None:
        if table in _PLANTED:
            # Without triggers: a row that waits for one would keep the table as it is.
            cursor.execute("SET LOCAL session_replication_role = replica")
            cursor.execute(_PLANTED[table].format(tenant=world.acme.id))
            cursor.execute("SET LOCAL session_replication_role = origin")
        cursor.execute(_PLANT.format(table=table, mine=mine))
        before.update({f"UPDATE {name}": _values(cursor, table, name) for name in named})
        if not guarded:
            cursor.execute(_OPEN.format(table=table))

    with _as_superuser(prepare), open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        for name, statement in _tries(table, scope_id=alpha):

            def changed(cursor: Any, name: str = name) -> bool:
                cursor.execute("RESET ROLE")
                return name not in before or before[name] != _values(cursor, table, name.removeprefix("UPDATE "))

            if why := _try_write(statement, changed):
                idle[name] = why
            else:
                done.add(name)
    return done, idle


def tables() -> list[str]:
    with connection.cursor() as cursor:
        return guarded_tables(cursor)


@pytest.mark.slow
def test_an_analyst_writes_what_was_reviewed_and_nothing_else(world: World) -> None:
    found, reviewed = {}, {}
    for table in tables():
        done, refused = written(world, table, guarded=True)
        assert not [why for why in refused.values() if why.startswith(_OF_THE_SERVER)]
        found[table] = sorted(done)
        expected = MATRIX.get(table, Writable())
        columns = (
            {each for each in done | refused.keys() if each.startswith("UPDATE ")}
            if expected.keeps is not None
            else set()
        )
        columns -= {f"UPDATE {name}" for name in (expected.keeps or "").split()}
        columns |= {f"UPDATE {name}" for name in expected.changes.split()}
        commands = {"INSERT": expected.insert, "DELETE": expected.delete}
        reviewed[table] = sorted(columns | {name for name, may in commands.items() if may})
    assert found == reviewed


@pytest.mark.slow
def test_each_try_would_change_something_if_nothing_stood_in_its_way(world: World) -> None:
    """The control."""
    idle = {}
    for table in tables():
        _, refused = written(world, table, guarded=False)
        missing = {name: why for name, why in refused.items() if (name, table in WITHOUT_COPY) != ("INSERT", True)}
        if missing and table not in WITHOUT_ROWS:
            idle[table] = missing
    assert idle == {}


def test_of_what_is_not_tried_the_api_writes_nothing(world: World) -> None:
    rights = sql(
        "SELECT t FROM unnest(%s::text[]) t WHERE has_any_column_privilege('glassbox_api', t, 'INSERT, UPDATE') "
        "OR has_table_privilege('glassbox_api', t, 'DELETE, TRUNCATE') ORDER BY 1",
        sorted(WITHOUT_ROWS),
    )
    assert [name for (name,) in rights] == [
        "audit_removalrun",
        "audit_removaltarget",
        "corpus_embedding384",
        "corpus_embedding768",
    ]
