"""By what a token knows its transaction: another one for each, that nobody can set, guess or bring back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.db import connections, transaction

from apps.tenants.context import open_scope
from tests.conftest import admin_dsn
from tests.isolation.harness import changed, outcome, runtime_connection, sql
from tests.isolation.world import World, canary

pytestmark = pytest.mark.usefixtures("committed_ground")

_MARK = "SELECT authz.transaction_mark()"
_TWO = f"BEGIN; {_MARK}; COMMIT; BEGIN; {_MARK}; COMMIT"
_BY_TIME = """
    CREATE OR REPLACE FUNCTION authz.transaction_mark() RETURNS text LANGUAGE sql STABLE
    RETURN ((extract(epoch FROM transaction_timestamp()) * 1000000)::bigint)::text
"""


def marks_of_one_message(connection: psycopg.Connection[tuple[str]]) -> list[str]:
    """A statement without parameters goes as one message of the simple protocol, however many are in it."""
    cursor = connection.execute(_TWO)
    marks = []
    more: bool | None = True
    while more:
        marks += [row[0] for row in (cursor.fetchall() if cursor.description else [])]
        more = cursor.nextset()
    return marks


@contextmanager
def _by_time() -> Iterator[None]:
    """The mark as it was, in this database and committed, since another connection must meet it."""
    dsn = f"{admin_dsn()} dbname={connections['default'].settings_dict['NAME']}"
    with psycopg.connect(dsn, autocommit=True) as administrator:
        row = administrator.execute("SELECT pg_get_functiondef('authz.transaction_mark()'::regprocedure)").fetchone()
        assert row is not None
        administrator.execute(_BY_TIME)
        try:
            yield
        finally:
            administrator.execute(row[0])


def test_two_transactions_of_one_message_differ() -> None:
    with runtime_connection() as connection:
        first, second = marks_of_one_message(connection)
        with _by_time():
            assert len(set(marks_of_one_message(connection))) == 1  # the control
    assert first != second


def test_within_a_transaction_it_stays_the_same_beyond_savepoints() -> None:
    with transaction.atomic():
        outer = sql(_MARK)
        with transaction.atomic():
            inner = sql(_MARK)
        with transaction.atomic():
            transaction.set_rollback(True)
        assert outer == inner == sql(_MARK)


def test_it_takes_no_transaction_id() -> None:
    with transaction.atomic():
        sql(_MARK)
        assert sql("SELECT pg_current_xact_id_if_assigned()") == [(None,)]


@pytest.mark.parametrize(
    "attempt",
    [
        "SET LOCAL backtrace_functions = 'glassbox_known'",
        "SET backtrace_functions = 'glassbox_known'",
        "SELECT set_config('backtrace_functions', 'glassbox_known', true)",
        "ALTER ROLE glassbox_api SET backtrace_functions = 'glassbox_known'",
        "UPDATE pg_settings SET setting = 'glassbox_known' WHERE name = 'backtrace_functions'",
    ],
)
def test_nobody_sets_it(attempt: str) -> None:
    def attack() -> object:
        sql(attempt)
        return sql("SELECT 'it was set'")

    with changed("GRANT SET ON PARAMETER backtrace_functions TO glassbox_api"):
        assert "it was set" in outcome(attack)
    assert "permission denied" in outcome(attack)


def test_nobody_brings_one_along() -> None:
    """A connection may bring settings of its own: not this one."""
    with (
        pytest.raises(psycopg.OperationalError, match="permission denied"),
        runtime_connection(options="-c backtrace_functions=glassbox_known"),
    ):
        pass


def test_what_resets_it_ends_the_token(world: World) -> None:
    with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
        token = sql("SELECT current_setting('glassbox.scope')")[0][0]
        assert canary("acme", "fund:alpha") in str(sql("SELECT title FROM corpus_document"))

        def attack() -> object:
            sql("RESET ALL")
            sql(_MARK)
            sql("SELECT set_config('glassbox.scope', %s, true)", token)
            return sql("SELECT title FROM corpus_document")

        brought = outcome(attack)
    assert "another transaction" in brought
