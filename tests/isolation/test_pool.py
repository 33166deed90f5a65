"""The pooled connection as a door: what one borrower leaves on it, and what the next one finds.

A pool of one connection, so that the next borrower gets what the last one gave back. Each attack is tried with the
pool's wash (config.database.reset_connection) and without it.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any
from unittest.mock import patch

import psycopg
import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.conf import settings
from django.db import DatabaseError, Error, connection, connections
from django.db.backends.postgresql.base import DatabaseWrapper
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, override_settings
from django.urls import path
from psycopg_pool import ConnectionPool

from apps.corpus.models import Document
from apps.tenants.context import ScopeContext, open_scope
from tests.isolation.harness import as_text, changed, held, outcome, rolled_back, runtime_connection, sql, wall_down
from tests.isolation.world import World, canary

handler500 = "apps.tenants.api.error_pages.server_error"


class WrapperOfOne(DatabaseWrapper):
    """Django's connection with a pool that it shares with nobody."""

    def __init__(self, settings_dict: dict[str, Any]) -> None:
        super().__init__(settings_dict, alias="default")
        self._connection_pools: dict[str, ConnectionPool] = {}


@contextmanager
def pool_of_one(**changes: Any) -> Iterator[None]:
    """This thread's connection comes out of a pool that holds a single one. Changes are to the pool's settings."""
    ordinary = connections["default"]
    found = ordinary.settings_dict
    pool = {**found["OPTIONS"]["pool"], "min_size": 1, "max_size": 1, "timeout": 10, **changes}
    own = WrapperOfOne({**found, "OPTIONS": {**found["OPTIONS"], "pool": pool}})
    connections["default"] = own
    try:
        yield
    finally:
        own.close()
        own.close_pool()
        connections["default"] = ordinary


def unwashed() -> AbstractContextManager[None]:
    """The same pool without the project's wash; that of psycopg, which ends an open transaction, stays."""
    return pool_of_one(reset=None)


@contextmanager
def careless() -> Iterator[None]:
    """A pool that hands on what it was given: nobody washes, nobody looks."""
    with (
        patch.object(ConnectionPool, "_reset_connection", lambda pool, returned: None),
        patch.object(ConnectionPool, "_check_connection", lambda pool, borrowed: None),
        pool_of_one(reset=None),
    ):
        yield


def passed_on(
    leave: Callable[[], Any],
    find: Callable[[], Any],
    *,
    loot: str,
    without: Callable[[], AbstractContextManager[None]] = unwashed,
    same_backend: bool = True,
) -> str:
    """Assert that the next borrower does not find what the last one left, and that it is the wash that prevents it.

    Args:    leave: what the first borrower does; find: what the next one does, on the same backend.
             loot: what must not be in what is found, and is without the wash.
             same_backend: False where the pool throws a connection away rather than washing it.
    Returns: what the next borrower found in the washed pool, as text.
    """
    with without():
        stolen, same = _handed_over(leave, find)
        assert same
    assert loot in stolen, f"a broken test: without the wash the next borrower found {stolen[:2000]!r}"
    with pool_of_one():
        found, same = _handed_over(leave, find)
        assert same == same_backend
    assert loot not in found, f"the wash left something: {found[:2000]!r}"
    return found


def _handed_over(leave: Callable[[], Any], find: Callable[[], Any]) -> tuple[str, bool]:
    connection.ensure_connection()
    first = connection.connection.info.backend_pid
    leave()
    connection.close()
    with _borrowed() as raw:
        same = raw.info.backend_pid == first
    return _look(find), same


@contextmanager
def _borrowed() -> Iterator[psycopg.Connection[Any]]:
    """The pool's connection without Django, which would refuse some states of it by itself."""
    pool = connections["default"].pool
    raw = pool.getconn()
    try:
        yield raw
    finally:
        # Straight back, past any wash: it is the last borrower's traces that are looked at.
        raw._pool = None
        pool._add_to_pool(raw)


def _look(find: Callable[[], Any]) -> str:
    """Like harness.outcome, but outside of a transaction."""
    try:
        return as_text(find())
    except (Error, psycopg.Error) as error:
        return f"{type(error).__name__}: {error}"


def acme(world: World) -> AbstractContextManager[ScopeContext]:
    return open_scope(tenant=world.acme.id, principal=world.people["amy"])


def bolt(world: World) -> AbstractContextManager[ScopeContext]:
    return open_scope(tenant=world.bolt.id, principal=world.people["ben"])


def titles() -> list[str]:
    """Without the application's own filter."""
    return list(Document._base_manager.order_by("title").values_list("title", flat=True))


# What SQL can leave in a session ------------------------------------------------------------------------------------


