"""An attack, tried twice: against the wall, where it must bring nothing home, and without it, where it must succeed.

    held(lambda: Document._base_manager.filter(...), loot=canary("bolt", "firm"))

The attack is called once in a transaction of the real runtime role and once in one in which the wall is down. Both are
rolled back, and neither is seen by anybody else. An attack that brings its loot home in neither is a broken test.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any
from unittest.mock import patch

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection, connections, models, transaction
from django.db.backends.postgresql.base import DatabaseWrapper
from django.http import HttpResponse
from django.http.response import HttpResponseBase
from psycopg.conninfo import conninfo_to_dict

from apps.errors import ApplicationError
from tests.conftest import admin_dsn

Attack = Callable[[], Any]
_kept = threading.local()
_IN_ONE_SCOPE = 50
_RECORDER = "glassbox_recorder"

# What keeps a document and its contents as they are, whoever changes them (kept_by_two.sql, contents.sql, writers.sql,
# kind_with_contents.sql and one_document.sql of the corpus): taken away where an attack asks what the policies hold by
# themselves.
KEPT_BY_TWO = """
    DO $$
    DECLARE
        found record;
    BEGIN
        FOR found IN SELECT tgrelid::regclass AS "table", tgname AS name FROM pg_trigger
                      WHERE tgfoid IN ('corpus_document_by_two'::regproc, 'corpus_contents_by_two'::regproc,
                                     'corpus_document_by_job'::regproc, 'corpus_contents_by_job'::regproc,
                                     'corpus_file_is_its_own'::regproc, 'corpus_job_by_itself'::regproc,
                                     'corpus_part_with_document'::regproc, 'corpus_document_by_adder'::regproc,
                                     'corpus_job_started_again'::regproc,
                                     'corpus_kind_with_contents'::regproc,
                                     'corpus_document_id_is_new'::regproc) LOOP
            EXECUTE format('ALTER TABLE %s DISABLE TRIGGER %I', found."table", found.name);
        END LOOP;
    END
    $$
"""


def held(
    attack: Attack,
    *,
    loot: str,
    without: Callable[[], AbstractContextManager[Any]] | None = None,
    alone: tuple[str, ...] = (),
) -> str:
    """Assert that the attack fails, and that it is the wall that makes it fail.

    Args:    attack: opens its own scopes; what it returns, or the error that it raises, is what it brings home.
             loot: the text that it is after; nothing of it may be in the result, nor in an error's message.
             without: takes the defence away that is meant to stop it; all policies where none is named.
             alone: statements that take another defence away both times, so that this one is tried by itself.
    Returns: what the attack brought home with the wall standing, as text, for more assertions.
    """
    with without() if without else wall_down(also=alone):
        stolen = outcome(attack)
    assert loot in stolen, f"a broken test: without the wall the attack brought home {stolen[:2000]!r}"
    with changed(*alone) if alone else rolled_back():
        brought = outcome(attack)
    assert loot not in brought, f"the wall did not hold: {brought[:2000]!r}"
    return brought


def held_each(
    attacks: Iterable[Attack],
    *,
    loot: str,
    without: Callable[[], AbstractContextManager[Any]],
    within: Callable[[], AbstractContextManager[Any]] = nullcontext,
) -> list[str]:
    """Assert the same of many attacks that one defence is meant to stop: it is taken away once for all of them.

    Each is undone before the next one is tried, so that none stands upon what another one left.

    Args:    within: what they have in common, such as the scope that they are tried in; opened anew now and then, since
             a token is good for a minute.
    Returns: what each brought home with the wall standing.
    """
    tried = list(attacks)
    assert tried, "a broken test: there is no attack"
    with without():
        for stolen in _undone(tried, within):
            assert loot in stolen, f"a broken test: without the wall an attack brought home {stolen[:2000]!r}"
    with rolled_back():
        brought = _undone(tried, within)
    for each in brought:
        assert loot not in each, f"the wall did not hold: {each[:2000]!r}"
    return brought


def _undone(attacks: list[Attack], within: Callable[[], AbstractContextManager[Any]]) -> list[str]:
    found: list[str] = []
    for start in range(0, len(attacks), _IN_ONE_SCOPE):
        with within():
            found += [outcome(attack, undone=True) for attack in attacks[start : start + _IN_ONE_SCOPE]]
    return found


def outcome(attack: Attack, *, undone: bool = False) -> str:
    """What an attack brings home, as text; the errors of the database and of the application are part of it.

    Args: undone: what it did is rolled back, also where nothing stopped it.
    """
    try:
        with transaction.atomic():
            found = as_text(attack())
            if undone:
                transaction.set_rollback(True)
            return found
    except (
        DatabaseError,
        psycopg.Error,
        ApplicationError,
        PermissionError,
        LookupError,
        models.ObjectDoesNotExist,
    ) as error:
        chain: list[str] = []
        cause: BaseException | None = error
        while cause is not None:
            diagnostics = getattr(cause, "diag", None)
            details = [
                getattr(diagnostics, name, None) for name in ("message_primary", "message_detail", "message_hint")
            ]
            chain += [type(cause).__name__, str(cause), *(str(each) for each in details if each)]
            cause = cause.__cause__
        return " | ".join(chain)


def unnumbered(response: HttpResponseBase, text: str) -> str:
    """A text of an answer without the name that its own request was given: a random one, in headers and in problems."""
    named = response.headers.get("X-Request-ID")
    return text.replace(named, "REQUEST") if named else text


def as_text(found: Any) -> str:
    """Everything that an attacker could read of a result: bodies, headers, rows, fields of models."""
    match found:
        case HttpResponse():
            headers = " ".join(f"{name}: {value}" for name, value in found.items())
            return f"{found.status_code} {headers} {found.content.decode('utf-8', 'replace')}"
        case bytes() | bytearray() | memoryview():
            return bytes(found).decode("utf-8", "replace")
        case str():
            return found
        case models.Model():
            return as_text({name: value for name, value in vars(found).items() if name != "_state"})
        case Mapping():
            return " ".join(f"{as_text(key)}={as_text(value)}" for key, value in found.items())
        case Iterable():
            return " ".join(as_text(each) for each in found)
        case _:
            return str(found)


@contextmanager
def rolled_back() -> Iterator[None]:
    """A transaction of the real role that leaves nothing behind."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)


