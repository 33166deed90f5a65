"""Places in the log: given once, in order, without a gap, whoever writes and whoever is killed meanwhile."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from psycopg.types.json import Jsonb

from apps.audit.log import sequencer
from apps.audit.log.leaves import COLUMNS, leaf_of, leaf_of_row
from apps.audit.log.sequencer import seal_all_waiting, seal_tenant, tenants_that_wait
from apps.audit.log.storage import root_at, stored_size
from apps.audit.log.tree import root_of
from apps.audit.models import Event, Leaf, Subtree, Unsealed
from apps.audit.services import record
from apps.tenants.advisory import advisory_key
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal
from apps.tenants.services.tenants import scope_create
from tests.audit.acting import as_worker, checkpointed, recorded, sealed, worker_connection
from tests.audit.forging import insertable
from tests.audit.proving import as_administrator
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)

# Of a batch, here: enough to complete a subtree, few enough to be written quickly.
BATCH = 256
CHECKOUT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def _small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequencer, "BATCH", BATCH)


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def tree_is_whole(firm: Firm) -> int:
    """Assert that every event has one leaf, at contiguous places, that nothing waits, and that the roots agree.

    Returns: how many leaves there are.
    """
    with open_scope(tenant=firm.id, reason="a test"):
        events = {event.id: event for event in Event.objects.all()}
        leaves = list(Leaf.objects.order_by("index"))
        assert not Unsealed.objects.exists()
        assert [leaf.index for leaf in leaves] == list(range(len(events)))
        assert {leaf.event_id for leaf in leaves} == events.keys()
        hashes = [leaf_of(events[leaf.event_id]) for leaf in leaves]
        assert [bytes(leaf.hash) for leaf in leaves] == hashes
        assert root_at(len(hashes)) == root_of(hashes)
        assert Subtree.objects.filter(level=1).count() == len(hashes) // 256
        return len(hashes)


def waiting(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        count: int = Unsealed.objects.count()
        return count


# --- One sequencer ----------------------------------------------------------------------------------------------------


def test_events_wait_until_they_are_sealed_in_the_order_of_their_ids(acme: Firm) -> None:
    events = recorded(acme, 5)
    assert waiting(acme) >= 5
    sealed(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        places = dict(Leaf.objects.values_list("event_id", "index"))
    assert [places[event.id] for event in events] == sorted(places[event.id] for event in events)
    tree_is_whole(acme)


@pytest.mark.slow
def test_a_tree_that_grew_bit_by_bit_is_the_one_that_grew_at_once(acme: Firm) -> None:
    for count in (1, 3, BATCH - 1, BATCH, 2 * BATCH + 7):
        sealed(acme, count)
        tree_is_whole(acme)


@pytest.mark.slow
def test_a_batch_may_complete_several_subtrees(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sequencer, "BATCH", 1_024)
    sealed(acme, 100)
    sealed(acme, 700)
    tree_is_whole(acme)


def test_the_sealer_finds_the_tenants_that_wait_and_no_others(acme: Firm) -> None:
    bolt, calm = make_firm("bolt"), make_firm("calm")
    sealed(calm)
    assert set(tenants_that_wait()) == {acme.id, bolt.id}
    with as_worker():
        assert seal_all_waiting() > 0
    assert tenants_that_wait() == ()
    for firm in (acme, bolt, calm):
        tree_is_whole(firm)


@pytest.mark.slow
def test_a_long_queue_of_one_tenant_keeps_another_waiting_for_one_turn(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sequencer, "TURN", 1)
    bolt, turns = make_firm("bolt"), list[UUID]()
    recorded(acme, 2 * BATCH + 5)
    recorded(bolt, 3)
    real = sequencer._seal_batch

    def noted(principal: Principal) -> int | None:
        turns.append(principal.tenant_id)
        return real(principal)

    monkeypatch.setattr(sequencer, "_seal_batch", noted)
    with as_worker():
        seal_all_waiting()
    assert sorted(turns[:2]) == sorted([acme.id, bolt.id])
    assert (waiting(acme), waiting(bolt)) == (0, 0)


def test_a_second_sequencer_leaves_at_once(acme: Firm) -> None:
    recorded(acme)
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [advisory_key("seal", acme.id)])
        assert sealed(acme) == 0
    assert sealed(acme) > 0
    tree_is_whole(acme)


def test_an_event_of_a_scope_that_is_new_waits_for_the_next_batch(acme: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is committed between the moment in which the sequencer reads its scopes and the one in which it looks."""
    sealed(acme)
    locked = sequencer._locked

    def interrupted(tenant_id: object) -> bool:
        monkeypatch.setattr(sequencer, "_locked", locked)
        thread = threading.Thread(target=in_a_new_scope, args=[acme])
        thread.start()
        thread.join()
        return locked(acme.id)

    monkeypatch.setattr(sequencer, "_locked", interrupted)
    with as_worker():
        seal_tenant(acme.id)
    assert waiting(acme) > 0
    sealed(acme)
    tree_is_whole(acme)