def test_a_token_set_for_the_session_does_not_reach_the_next_borrower(world: World) -> None:
    def leave() -> None:
        with acme(world):
            sql("SELECT set_config('glassbox.scope', current_setting('glassbox.scope'), false)")

    passed_on(leave, lambda: sql("SELECT current_setting('glassbox.scope', true)"), loot=str(world.acme.id))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("glassbox.identity", "left behind"),
        ("search_path", "authz, public"),
        ("row_security", "off"),
        ("statement_timeout", "12345ms"),
        ("lock_timeout", "12345ms"),
        ("idle_in_transaction_session_timeout", "12345ms"),
        ("default_transaction_read_only", "on"),
        ("default_transaction_isolation", "serializable"),
        ("role", "glassbox_api"),
        ("timezone", "Asia/Tokyo"),
        ("client_min_messages", "debug5"),
        ("application_name", "left behind"),
    ],
)
def test_a_setting_of_the_session_does_not_reach_the_next_borrower(world: World, name: str, value: str) -> None:
    passed_on(lambda: sql("SELECT set_config(%s, %s, false)", name, value), lambda: sql(f"SHOW {name}"), loot=value)


def test_a_cursor_held_open_can_t_be_fetched_by_the_next_borrower(world: World) -> None:
    def leave() -> None:
        with acme(world):
            sql("DECLARE left_behind CURSOR WITH HOLD FOR SELECT title FROM corpus_document ORDER BY title")
            # The rest is computed at the commit, when no scope is open any more, unless it was begun before.
            sql("FETCH 1 FROM left_behind")

    def find() -> Any:
        with bolt(world):
            return sql("FETCH ALL FROM left_behind")

    passed_on(leave, find, loot=canary("acme", "firm"))


def test_a_prepared_statement_can_t_be_executed_by_the_next_borrower(world: World) -> None:
    def leave() -> None:
        sql(f"PREPARE left_behind AS SELECT 'somebody asked about {canary('acme', 'firm')}'::text")

    passed_on(leave, lambda: sql("EXECUTE left_behind"), loot=canary("acme", "firm"))


def test_a_prepared_plan_runs_with_the_rights_of_who_executes_it(world: World) -> None:
    def attack() -> Any:
        with acme(world):
            sql("PREPARE left_behind AS SELECT title FROM corpus_document")
            # From the sixth time on PostgreSQL may keep one plan for all.
            for _ in range(6):
                sql("EXECUTE left_behind")
        try:
            with bolt(world):
                return sql("EXECUTE left_behind")
        finally:
            sql("DEALLOCATE left_behind")

    assert canary("bolt", "firm") in held(attack, loot=canary("acme", "firm"))


def test_the_next_borrower_hears_no_channel_that_the_last_one_listened_to(world: World) -> None:
    def find() -> list[str]:
        sql(f"NOTIFY left_behind, '{canary('acme', 'firm')}'")
        return [heard.payload for heard in connection.connection.notifies(timeout=0)]

    passed_on(lambda: sql("LISTEN left_behind"), find, loot=canary("acme", "firm"))


def test_what_a_borrower_heard_and_did_not_read_is_not_kept_for_the_next_one(world: World) -> None:
    def leave() -> None:
        sql("LISTEN left_behind")
        sql(f"NOTIFY left_behind, '{canary('acme', 'firm')}'")

    def find() -> list[str]:
        connection.ensure_connection()
        return [heard.payload for heard in connection.connection.notifies(timeout=0)]

    passed_on(leave, find, loot=canary("acme", "firm"))


def test_an_advisory_lock_of_the_session_is_given_back(world: World) -> None:
    def find() -> Any:
        with runtime_connection() as other:
            return other.execute("SELECT CASE WHEN pg_try_advisory_lock(7) THEN 'free' ELSE 'taken' END").fetchall()

    passed_on(lambda: sql("SELECT pg_advisory_lock(7)"), find, loot="taken")


def test_no_temporary_table_can_be_made_to_carry_rows_across(world: World) -> None:
    def attack() -> Any:
        with acme(world):
            sql("CREATE TEMPORARY TABLE left_behind AS SELECT title FROM corpus_document")
        with bolt(world):
            return sql("SELECT title FROM left_behind")

    held(
        attack,
        loot=canary("acme", "firm"),
        without=lambda: changed(f'GRANT TEMPORARY ON DATABASE "{settings.TEST_DATABASE}" TO glassbox_api'),
    )


# What is given back in the middle of something ----------------------------------------------------------------------


