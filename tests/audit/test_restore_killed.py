"""A restore killed with SIGKILL before and after each of its commits: the same end state, whoever takes it up.

The processes that are killed are real ones, forks of a helper that has loaded the application and opened no connection.
A backup is put back once, and copied as often as it takes. What a replay comes to that was killed, and was repeated
without a kill, is held against what one comes to that nobody killed. Steps are commits of transactions that wrote
something, since others leave what was there, and the mark outside that the database may be served, which is the last.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from django.conf import settings
from django.core.cache import cache
from django.db import connections
from django.test import TransactionTestCase, override_settings
from psycopg import sql
from pytest_django import DjangoDbBlocker

from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.sequencer import seal_tenant
from apps.audit.models import Event
from apps.audit.services import record
from apps.audit.verify.application import verify_tenant
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.tombstones.gate import RESTORED, reason_not_to_serve
from apps.operations.backup import load
from apps.operations.backup.acting import WORKER, acting_as
from apps.operations.backup.dump import backup_write
from apps.operations.backup.load import restore
from apps.operations.backup.replay import replay
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed, signing_key
from tests.audit.ending import ended, holding, whole
from tests.audit.proving import certified, letter
from tests.audit.putting_back import administrator, drop, other, removed, rows_of
from tests.audit.removing import approved, person
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm, make_member
from tests.raising import raises_code

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[2]
BEA: Final = "bea-of-the-betas"
ZOE, STAYS = "Zoe Halvorsen-Quist", "Somebody Else-Entirely"
# Put back and never replayed; what a replay that nobody killed makes of it; and the one that is killed.
BACK, WHOLE, KILLED = other("putback"), other("unkilled"), other("killed")
# Forks a child for each line, which replays a database and is killed at the step that is named: its number, and before
# or after it. Of one that comes to its end it tells of what kind each step was. Or the child gives a database that was
# put back its name, and is killed at the one commit of that.
_HELPER: Final = """
import django, json, os, signal, sys
django.setup()
import psycopg
from django.db.backends.postgresql.base import DatabaseWrapper
from django.test import override_settings
from apps.operations.backup import load
from apps.operations.backup.replay import replay
from apps.audit.log.tombstone_place import TombstonePlace

def kill():
    os.kill(os.getpid(), signal.SIGKILL)

def kind(step):
    frame, names, phase = sys._getframe(2), [], ""
    while frame is not None:
        if any(room in frame.f_code.co_filename for room in ("/apps/audit/", "/apps/erasure/", "/apps/operations/")):
            names.append(frame.f_code.co_name)
            phase = getattr(frame.f_locals.get("store"), "phase", phase)
        frame = frame.f_back
    return " ".join([*names[::-1], step.__name__, str(phase)]).strip()

def replayed(database, number, moment):
    kinds, commit, serve = [], DatabaseWrapper._commit, TombstonePlace.serve
    def stepped(step, *args):
        kinds.append(kind(step))
        if (len(kinds), moment) == (number, "before"):
            kill()
        step(*args)
        if (len(kinds), moment) == (number, "after"):
            kill()
    def committed(self):
        wrote = self.connection.execute("SELECT pg_current_xact_id_if_assigned() IS NOT NULL").fetchone()[0]
        stepped(commit, self) if wrote else commit(self)
    DatabaseWrapper._commit = committed
    TombstonePlace.serve = lambda *args: stepped(serve, *args)
    replay(database=database)
    return kinds

def named(admin_url, making, database, moment):
    commit = psycopg.Connection.commit
    def committed(self):
        if moment == "before":
            kill()
        commit(self)
        kill()
    psycopg.Connection.commit = committed
    load._swap(admin_url, making, database, holds=True)
    return []

with override_settings(GLASSBOX_CHECKPOINT_URL=sys.argv[1]):
    for line in sys.stdin:
        work, *arguments = json.loads(line)
        heard, told = os.pipe()
        child = os.fork()
        if not child:
            done = {"replay": replayed, "name": named}[work](*arguments)
            os.write(told, json.dumps(done).encode())
            os._exit(0)
        os.close(told)
        with os.fdopen(heard) as kinds:
            said = kinds.read()
        ended = os.waitpid(child, 0)[1]
        print(json.dumps([os.WTERMSIG(ended), json.loads(said or "[]")]), flush=True)
