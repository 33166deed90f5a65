"""What the tests of backup and restore share: a removal as the engine does it, and looking at other databases."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from uuid import UUID

import psycopg
from django.conf import settings
from psycopg import sql

from apps.audit.erasure.concerning import event_groups_of
from apps.audit.erasure.contracts import Origin, RunState, Target, TargetType
from apps.audit.models import RemovalRun
from apps.tenants.context import open_scope
from tests.audit.acting import sealed
from tests.audit.removing import again, approved, carried_out
from tests.conftest import admin_dsn
from tests.factories import Firm

CHECKOUT = Path(__file__).resolve().parents[2]
# Forks a child for each replay, which kills itself at the first commit that changes something: after it, and every
# third time before it. It ends when a child comes through, and prints how many were killed. What may be repeated is said by each
# process anew, as the owner, and taken away again: they are killed there a few times, and not for ever.
_REPLAYER: Final = """
import django, json, os, signal, sys
django.setup()
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import override_settings
from apps.audit.backup.replay import replay

database, checkpoints, place = json.loads(sys.argv[1])

def kill(saying):
    os.write(told, b"s" if saying else b"-")
    os.kill(os.getpid(), signal.SIGKILL)

def killed(moment, spares_saying):
    commit = DatabaseWrapper._commit
    def counted(self):
        saying = self.settings_dict["USER"] == "glassbox_owner"
        wrote = self.connection.execute("SELECT pg_current_xact_id_if_assigned() IS NOT NULL").fetchone()[0]
        if saying and spares_saying:
            wrote = False
        if wrote and moment == "before":
            kill(saying)
        commit(self)
        if wrote:
            kill(saying)
    DatabaseWrapper._commit = counted
    with override_settings(GLASSBOX_CHECKPOINT_URL=checkpoints):
        replay(database=database)

def served():
    return sorted(name for name in os.listdir(place) if name.startswith("served-"))

before, said, (heard, told) = served(), 0, os.pipe()
for kills in range(60):
    child = os.fork()
    if not child:
        try:
            killed("before" if kills % 3 == 2 else "after", said >= 6)
        except BaseException:
            import traceback
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    end = os.waitpid(child, 0)[1]
    if not end:
        break
    assert os.WTERMSIG(end) == 9, end
    said += os.read(heard, 1) == b"s"
    assert served() == before, "it was opened"
else:
    raise AssertionError("none came through")
print(kills)
"""


def replays_killed(database: str, *, tombstones: Path, checkpoints: Path) -> int:
    """Replay, killed again and again, until a process comes through. Returns: how many were killed."""
    finished = subprocess.run(
        [sys.executable, "-c", _REPLAYER, json.dumps([database, str(checkpoints), str(tombstones)])],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "GLASSBOX_DB_ROLE": "glassbox_worker",
            "GLASSBOX_TOMBSTONES_URL": str(tombstones),
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert finished.returncode == 0, finished.stderr
    return int(finished.stdout)


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