def test_a_transaction_left_open_is_ended_before_the_next_borrower(world: World) -> None:
    def leave() -> None:
        with acme(world):
            connection.close()

    def find() -> Any:
        with _borrowed() as raw:
            return raw.execute("SELECT title FROM corpus_document").fetchall()

    passed_on(leave, find, loot=canary("acme", "firm"), without=careless)


def test_a_transaction_left_in_error_is_ended_before_the_next_borrower(world: World) -> None:
    def leave() -> None:
        with acme(world):
            with suppress(DatabaseError):
                sql("SELECT 1 / 0")
            connection.close()

    def find() -> Any:
        with _borrowed() as raw:
            return raw.execute("SELECT 1").fetchall()

    passed_on(leave, find, loot="current transaction is aborted", without=careless)


def test_rows_of_a_copy_left_in_the_middle_are_not_read_by_the_next_borrower(world: World) -> None:
    def leave() -> None:
        with acme(world):
            connection.connection.pgconn.exec_(b"COPY (SELECT title FROM corpus_document) TO STDOUT")
            connection.close()

    def find() -> Any:
        with _borrowed() as raw:
            _, row = raw.pgconn.get_copy_data(0)
            return row

    passed_on(leave, find, loot=canary("acme", ""), without=careless, same_backend=False)


def test_a_server_side_cursor_read_half_way_is_gone_for_the_next_borrower(world: World) -> None:
    rows: list[Iterator[Document]] = []

    def leave() -> None:
        with acme(world):
            rows.append(Document._base_manager.iterator(chunk_size=1))
            next(rows[-1])
            connection.close()

    def find() -> Any:
        with _borrowed() as raw:
            (name,) = raw.execute("SELECT max(name) FROM pg_cursors WHERE name <> ''").fetchone()
            return raw.execute(f'FETCH ALL FROM "{name}"').fetchall()

    passed_on(leave, find, loot=canary("acme", "fund:beta"), without=careless)


def test_a_cursor_kept_from_before_can_t_read_as_the_next_borrower(world: World) -> None:
    kept: list[Any] = []

    def leave() -> None:
        with acme(world):
            kept.append(connection.cursor())

    def find() -> Any:
        with bolt(world):
            kept[-1].execute("SELECT title FROM corpus_document")
            return kept[-1].fetchall()

    passed_on(leave, find, loot=canary("bolt", "firm"))


def test_a_cursor_closed_late_does_not_break_the_next_borrower_s_transaction(world: World) -> None:
    """As one that is read half way is, when the garbage collector comes to it: it is closed on the server as well."""
    kept: list[Any] = []

    def leave() -> None:
        with acme(world):
            kept.append(connection.chunked_cursor())
            kept[-1].execute("SELECT title FROM corpus_document")
            kept[-1].fetchmany(1)
            connection.close()

    def find() -> Any:
        with bolt(world):
            with suppress(Error, psycopg.Error):
                kept[-1].close()
            return titles()

    assert canary("bolt", "firm") in passed_on(leave, find, loot="current transaction is aborted")


def test_a_pipeline_left_open_does_not_answer_the_next_borrower(world: World) -> None:
    def leave() -> None:
        with acme(world):
            raw = connection.connection
            raw.pgconn.enter_pipeline_mode()
            raw.pgconn.send_query_params(b"SELECT title FROM corpus_document", None)
            raw.pgconn.pipeline_sync()
            raw.pgconn.flush()
            connection.close()

    def find() -> Any:
        with _borrowed() as raw:
            answer = raw.pgconn.get_result()
            return [answer.get_value(row, 0) for row in range(answer.ntuples)] if answer else "nothing"

    passed_on(leave, find, loot=canary("acme", ""), without=careless, same_backend=False)


# Requests -----------------------------------------------------------------------------------------------------------


def reads(request: HttpRequest) -> HttpResponse:
    return HttpResponse("\n".join(titles()))


