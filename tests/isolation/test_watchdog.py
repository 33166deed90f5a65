"""Limits of time that hold against who lifts them: a session past its role's limit is ended, and no other one."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.cache import cache

from apps.tenants import alarms, watchdog
from apps.tenants.clock import WATCHDOG, last_runs
from apps.tenants.registry import Watched
from tests.audit.acting import worker_connection as as_worker
from tests.conftest import admin_dsn
from tests.isolation.harness import eventually, runtime_connection

pytestmark = pytest.mark.usefixtures("committed_ground", "own_cache")
_WITHIN_S = 60


@pytest.fixture
def low() -> Iterator[None]:
    """Limits of glassbox_api, in this database, that a test need not wait for."""
    with _administrator() as connection:
        before = connection.execute("SELECT * FROM authz.session_limit WHERE role = 'glassbox_api'").fetchone()
        connection.execute(
            "UPDATE authz.session_limit SET statement = '1 s', transaction = '3 s', idle = '2 s', grace = '1 s' "
            "WHERE role = 'glassbox_api'"
        )
        try:
            yield
        finally:
            connection.execute("DELETE FROM authz.session_limit WHERE role = 'glassbox_api'")
            connection.execute("INSERT INTO authz.session_limit VALUES (%s, %s, %s, %s, %s)", before)


@contextmanager
def _administrator() -> Iterator[psycopg.Connection[Any]]:
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as connection:
        yield connection


class Running:
    """A statement that runs in a session of its own; what became of it."""

    def __init__(self, connection: psycopg.Connection[Any], statement: str) -> None:
        self.connection = connection
        self.error: psycopg.Error | None = None
        self._thread = threading.Thread(target=self._run, args=[statement], daemon=True)
        self._thread.start()

    def _run(self, statement: str) -> None:
        try:
            self.connection.execute(statement)
        except psycopg.Error as error:
            self.error = error

    @property
    def runs(self) -> bool:
        return self._thread.is_alive()


@pytest.fixture
def session() -> Iterator[Callable[..., psycopg.Connection[Any]]]:
    with ExitStack() as stack:

        def opened(role: str = "glassbox_api") -> psycopg.Connection[Any]:
            # Closed without a word to the server: it may be gone, or waiting for its end.
            connection = psycopg.connect(
                f"{admin_dsn()} dbname={settings.TEST_DATABASE}",
                user=role,
                password=settings.GLASSBOX_DB_PASSWORDS[role],
                autocommit=True,
            )
            stack.callback(connection.close)
            connection.execute("SET statement_timeout = 0")
            connection.execute("SET idle_in_transaction_session_timeout = 0")
            connection.execute("SET transaction_timeout = 0")
            return connection

        yield opened
        # What a test left running would keep its connection from being closed.
        with _administrator() as administrator:
            administrator.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = current_database() AND usename LIKE 'glassbox%' AND query LIKE '%pg_sleep%' "
                "AND pid <> pg_backend_pid()"
            )


def ended(is_over: Callable[[], bool], what: str) -> None:
    with as_worker():

        def looked() -> bool:
            watchdog.look()
            return is_over()

        eventually(looked, within_s=_WITHIN_S, what=what)


@pytest.mark.slow
def test_a_statement_past_its_limit_is_cancelled_and_an_honest_one_goes_on(low: None, session: Any) -> None:
    """glassbox_auditor's limits stay as they are: what it runs meanwhile takes as long, and is within them."""
    endless, honest = (
        Running(session(), "SELECT pg_sleep(600)"),
        Running(session("glassbox_auditor"), "SELECT pg_sleep(600)"),
    )
    ended(lambda: not endless.runs, "the statement is cancelled")
    assert isinstance(endless.error, psycopg.errors.QueryCanceled)
    assert honest.runs
    with as_worker():
        assert watchdog.look() == 0


def test_without_the_watchdog_nothing_ends_it(session: Any) -> None:
    """The control: with the limits as they are shipped, five minutes, which the session has lifted."""
    endless = Running(session(), "SELECT pg_sleep(600)")
    with as_worker():
        assert watchdog.look() == 0
    assert endless.runs
    rows = session().execute("SELECT current_setting('statement_timeout')").fetchall()
    assert rows == [("0",)]


@pytest.mark.slow
def test_one_that_goes_on_when_it_is_cancelled_loses_its_session(low: None, session: Any) -> None:
    deaf = (
        "DO $$ BEGIN LOOP BEGIN PERFORM pg_sleep(600); EXCEPTION WHEN query_canceled THEN NULL; END; END LOOP; END $$"
    )
    endless = Running(session(), deaf)
    ended(lambda: not endless.runs, "the session is ended")
    assert endless.connection.closed