def in_a_new_scope(firm: Firm) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        scope_create(key="fund:new", name="New", parent=None)
    with open_scope(tenant=firm.id, reason="a test") as context:
        record(action="tenants.scope.created", core={"key": "x"}, scopes=context.scope_ids)
    connections["default"].close()


def test_one_tenant_that_can_not_be_sealed_keeps_no_other_waiting(
    acme: Firm, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    bolt = make_firm("bolt")

    def broken(tenant_id: TenantId, row: Sequence[Any]) -> bytes:
        if tenant_id == acme.id:
            raise ValueError("a secret of the event")
        return leaf_of_row(tenant_id, row)

    monkeypatch.setattr("apps.audit.log.sequencer.leaf_of_row", broken)
    with as_worker():
        seal_all_waiting()
    assert (waiting(acme) > 0, waiting(bolt)) == (True, 0)
    assert str(acme.id) in caplog.text
    assert "secret" not in caplog.text


def test_an_event_that_is_queued_again_by_somebody_keeps_no_other_waiting(acme: Firm) -> None:
    sealed(acme)
    with open_scope(tenant=acme.id, reason="a test"), insertable():
        known = list(Leaf.objects.order_by("index").values_list("event_id", flat=True))
        # As whoever served requests could in an earlier release: the first of all, and one in between.
        Unsealed.objects.bulk_create([Unsealed(tenant_id=acme.id, event_id=each) for each in (known[0], known[1])])
    assert sealed(acme, 3) == 3
    assert tree_is_whole(acme) == len(known) + 3


def test_a_rolled_back_writer_leaves_no_gap(acme: Firm) -> None:
    for kept in (True, False, True):
        with open_scope(tenant=acme.id, reason="a test"):
            record(action="tenants.scope.created", core={"key": "x"})
            transaction.set_rollback(not kept)
    before = waiting(acme)
    assert sealed(acme) == before
    tree_is_whole(acme)


# --- Many -------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_many_writers_and_many_sequencers_make_one_tree(acme: Firm) -> None:
    bolt, each, writers, done = make_firm("bolt"), 60, 6, threading.Event()
    problems: list[BaseException] = []

    @contextmanager
    def guarded() -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            problems.append(error)
            raise
        finally:
            connections["default"].close()

    def write(firm: Firm) -> None:
        with guarded():
            for number in range(each):
                with open_scope(tenant=firm.id, reason="a test"):
                    record(action="tenants.scope.created", core={"key": str(number)})
                    transaction.set_rollback(number % 10 == 9)

    def keep_sealing() -> None:
        with guarded(), worker_connection():
            while not done.is_set():
                seal_tenant(acme.id)
                seal_tenant(bolt.id)

    before = waiting(acme)
    sequencers = [threading.Thread(target=keep_sealing) for _ in range(3)]
    authors = [threading.Thread(target=write, args=[firm]) for firm in (acme, bolt) for _ in range(writers)]
    for thread in (*sequencers, *authors):
        thread.start()
    for thread in authors:
        thread.join()
    done.set()
    for thread in sequencers:
        thread.join()
    assert problems == []
    sealed(acme)
    sealed(bolt)
    assert tree_is_whole(acme) == before + writers * each * 9 // 10
    tree_is_whole(bolt)


def test_whoever_needs_it_sealed_waits_for_another_sequencer_that_may_be_dead_already(acme: Firm) -> None:
    sealed(acme)
    recorded(acme, 3)
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as other:
        other.execute("SELECT pg_advisory_lock(%s)", [advisory_key("seal", acme.id)])
        with as_worker():
            assert seal_tenant(acme.id) == 0
            letting_go = threading.Timer(0.3, other.execute, ["SELECT pg_advisory_unlock_all()"])
            letting_go.start()
            assert seal_tenant(acme.id, waits=True) == 3
            letting_go.join()
    tree_is_whole(acme)


# --- Killed -----------------------------------------------------------------------------------------------------------

_SEALER = """
import django, sys, time
django.setup()
from uuid import UUID
from apps.audit.log import sequencer
batch, append = sequencer._seal_batch, sequencer._append
def halt():
    print("halted", flush=True)
    time.sleep(60)
def append_and_halt(*arguments):
    append(*arguments)
    halt()
def batch_and_halt(*arguments):
    batch(*arguments)
    halt()
if sys.argv[2] == "before":
    sequencer._append = append_and_halt
else:
    sequencer._seal_batch = batch_and_halt
sequencer.seal_tenant(UUID(sys.argv[1]))
"""


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["before", "after"])
def test_a_sequencer_killed_before_and_after_its_commit_leaves_the_same_tree(acme: Firm, moment: str) -> None:
    recorded(acme, BATCH + 40)
    before = waiting(acme)
    process = subprocess.Popen(
        [sys.executable, "-c", _SEALER, str(acme.id), moment],
        cwd=CHECKOUT,
        env={**os.environ, "GLASSBOX_DB_ROLE": "glassbox_worker", "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert process.stdout is not None
        assert process.stdout.readline() == "halted\n"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()
        if process.stdout:
            process.stdout.close()
    # The server notices that the client is gone in its own time, and lets the lock go.
    deadline = time.monotonic() + 10
    while sealed(acme) == 0 and time.monotonic() < deadline:
        time.sleep(0.05)
    with open_scope(tenant=acme.id, reason="a test"):
        assert stored_size() == before
    tree_is_whole(acme)


# --- What the database refuses ----------------------------------------------------------------------------------------

_LEAF = "INSERT INTO audit_leaf (tenant_id, event_id, index, hash) VALUES (%s, uuidv7(), %s, sha256('x'))"


def refused(firm: Firm, statement: str, values: Sequence[Any] = ()) -> str:
    with (
        pytest.raises(DatabaseError) as caught,
        open_scope(tenant=firm.id, reason="an attack"),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement, values)
    return str(caught.value)


def test_who_serves_requests_makes_no_leaf_subtree_or_checkpoint(acme: Firm) -> None:
    sealed(acme)
    assert "permission denied" in refused(acme, _LEAF, [acme.id, 0])
    for table in ("audit_leaf", "audit_subtree", "audit_checkpoint"):
        assert "permission denied" in refused(acme, f"INSERT INTO {table} (tenant_id) VALUES (%s)", [acme.id])
    assert "permission denied" in refused(acme, "DELETE FROM audit_unsealed")


def test_the_worker_leaves_no_gap_and_takes_no_place_twice(acme: Firm) -> None:
    sealed(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        size = stored_size()
    with as_worker():
        assert "without a gap" in refused(acme, _LEAF, [acme.id, size + 1])
        assert "leaf_in_its_place" in refused(acme, _LEAF, [acme.id, size - 1])
        assert "leaf_in_its_place" in refused(acme, _LEAF, [acme.id, 0])


def test_the_worker_lets_no_event_off_the_queue_without_a_leaf(acme: Firm) -> None:
    with as_worker():
        assert "until it has a leaf" in refused(acme, "DELETE FROM audit_unsealed")
    assert waiting(acme) > 0


@pytest.mark.slow
@pytest.mark.parametrize("table", ["audit_leaf", "audit_subtree", "audit_checkpoint", "audit_unsealed"])
@pytest.mark.parametrize(
    "statement", ["UPDATE {} SET tenant_id = tenant_id", "DELETE FROM {}", "TRUNCATE {}"], ids=lambda text: text[:6]
)
def test_not_even_a_superuser_changes_the_log(acme: Firm, table: str, statement: str) -> None:
    sealed(acme, 2 * BATCH)
    recorded(acme)
    checkpointed(acme)
    with (
        psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as superuser,
        pytest.raises(psycopg.Error, match=r"append-only|until it has a leaf"),
    ):
        superuser.execute(statement.format(table))


@pytest.mark.parametrize(
    "commitments",
    [{}, {"core": "a" * 64}, {"core": "a" * 64, "question": "0" * 64}, {"core": "A" * 64}, {"core": ""}],
)
def test_a_leaf_made_of_the_row_is_the_events_own(acme: Firm, commitments: dict[str, str]) -> None:
    """Also where a commitment is none, which the quick way leaves to the slow one."""
    with open_scope(tenant=acme.id, reason="a test"):
        event = record(action="tenants.scope.created", core={"key": "x"}, subject_type="scope", subject_id=acme.id)
    as_administrator("ALTER TABLE audit_event DISABLE TRIGGER USER")
    as_administrator("UPDATE audit_event SET commitments = %s WHERE id = %s", Jsonb(commitments), event.id)
    as_administrator("ALTER TABLE audit_event ENABLE TRIGGER USER")
    with open_scope(tenant=acme.id, reason="a test"), connection.cursor() as cursor:
        cursor.execute(f"SELECT {COLUMNS} FROM audit_event e WHERE e.id = %s", [event.id])
        assert leaf_of_row(acme.id, cursor.fetchone()) == leaf_of(Event.objects.get(id=event.id))