"""
# Each replay writes rows of its own to these: they are compared by what they say.
_OWN: Final = frozenset(
    {"audit_checkpoint", "audit_event", "audit_payload", "audit_leaf", "audit_unsealed", "audit_tombstonemark"}
    | {"audit_restoration"}
)
_KILLED: Final = (signal.SIGKILL, [])
Counted = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """acme: of whom a document and a person were erased since the backup; gone: all of which was."""

    acme: Firm
    gone: Firm
    outside: Path

    @property
    def firms(self) -> tuple[Firm, ...]:
        return (self.acme, self.gone)

    def said_outside(self) -> dict[str, str]:
        """The tombstones, and how many are confirmed."""
        place = self.outside / "tombstones"
        return {path.name: path.read_text() for path in place.iterdir() if path.suffix or path.name == "latest"}


@pytest.fixture(scope="module")
def story(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Story]:
    outside = tmp_path_factory.mktemp("outside")
    changes = {
        "GLASSBOX_TOMBSTONES_URL": str(outside / "tombstones"),
        "GLASSBOX_CHECKPOINT_URL": str(outside / "checkpoints"),
    }
    with django_db_blocker.unblock(), override_settings(**changes):
        try:
            yield told(outside)
        finally:
            drop(BACK, WHOLE, KILLED)
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
            cache.clear()


def told(outside: Path) -> Story:
    acme, gone = make_firm("acme"), make_firm("gone")
    bea = make_member(acme, BEA, Role.ANALYST)
    assert bea.id is not None
    # An erasure of before the backup, with its certificate.
    certified(acme)
    about, _ = letter(acme, ZOE), letter(acme, STAYS)
    for firm in (acme, gone):
        person(firm, f"dora-{firm.tenant.slug}", Role.DPO)
        person(firm, f"rita-{firm.tenant.slug}", Role.REVIEWER)
        with open_scope(tenant=firm.id, reason="a test"):
            record(
                action="retrieval.question.answered",
                core={"intent": "x"},
                question={"text": f"What does {ZOE} want?"},
                answer={"ref_ids": ["complaint#1"]},
                passages={"hits": [{"document_id": str(about.id)}]},
                scopes=[ScopeId(id) for id in firm.scope_ids("fund:alpha")],
            )
        sealed(firm)
        checkpointed(firm)
    backup = backup_write(outside / "backup")
    removed(acme, [about, Target(type=TargetType.USER, id=bea.id)])
    assert ended(gone, approved(gone, [whole(gone)])) is RunState.COMPLETED
    for firm in (acme, gone):
        sealed(firm, 3)
        checkpointed(firm)
    restore(backup.path, admin_url=admin_dsn(), database=BACK, replace=False)
    return Story(acme=acme, gone=gone, outside=outside)


class Helper:
    """One process after the other does what is asked for, and is killed in it."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def replayed(self, database: str, number: int = 0, moment: str = "") -> tuple[int, list[str]]:
        """Returns: the signal that ended the replay, 0 for none; of which kind its steps were, if it was not killed."""
        return self._asked("replay", database, number, moment)

    def named(self, making: str, database: str, moment: str) -> tuple[int, list[str]]:
        return self._asked("name", admin_dsn(), making, database, moment)

    def _asked(self, *words: str | int) -> tuple[int, list[str]]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(words) + "\n")
        self._process.stdin.flush()
        ended, kinds = json.loads(self._process.stdout.readline())
        return ended, kinds


@pytest.fixture(scope="module")
def helper(story: Story) -> Iterator[Helper]:
    with subprocess.Popen(
        [sys.executable, "-c", _HELPER, str(story.outside / "checkpoints")],
        cwd=CHECKOUT,
        env={
            **os.environ,
            "GLASSBOX_DB_ROLE": WORKER,
            "GLASSBOX_TOMBSTONES_URL": str(story.outside / "tombstones"),
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
        },
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Helper(process)


def copied(database: str) -> None:
    drop(database)
    with administrator("postgres") as server:
        names = (sql.Identifier(database), sql.Identifier(BACK))
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(*names))


def reason(database: str) -> str:
    with acting_as("glassbox_api", database=database):
        return reason_not_to_serve()


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """What a replay leaves. rows: of the tables that it adds nothing of its own to. said: by the event at its end."""

    rows: dict[str, frozenset[str]]
    events: Counted
    parts: Counted
    leaves: Counted
    marks: Counted
    repeatable: Counted
    restorations: Counted
    said: dict[str, Any]