@contextmanager
def wall_down(tables: Iterable[str] = (), *, also: Iterable[str] = ()) -> Iterator[None]:
    """The same database without its policies, for this thread, until the block ends and all is rolled back.

    A superuser's connection takes the place of the runtime role's: it takes the policies of the named tables away, or
    lets the role past all of them, and with it the one that writes to the log for it. Then it becomes the runtime role,
    so that the role's own rights are the same as ever. `also` are statements that it runs too: they take away what
    would stop the attack after the policies.
    """
    lowered = [f'ALTER TABLE "{name}" DISABLE ROW LEVEL SECURITY' for name in tables]
    lowered = lowered or [past_policies(settings.GLASSBOX_DB_ROLE, _RECORDER)]
    with changed(*lowered, *also):
        yield


def past_policies(*roles: str) -> str:
    """Return the statements that let roles past every policy.

    Each changes one row of the catalogue. To disable row-level security instead locks every table and makes every
    session plan anew. It is the role itself and no twin of it, since triggers ask by name who writes. No other session
    sees it, and it is rolled back, so that no role with the attribute is ever left in a database.
    """
    return "; ".join(f"ALTER ROLE {role} BYPASSRLS" for role in roles)


@contextmanager
def changed(*statements: str) -> Iterator[None]:
    """The database as a superuser's statements leave it, for this thread; then the runtime role again, and rolled back.

    For attacks on a defence that is not a policy: give the right that is missing, drop the constraint that stands.
    """

    def change(cursor: Any) -> None:
        for statement in statements:
            cursor.execute(statement)

    with _as_superuser(change):
        yield


@contextmanager
def _as_superuser(change: Callable[[Any], None]) -> Iterator[None]:
    ordinary, administrator = connections["default"], _administrator()
    connections["default"] = administrator
    try:
        with transaction.atomic():
            with connection.cursor() as cursor:
                # Against waiting for ever for this test's own other connection. What vacuums by itself gives its locks
                # away when asked, which takes seconds on a busy machine.
                cursor.execute("SET LOCAL lock_timeout = '30s'")
                change(cursor)
                cursor.execute(f"SET LOCAL ROLE {settings.GLASSBOX_DB_ROLE}")
            yield
            transaction.set_rollback(True)
    finally:
        connections["default"] = ordinary
        if administrator.is_usable():
            # Nothing of an attack is left to the next one: no setting, no lock, no statement that was prepared.
            administrator.cursor().execute("DISCARD ALL")
        else:
            administrator.close()


def _administrator() -> DatabaseWrapper:
    """The superuser's connection of this thread: kept, since a new one reads the whole catalogue before it attacks."""
    kept: DatabaseWrapper | None = getattr(_kept, "connection", None)
    if kept is not None:
        return kept
    found = conninfo_to_dict(admin_dsn())
    ordinary = connections["default"].settings_dict
    options = {name: value for name, value in ordinary["OPTIONS"].items() if name != "pool"}
    _kept.connection = made = DatabaseWrapper(
        {
            **ordinary,
            "USER": found["user"],
            "PASSWORD": "",
            "HOST": found["host"],
            "PORT": found.get("port", ""),
            "OPTIONS": options,
        },
        alias="default",
    )
    return made


@contextmanager
def forgetful() -> Iterator[None]:
    """An application whose managers forget the tenant, so that the database alone stands before another one's rows."""
    with patch("apps.tenants.models.base.open_tenant_id", return_value=None):
        yield


def going_round(place: tuple[str, str]) -> AbstractContextManager[None]:
    """The application's filter gone for a (firm, scope) of Bolt's; for another scope there is none to go round."""
    return forgetful() if place[0] == "bolt" else nullcontext()


@contextmanager
def runtime_connection(role: str = "glassbox_api", **options: Any) -> Iterator[psycopg.Connection[Any]]:
    """A plain connection of a runtime role, in autocommit: what somebody with its password would have."""
    found = connections["default"].settings_dict
    with psycopg.connect(
        host=found["HOST"],
        port=found["PORT"] or None,
        dbname=found["NAME"],
        user=role,
        password=settings.GLASSBOX_DB_PASSWORDS[role],
        autocommit=True,
        **options,
    ) as opened:
        yield opened


def sql(statement: str, *parameters: Any) -> list[tuple[Any, ...]]:
    """Run a statement, or several without parameters, on the current connection. Returns the rows of all of them."""
    rows: list[tuple[Any, ...]] = []
    with connection.cursor() as cursor:
        cursor.execute(statement, parameters or None)
        more: bool | None = True
        while more:
            rows += cursor.fetchall() if cursor.description else []
            more = cursor.nextset()
    return rows


def eventually(condition: Callable[[], bool], *, within_s: float, what: str) -> None:
    """Wait for something that another process does."""
    deadline = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < deadline, f"not within {within_s} s: {what}"
        time.sleep(0.05)