@pytest.mark.slow
def test_a_transaction_of_short_statements_ends(low: None, session: Any) -> None:
    connection = session()
    connection.execute("BEGIN")

    def is_over() -> bool:
        try:
            connection.execute("SELECT 1")
        except psycopg.OperationalError:
            return True
        return False

    ended(is_over, "the transaction's session is ended")


@pytest.mark.slow
def test_a_session_that_waits_in_a_transaction_ends(low: None, session: Any) -> None:
    connection = session()
    connection.execute("BEGIN; LOCK TABLE tenants_tenant IN ACCESS SHARE MODE")
    with _administrator() as administrator:

        def is_over() -> bool:
            found = administrator.execute(
                "SELECT FROM pg_stat_activity WHERE pid = %s", [connection.info.backend_pid]
            ).fetchone()
            return found is None

        ended(is_over, "the idle session is ended")


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_auditor", "glassbox_eraser"])
def test_no_other_role_may_have_anything_ended(role: str) -> None:
    with runtime_connection(role) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SELECT authz.end_overlong()")


@pytest.mark.parametrize(
    "way",
    [
        "SELECT pg_terminate_backend({pid})",
        "SELECT pg_cancel_backend({pid})",
        "UPDATE authz.session_limit SET statement = '0 s'",
        "DELETE FROM authz.session_limit",
        "SELECT * FROM authz.session_limit",
        "SET ROLE glassbox_watchdog",
        "SELECT state FROM pg_stat_activity WHERE pid = {pid}",
    ],
)
def test_who_calls_it_chooses_neither_whom_nor_when(way: str, session: Any) -> None:
    """The worker's role: the limits decide, and those are the administrator's."""
    honest = session()
    with runtime_connection("glassbox_worker") as worker:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute(way.format(pid=honest.info.backend_pid))
        assert worker.execute("SELECT * FROM authz.end_overlong()").fetchall() == []
    assert honest.execute("SELECT 1").fetchall() == [(1,)]


def test_a_search_path_of_the_caller_s_changes_nothing(session: Any) -> None:
    """Nor does a function of theirs: they may make none, and it finds its own by name."""
    with runtime_connection("glassbox_worker") as worker:
        worker.execute("SET search_path = pg_temp, public")
        assert worker.execute("SELECT * FROM authz.end_overlong()").fetchall() == []
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            worker.execute("CREATE TEMP TABLE pg_stat_activity AS SELECT 1 AS pid")


@pytest.mark.slow
def test_it_is_logged_and_an_alarm(low: None, session: Any, caplog: pytest.LogCaptureFixture) -> None:
    def of_sessions() -> list[str]:
        return [alarm.operators for alarm in alarms.look(lambda _: (), only=(Watched.SESSIONS,)).alarms]

    assert of_sessions() == []
    endless = Running(session(), "SELECT pg_sleep(600)")
    with caplog.at_level(logging.ERROR, logger="glassbox.watchdog"):
        ended(lambda: not endless.runs, "the statement is cancelled")
    assert "statement of glassbox_api: " in caplog.text
    assert "pg_sleep" not in caplog.text
    assert "It belonged to glassbox_api." in of_sessions()[0]
    cache.clear()
    assert of_sessions() == []


@pytest.mark.slow
def test_it_goes_on_looking_when_the_database_was_away(
    low: None, session: Any, caplog: pytest.LogCaptureFixture
) -> None:
    endless, stop = Running(session(), "SELECT pg_sleep(600)"), threading.Event()

    def looking() -> None:
        # As a role that may not first: every look fails.
        watchdog.keep_looking(stopped_after_a_failure, every_s=0.05)
        with as_worker():
            watchdog.keep_looking(stop, every_s=0.05)

    class _AfterOne(threading.Event):
        def wait(self, timeout: float | None = None) -> bool:
            self.set()
            return True

    stopped_after_a_failure = _AfterOne()
    thread = threading.Thread(target=looking, daemon=True)
    with caplog.at_level(logging.ERROR, logger="glassbox.watchdog"):
        thread.start()
        eventually(lambda: not endless.runs, within_s=_WITHIN_S, what="the statement is cancelled")
        stop.set()
        thread.join(_WITHIN_S)
    assert "can't be held to their limits" in caplog.text
    assert WATCHDOG in last_runs([WATCHDOG])