def end_of(story: Story, database: str) -> End:
    said = {}
    with acting_as(WORKER, database=database):
        for firm in story.firms:
            # As the sealer does within the second, of what was recorded last.
            seal_tenant(firm.id)
            with open_scope(tenant=firm.id, reason="a test"):
                said[firm.tenant.slug] = dict(Event.objects.get(action="audit.tombstones.replayed").payload["core"])
            with override_settings(GLASSBOX_LOG_SIGNING_KEY=signing_key()):
                checkpoint_tenant(firm.id)
            assert verify_tenant(tenant=firm.id).findings == ()
    # What was said of it in the log before that was emptied, nobody can add up any more.
    said["gone"].pop("removed")
    rows = {table: of for table, of in rows_of(database).items() if table not in _OWN}
    # An emptied account's password is a new random one that nobody knows, and so is the key of a tenant's end.
    rows["tenants_user"] = frozenset(row for row in rows["tenants_user"] if "erased-" not in row)
    rows["audit_datakey"] = frozenset(row for row in rows["audit_datakey"] if ",end.1," not in row)
    with administrator(database) as connection:

        def counted(query: str) -> Counted:
            return Counter(tuple(str(value) for value in row) for row in connection.execute(query.encode()).fetchall())

        return End(
            rows=rows,
            events=counted("SELECT tenant_id, action, outcome, subject_type FROM audit_event"),
            parts=counted(
                "SELECT p.tenant_id, e.action, p.field_group "
                "FROM audit_payload p JOIN audit_event e ON e.id = p.event_id"
            ),
            leaves=counted("SELECT tenant_id, index FROM audit_leaf"),
            marks=counted("SELECT tenant_id, number, kind FROM audit_tombstonemark"),
            restorations=counted(
                "SELECT tenant_id, ordinal, state, error_code, came_back, targets, manifest, "
                "runs, cardinality(end_events) FROM audit_restoration"
            ),
            repeatable=counted("SELECT tenant_id, type, item_id FROM authz.repeated_removal"),
            said=said,
        )


def _same(found: End, expected: End) -> None:
    """By table first: a failure that prints every row of both says nothing."""
    tables = {*found.rows, *expected.rows}
    differing = {each: (found.rows.get(each), expected.rows.get(each)) for each in tables}
    assert not {each: rows for each, rows in differing.items() if rows[0] != rows[1]}
    assert found == expected


@dataclass(frozen=True, slots=True, kw_only=True)
class Unkilled:
    """kinds: of its steps, in their order."""

    kinds: tuple[str, ...]
    end: End


@pytest.fixture(scope="module")
def unkilled(story: Story, helper: Helper) -> Unkilled:
    """A replay that nobody kills, on a copy of its own."""
    copied(WHOLE)
    assert reason(WHOLE) == RESTORED
    ended, kinds = helper.replayed(WHOLE)
    assert ended == 0
    return Unkilled(kinds=tuple(kinds), end=end_of(story, WHOLE))


# --- the replay ---


def test_a_replay_that_nobody_kills_removes_what_was_erased_and_says_everything_once(
    story: Story, unkilled: Unkilled
) -> None:
    acme, gone = str(story.acme.id), str(story.gone.id)
    assert reason(WHOLE) == ""
    back, left = holding(rows_of(BACK), ZOE, BEA), holding(rows_of(WHOLE), ZOE, BEA)
    assert {"corpus_document", "corpus_sourcefile", "tenants_user"} <= back.keys()
    assert left == {}
    assert holding(rows_of(WHOLE), STAYS).keys() == holding(rows_of(BACK), STAYS).keys() != set()
    assert len(unkilled.end.rows["audit_certificate"]) == 1
    counts = Counter((tenant, action) for tenant, action, *_ in unkilled.end.events.elements())
    for tenant in (acme, gone):
        assert counts[tenant, "audit.log.restored"] == counts[tenant, "audit.tombstones.replayed"] == 1
        assert [number for _, number, kind in unkilled.end.marks if kind == "replayed"] == ["6", "6"]
    removed = unkilled.end.said["acme"]["removed"]
    assert removed["corpus.documents"] == removed["tenants.access_accounts"] == 1
    # A part of the log each, the question and what was cited, goes by an event that authorises it.
    assert removed["audit.payloads"] == 2
    assert counts[acme, "audit.tombstones.repeated"] == len(removed)
    assert unkilled.end.repeatable == {}
    # Without the server's administrator nothing is prepared, and that is what it says.
    assert [each[1:4] for each in sorted(unkilled.end.restorations)] == [("0", "awaiting", "no_administrator")] * 2
    assert all(any(name in kind for kind in unkilled.kinds) for name in ("_authorise", "_erase", "80", "_end", "serve"))