def raises(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("\n".join(titles()))


def streams(request: HttpRequest) -> StreamingHttpResponse:
    def parts() -> Iterator[str]:
        yield "too late"
        yield from titles()

    return StreamingHttpResponse(parts())


urlpatterns = [path("api/reads/", reads), path("api/raises/", raises), path("api/streams/", streams)]


def test_a_request_that_fails_leaves_nothing_to_the_next_one(world: World) -> None:
    def attack() -> list[Any]:
        failed = _asked(world, "acme", "/api/raises/")
        assert failed.status_code == 500
        return [failed, _asked(world, "bolt", "/api/reads/")]

    assert canary("bolt", "firm") in between_requests(attack, loot=canary("acme", "firm"))


def test_a_request_without_a_key_reads_nothing_after_one_with_a_key(world: World) -> None:
    def attack() -> list[Any]:
        return [_asked(world, "acme", "/api/reads/").status_code, _asked(world, "", "/api/reads/")]

    brought = between_requests(attack, loot=canary("acme", "firm"))
    assert brought.startswith("200 500 ")


def test_an_answer_made_after_its_request_reads_nothing(world: World) -> None:
    def attack() -> bytes:
        return b"".join(_asked(world, "acme", "/api/streams/"))

    assert "no scope is open" in between_requests(attack, loot=canary("acme", "firm"))


def between_requests(attack: Callable[[], Any], *, loot: str) -> str:
    """Like harness.held, but with the wall standing the connection goes back to the pool after each request."""
    with wall_down(), override_settings(ROOT_URLCONF=__name__):
        stolen = outcome(attack)
    assert loot in stolen, f"a broken test: without the wall the attack brought home {stolen[:2000]!r}"
    with pool_of_one(), override_settings(ROOT_URLCONF=__name__):
        brought = _look(attack)
    assert loot not in brought, f"the wall did not hold: {brought[:2000]!r}"
    return brought


def _asked(world: World, key: str, address: str) -> Any:
    headers = {"authorization": f"Bearer {world.keys[key]}"} if key else {}
    response = Client(raise_request_exception=False).get(address, headers=headers)
    if not connection.in_atomic_block and not response.streaming:
        # What a server does at the end of a request, and Django's test client leaves out.
        connection.close()
    return response


# Threads and tasks --------------------------------------------------------------------------------------------------

Work = Callable[[], str]
Ground = Callable[[], AbstractContextManager[None]]


def in_a_thread(work: Work) -> str:
    brought: list[str] = []
    thread = threading.Thread(target=lambda: brought.append(work()))
    thread.start()
    thread.join()
    return brought[0]


def in_an_executor(work: Work) -> str:
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(work).result()


def with_copied_context(work: Work) -> str:
    with ThreadPoolExecutor(1) as executor:
        return executor.submit(contextvars.copy_context().run, work).result()


def in_a_thread_of_asyncio(work: Work) -> str:
    async def task() -> str:
        return await asyncio.to_thread(work)

    return async_to_sync(task)()


def in_a_task(work: Work) -> str:
    return str(async_to_sync(sync_to_async(work, thread_sensitive=False))())


ELSEWHERE = [in_a_thread, in_an_executor, with_copied_context, in_a_thread_of_asyncio, in_a_task]


@pytest.mark.parametrize("run", ELSEWHERE)
def test_a_thread_started_in_a_scope_has_none(world: World, run: Callable[[Work], str]) -> None:
    def attack(ground: Ground) -> str:
        with acme(world):
            return run(lambda: _elsewhere(titles, ground))

    assert canary("acme", "firm") in attack(wall_down)
    assert "no scope is open" in attack(nullcontext)


@pytest.mark.parametrize("run", ELSEWHERE)
def test_a_thread_that_opens_a_scope_of_its_own_sees_that_alone(world: World, run: Callable[[Work], str]) -> None:
    def own() -> list[str]:
        with bolt(world):
            return titles()

    def attack(ground: Ground) -> str:
        with acme(world):
            return run(lambda: _elsewhere(own, ground)) + "; afterwards here " + " ".join(titles())

    assert canary("acme", "firm") in attack(wall_down).partition(";")[0]
    there, _, here = attack(nullcontext).partition(";")
    assert canary("bolt", "firm") in there
    assert "kestrelacme" not in there
    assert canary("acme", "firm") in here
    assert "kestrelbolt" not in here


def test_a_task_that_waits_for_this_thread_sees_its_scope_alone(world: World) -> None:
    def attack() -> Any:
        with open_scope(tenant=world.acme.id, principal=world.people["ann"]):
            return async_to_sync(sync_to_async(titles))()

    assert canary("acme", "fund:alpha") in held(attack, loot=canary("acme", "fund:beta"))


def test_a_thread_can_t_use_the_connection_of_another(world: World) -> None:
    def attack(shared: bool) -> str:
        with rolled_back(), acme(world):
            lent = connections["default"]
            if shared:
                lent.inc_thread_sharing()
            try:
                return in_a_thread(lambda: _look(lambda: _titles_on(lent)))
            finally:
                if shared:
                    lent.dec_thread_sharing()

    assert canary("acme", "firm") in attack(shared=True)
    assert "can only be used in that same thread" in attack(shared=False)


def _titles_on(lent: Any) -> list[Any]:
    with lent.cursor() as cursor:
        cursor.execute("SELECT title FROM corpus_document")
        return list(cursor.fetchall())


def _elsewhere(work: Callable[[], Any], ground: Ground) -> str:
    """On this thread's own connection, which is given back."""
    try:
        with ground():
            return _look(work)
    finally:
        connection.close()