def test_killed_before_every_step_one_process_after_the_other_it_comes_to_the_same_end(
    story: Story, helper: Helper, unkilled: Unkilled
) -> None:
    """Each process finds done what the ones before it did, and gets one step further."""
    outside, kills = story.said_outside(), 0
    copied(KILLED)
    while helper.replayed(KILLED, 2 if kills else 1, "before") == _KILLED:
        kills += 1
        assert reason(KILLED) == RESTORED
        assert kills < 3 * len(unkilled.kinds), "it gets no further"
    assert kills > len(unkilled.kinds)
    replay(database=KILLED)
    assert reason(KILLED) == ""
    _same(end_of(story, KILLED), unkilled.end)
    assert story.said_outside() == outside


def test_killed_after_a_step_of_any_kind_the_next_replay_ends_it(
    story: Story, helper: Helper, unkilled: Unkilled
) -> None:
    outside = story.said_outside()
    # The last of each kind: that of the firm that is gone, where both have it.
    last = {kind: number for number, kind in enumerate(unkilled.kinds, start=1)}
    for kind, number in last.items():
        at = f"after step {number}: {kind}"
        copied(KILLED)
        assert helper.replayed(KILLED, number, "after") == _KILLED, at
        is_over = number == len(unkilled.kinds)
        assert reason(KILLED) == ("" if is_over else RESTORED), at
        done = replay(database=KILLED)
        assert done.was_closed is not is_over, at
        (lost,) = [each.lost_leaves for each in done.tenants if each.tenant_id == story.acme.id]
        assert lost > 0, f"{at}: whoever repeats it is told as well"
        assert reason(KILLED) == "", at
        _same(end_of(story, KILLED), unkilled.end), at
    assert story.said_outside() == outside


# --- the name of the live database ---


def databases() -> set[str]:
    """Those of these tests that somebody could connect to."""
    with administrator("postgres") as server:
        rows = server.execute(
            "SELECT datname FROM pg_database WHERE datallowconn AND starts_with(datname, %s)", [settings.TEST_DATABASE]
        ).fetchall()
    return {row[0] for row in rows}


def test_killed_while_the_live_database_is_set_aside_either_all_names_have_changed_or_none(
    story: Story, helper: Helper, unkilled: Unkilled
) -> None:
    drop(KILLED)
    live, before = WHOLE, databases()
    assert reason(live) == ""
    copied(KILLED)
    assert helper.named(KILLED, live, "before") == _KILLED
    assert databases() == before | {KILLED}
    assert reason(live) == "", "the live one, which is served"
    assert helper.named(KILLED, live, "after") == _KILLED
    (aside,) = databases() - before - {KILLED}
    try:
        assert aside.startswith(f"{live}_replaced_")
        assert databases() == before | {aside}
        assert reason(aside) == ""
        assert reason(live) == RESTORED
        replay(database=live)
        _same(end_of(story, live), unkilled.end)
    finally:
        drop(aside)


def test_a_session_that_does_not_end_keeps_the_live_database_as_it_is(
    story: Story, unkilled: Unkilled, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(load, "_MOST_TRIES", 1)
    copied(KILLED)
    before = databases()
    with psycopg.connect(admin_dsn(), dbname=WHOLE) as session:
        # It hears of nothing, as one that waits for a disk.
        os.kill(session.info.backend_pid, signal.SIGSTOP)
        try:
            with raises_code("audit.restore_refused", match="go on connecting"):
                load._swap(admin_dsn(), KILLED, WHOLE, holds=True)
            assert databases() == before
        finally:
            os.kill(session.info.backend_pid, signal.SIGCONT)
    assert reason(WHOLE) == ""
