"""A backup is put back, and nothing of what was erased since comes back with it. Real dumps of a real database.

Two firms; a backup; then one document and one person of the first are erased, and the logs go on. Each test looks at
the backup put back as a database beside the suite's own, in the order of the file.
"""

from __future__ import annotations

import json
import stat
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from celery.exceptions import Ignore
from django.conf import settings
from django.core import checks
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import connections
from django.test import Client, TransactionTestCase, override_settings
from django.utils import timezone
from pytest_django import DjangoDbBlocker

from apps.audit.errors import TombstonesDamagedError
from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.epochs import current_origin, origin_of
from apps.audit.models import Event
from apps.audit.services import record
from apps.audit.tasks import seal
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.audit.verify.findings import FindingClass
from apps.audit.verify.offline import verify
from apps.corpus.models import Document
from apps.erasure.contracts import RunState, Target, TargetType
from apps.erasure.hold_services import hold_place, hold_release
from apps.erasure.registry import stores
from apps.erasure.tombstones.gate import BEHIND, LOST, RESTORED, forget, reason_not_to_serve
from apps.operations.backup import replay as replaying
from apps.operations.backup.acting import WORKER, acting_as
from apps.operations.backup.dump import NOT_KEPT, backup_write
from apps.operations.backup.load import restore
from apps.operations.backup.manifest import read_manifest
from apps.operations.backup.programs import program
from apps.operations.backup.replay import replay
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from tests.audit.acting import as_worker, checkpointed, sealed, signing_key
from tests.audit.ending import ended, whole
from tests.audit.putting_back import administrator, document, drop, other, removed, rows_of
from tests.audit.removal_world import BEA, RemovalWorld, make_removal_world
from tests.audit.removing import approved, person
from tests.conftest import admin_dsn
from tests.corpus.ingesting import remote_profile
from tests.factories import Firm, as_
from tests.model_server import ModelServer
from tests.raising import raises_code

pytestmark = pytest.mark.slow

BACK = other("back")
# What a restored database has of its own: its events and keys of their payloads, and the marks of its tombstones.
OWN = frozenset(
    {"audit_event", "audit_payload", "audit_unsealed", "audit_leaf", "audit_subtree", "audit_checkpoint"}
    | {"audit_tombstonemark", "audit_datakey", "audit_restoration", "django_migrations"}
    | {"audit_removalrun", "audit_removaltarget", "audit_removalstep"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    world: RemovalWorld
    backup: Path
    tombstones: Path
    checkpoints: Path
    erased: UUID
    person: UUID
    answered: UUID

    def exported(self, firm: Firm, origin: str) -> str:
        return (self.checkpoints / origin / "latest").read_text()


@pytest.fixture(scope="module")
def story(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Story]:
    place = tmp_path_factory.mktemp("outside")
    with django_db_blocker.unblock(), ModelServer() as server:
        changes = {
            "GLASSBOX_EMBEDDING_PROFILES": {**settings.GLASSBOX_EMBEDDING_PROFILES, "local": remote_profile(server)},
            "GLASSBOX_TOMBSTONES_URL": str(place / "tombstones"),
            "GLASSBOX_CHECKPOINT_URL": str(place / "checkpoints"),
        }
        with override_settings(**changes):
            try:
                yield told(place)
            finally:
                drop(BACK, other("hand"))
                connections["default"].close()
                TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
                cache.clear()


def told(place: Path) -> Story:
    world = make_removal_world()
    beta, bea = world.documents["beta"], world.bea.id
    assert bea is not None
    answered = asked(world.acme, beta)
    # Who decides on removals is there before the backup: all that differs afterwards is what was removed.
    person(world.acme, "dora-acme", Role.DPO)
    person(world.acme, "rita-acme", Role.REVIEWER)
    for firm in (world.acme, world.bolt):
        sealed(firm)
        checkpointed(firm)
    call_command("backup", str(place / "backup"))
    removed(world.acme, [document(beta), Target(type=TargetType.USER, id=bea)])
    for firm in (world.acme, world.bolt):
        sealed(firm, 3)
        checkpointed(firm)
    return Story(
        world=world,
        backup=place / "backup",
        tombstones=place / "tombstones",
        checkpoints=place / "checkpoints",
        erased=beta,
        person=bea,
        answered=answered,
    )


def asked(firm: Firm, *documents: UUID) -> UUID:
    with open_scope(tenant=firm.id, reason="a test"):
        event = record(
            action="retrieval.question.answered",
            core={"intent": "x"},
            question={"text": "Who is ill?"},
            answer={"ref_ids": ["report#1"]},
            passages={"hits": [{"document_id": str(id)} for id in documents]},
            scopes=[ScopeId(id) for id in firm.scope_ids("fund:beta")],
        )
    return UUID(str(event.id))


def reason(database: str = BACK) -> str:
    with acting_as("glassbox_api", database=database):
        return reason_not_to_serve()


# --- the backup ---


def test_a_backup_is_its_owners_alone_and_says_what_it_holds(story: Story) -> None:
    assert stat.S_IMODE(story.backup.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in story.backup.iterdir()} == {0o600}
    assert {path.name for path in story.backup.iterdir()} == {"database.dump", "manifest.json"}
    told = read_manifest(story.backup)
    assert {each["id"] for each in told["tenants"]} == {str(story.world.acme.id), str(story.world.bolt.id)}
    for each in told["tenants"]:
        assert each["checkpoint"].startswith(f"glassbox/audit/{each['id']}\n{each['leaves']}\n")
    call_command("backup", str(story.backup), check=True)


def test_a_backup_holds_no_key_and_no_session(story: Story) -> None:
    tool = program("pg_restore", server_version=read_manifest(story.backup)["server_version"])
    said = subprocess.run(
        [tool, "--file=-", story.backup / "database.dump"], capture_output=True, text=True, check=True
    ).stdout
    assert "corpus_document" in said
    for name in NOT_KEPT:
        assert f"COPY {name} " not in said
    for secret in (
        *(key.key.hex() for key in settings.GLASSBOX_AUDIT_KEKS),
        *(key.key.hex() for key in settings.GLASSBOX_SCOPE_KEYS),
        settings.GLASSBOX_AUDIT_KEY.hex(),
        settings.SECRET_KEY,
    ):
        assert secret not in said


def test_that_a_backup_was_made_is_in_every_log_and_not_in_the_backup(story: Story) -> None:
    told = read_manifest(story.backup)
    for firm in (story.world.acme, story.world.bolt):
        with open_scope(tenant=firm.id, reason="a test"):
            event = Event.objects.get(action="audit.backup.made")
            assert event.payload["core"]["backup_id"] == told["id"]


def test_a_backup_is_not_written_over_another_thing(story: Story) -> None:
    with raises_code("audit.backup_target"):
        backup_write(story.backup)


def test_a_changed_backup_is_not_restored(story: Story, tmp_path: Path) -> None:
    for name in ("manifest.json", "database.dump"):
        copy = tmp_path / name
        copy.mkdir()
        for path in story.backup.iterdir():
            content = bytearray(path.read_bytes())
            if path.name == name:
                content[len(content) // 2] ^= 1
            (copy / path.name).write_bytes(content)
        with raises_code("audit.backup_damaged"):
            restore(copy, admin_url=admin_dsn(), database=other("never"), replace=True)


def test_a_live_database_is_not_written_over(story: Story) -> None:
    with raises_code("audit.restore_refused", match="--replace"):
        restore(story.backup, admin_url=admin_dsn(), database=settings.TEST_DATABASE, replace=False)
    with pytest.raises(CommandError, match="--replace names"):
        call_command("restore", str(story.backup), replace="another")


# --- put back, and closed ---


def test_a_database_that_was_put_back_is_closed(story: Story) -> None:
    restore(story.backup, admin_url=admin_dsn(), database=BACK, replace=False)
    assert reason() == RESTORED
    assert any(str(story.erased) in row for row in rows_of(BACK)["corpus_document"]), (
        "the backup holds nothing to erase"
    )


def test_nothing_is_served_of_it_but_that_it_is_closed(story: Story) -> None:
    client = Client()
    with acting_as("glassbox_api", database=BACK), override_settings(GLASSBOX_REQUIRE_REPLAY=True):
        for address in ("/", "/admin/login/", "/admin/"):
            answer = client.get(address)
            assert (answer.status_code, answer["Retry-After"]) == (503, "60")
            assert b"manage.py restore --replay" in answer.content
        for address in ("/api/v1/documents/", "/v1/models", "/mcp"):
            answer = client.get(address)
            assert (answer.status_code, answer.json()["code"]) == (503, "audit.not_served")
        assert client.get("/api/v1/health/").json()["checks"]["database"] == "ok"


def test_no_task_is_run_on_it_and_no_process_starts(story: Story) -> None:
    with acting_as(WORKER, database=BACK), override_settings(GLASSBOX_REQUIRE_REPLAY=True):
        forget()
        with pytest.raises(Ignore):
            seal()
        found = checks.run_checks(tags=[checks.Tags.database], databases=["default"])
        assert [each.id for each in found if each.is_serious() and (each.id or "").startswith("audit.")] == [
            "audit.E001"
        ]


@pytest.mark.parametrize(
    "arguments", [("ask", "What is due?", "--tenant", "acme"), ("audit", "verify", "--tenant", "acme")]
)
def test_no_command_works_with_it(story: Story, arguments: tuple[str, ...]) -> None:
    with acting_as("glassbox_api", database=BACK), override_settings(GLASSBOX_REQUIRE_REPLAY=True):
        forget()
        with pytest.raises(CommandError, match="restore --replay"):
            call_command(*arguments)


def test_migrating_it_does_not_open_it(story: Story) -> None:
    from apps.tenants.provision import settle

    settle(admin_url=admin_dsn(), database=BACK)
    assert reason() == RESTORED


def test_a_changed_tombstone_is_noticed_before_anything_is_removed(story: Story) -> None:
    path = story.tombstones / "1.tombstone"
    whole = path.read_text()
    told = json.loads(whole)
    told["targets"] = told["targets"][1:]
    path.write_text(json.dumps(told))
    try:
        with pytest.raises(TombstonesDamagedError, match="number 1"):
            replay(database=BACK)
    finally:
        path.write_text(whole)
    assert reason() == RESTORED


def test_a_tombstone_that_was_taken_away_is_noticed(story: Story) -> None:
    path = story.tombstones / "2.tombstone"
    whole = path.read_text()
    path.unlink()
    try:
        with pytest.raises(TombstonesDamagedError, match="it was removed"):
            replay(database=BACK)
    finally:
        path.write_text(whole)


class Killed(BaseException):
    """What no handler of the application sees, as SIGKILL: everything that is committed by then stays."""


@pytest.mark.parametrize("step", ["_clear", "_authorise", "_erase", "_judge", "_end"])
def test_killed_in_the_middle_it_stays_closed(story: Story, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    done = getattr(replaying, step)

    def killed(*args: object) -> None:
        done(*args)
        raise Killed

    monkeypatch.setattr(replaying, step, killed)
    with pytest.raises(Killed):
        replay(database=BACK)
    assert reason() == RESTORED


def test_what_a_store_still_holds_keeps_it_closed(story: Story, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stubborn:
        key, label, phase = "test.stubborn", "A store that gives nothing back", 10
        types = frozenset({TargetType.DOCUMENT})

        def count(self, targets: list[Target]) -> int:
            return sum(target.id == story.erased for target in targets)

        def clear(self, targets: list[Target], *, limit: int) -> int:
            return 0

    known = stores()
    monkeypatch.setattr(replaying, "stores", lambda: (*known, Stubborn()))
    with raises_code("audit.replay_incomplete", match=r"test\.stubborn"):
        replay(database=BACK)
    assert reason() == RESTORED


# --- replayed, and open ---


def test_the_replay_goes_on_where_it_was_killed_and_opens_the_database(story: Story) -> None:
    done = replay(database=BACK)
    assert done.was_closed
    assert done.through == 2
    assert reason() == ""
    client = Client()
    with acting_as("glassbox_api", database=BACK), override_settings(GLASSBOX_REQUIRE_REPLAY=True):
        forget()
        assert client.get("/admin/login/").status_code == 200


def test_nothing_of_what_was_erased_is_in_any_table_and_all_else_is_whole(story: Story) -> None:
    back, live = rows_of(BACK), rows_of(settings.TEST_DATABASE)
    assert back.keys() == live.keys()
    for tables in (back, live):
        # An emptied account's password is a new random one that nobody knows.
        emptied = {row for row in tables["tenants_user"] if f"erased-{story.person}" in row}
        assert len(emptied) == 1
        tables["tenants_user"] -= emptied
    assert {table for table in back if table not in OWN and back[table] != live[table]} == set()
    for table, rows in back.items():
        assert not [row for row in rows if BEA in row], table
    groups = [row for row in back["audit_payload"] if str(story.answered) in row]
    assert {
        name for name in ("core", "question", "answer", "passages") if any(f",{name}," in row for row in groups)
    } == {
        "core",
        "question",
    }


def test_the_log_says_that_it_was_put_back_once_and_goes_on_under_another_name(story: Story) -> None:
    for firm in (story.world.acme, story.world.bolt):
        before = story.exported(firm, origin_of(firm.id))
        with override_settings(GLASSBOX_LOG_SIGNING_KEY=signing_key()), acting_as(WORKER, database=BACK):
            with open_scope(tenant=firm.id, reason="a test"):
                event = Event.objects.get(action="audit.log.restored")
                core = event.payload["core"]
                assert current_origin(firm.id) == f"{origin_of(firm.id)}/restored/{event.id}"
            assert core["exported_size"] == int(before.split("\n")[1]) > core["leaves"]
            assert core["exported_origin"] == origin_of(firm.id)
            from apps.audit.log.sequencer import seal_tenant

            seal_tenant(firm.id)
            assert checkpoint_tenant(firm.id)
            after = story.exported(firm, f"{origin_of(firm.id)}/restored/{event.id}")
            assert verify_tenant(tenant=firm.id, checkpoint=after).is_intact
            found = verify_tenant(tenant=firm.id, checkpoint=before)
            assert set(found.totals) <= {FindingClass.TRUNCATED, FindingClass.INCONSISTENT}
            assert not found.is_intact
        assert story.exported(firm, origin_of(firm.id)) == before


def test_the_offline_verifier_agrees_on_a_log_that_was_put_back(story: Story, tmp_path: Path) -> None:
    firm = story.world.bolt
    with acting_as(WORKER, database=BACK):
        export_log(tenant=firm.id, output=tmp_path / "log")
        with open_scope(tenant=firm.id, reason="a test"):
            origin = current_origin(firm.id)
    for name, content, is_intact in (
        ("after", story.exported(firm, origin), True),
        ("before", story.exported(firm, origin_of(firm.id)), False),
    ):
        (tmp_path / name).write_text(content)
        assert (not verify(tmp_path / "log", tmp_path / name).findings) is is_intact


def test_a_log_that_only_says_that_it_was_put_back_is_not_signed(story: Story) -> None:
    """Whoever owns the database cuts the log off and records a restore; nothing outside knows of one."""
    firm = story.world.bolt
    with as_worker():
        with acting_as("glassbox_owner"), open_scope(tenant=firm.id, reason="a test"):
            event = record(action="audit.log.restored", core={"leaves": 1})
        sealed(firm)
        with pytest.raises(Exception, match="knows nothing of"):
            checkpoint_tenant(firm.id)
    (story.tombstones / f"restored-{event.id}").write_text("{}")
    with as_worker(), pytest.raises(TombstonesDamagedError):
        checkpoint_tenant(firm.id)


def test_a_replay_that_finds_nothing_to_do_changes_nothing(story: Story) -> None:
    before = rows_of(BACK)
    done = replay(database=BACK)
    assert not done.was_closed
    assert sum(each.removed.total() for each in done.tenants) == 0
    assert rows_of(BACK)["audit_event"] == before["audit_event"]


# --- put back by other hands ---


def test_a_dump_put_back_in_place_by_hand_is_noticed(story: Story) -> None:
    tool = program("pg_restore", server_version=read_manifest(story.backup)["server_version"])
    in_place = "--clean --if-exists --schema=public"
    subprocess.run(
        [tool, *in_place.split(), f"--dbname={admin_dsn()} dbname={BACK}", story.backup / "database.dump"],
        check=True,
        capture_output=True,
    )
    assert reason() == RESTORED


def test_a_copy_of_a_database_is_noticed(story: Story) -> None:
    replay(database=BACK)
    assert reason() == ""
    with administrator("postgres") as server:
        server.execute(f'CREATE DATABASE "{other("hand")}" TEMPLATE "{BACK}"')
    assert reason(other("hand")) == RESTORED


def test_a_database_that_is_older_than_the_tombstones_is_noticed_though_it_is_the_same(story: Story) -> None:
    with administrator(BACK) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute("DELETE FROM audit_tombstonemark")
    assert reason() == BEHIND
    replay(database=BACK)
    assert reason() == ""


def test_tombstones_that_are_gone_altogether_are_noticed(story: Story, tmp_path: Path) -> None:
    for path in story.tombstones.glob("served-*"):
        (tmp_path / path.name).write_text(path.read_text())
    with override_settings(GLASSBOX_TOMBSTONES_URL=str(tmp_path)):
        assert reason() == LOST


@pytest.fixture
def _unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    """The suite's server has other databases, which nobody is to look through (test_restore_proof.py has the proof)."""
    monkeypatch.setattr("apps.operations.management.commands.restore._access", lambda database: None)


@pytest.mark.usefixtures("_unproven")
def test_an_older_database_takes_the_place_of_the_newer_by_its_name(story: Story) -> None:
    """The whole command, as an operator calls it; the database that was there is kept."""
    call_command("restore", str(story.backup), into=BACK, replace=BACK)
    with administrator("postgres") as server:
        rows = server.execute("SELECT datname FROM pg_database WHERE datname LIKE %s", [f"{BACK}_replaced%"]).fetchall()
    assert len(rows) == 1
    drop(rows[0][0])
    assert reason() == ""
    assert not [row for row in rows_of(BACK)["corpus_document"] if str(story.erased) in row]


def test_what_a_hold_of_the_backup_keeps_stays_unseen_until_it_is_released(story: Story) -> None:
    """Held when the backup was made; released and erased since. Nobody destroys on a guess what a hold keeps."""
    firm, gamma = story.world.acme, story.world.documents["gamma"]
    dora = person(firm, "dora-acme", Role.DPO)
    assert dora.id is not None
    with acting_as("glassbox_api", database=BACK), as_(dora):
        hold = hold_place(
            matter="A dispute",
            ground="An order of a court",
            owner_id=dora.id,
            review_on=timezone.now().date() + timedelta(days=30),
            targets=[document(gamma)],
        )
    removed(firm, [document(gamma)])
    assert reason() == BEHIND
    done = {each.tenant_id: each for each in replay(database=BACK).tenants}
    assert done[firm.id].kept == 1
    assert reason() == ""
    with acting_as("glassbox_api", database=BACK):
        with open_scope(tenant=firm.id, principal=story.world.ann):
            assert not Document.objects.filter(id=gamma).exists()
        with as_(dora):
            assert Document.objects.filter(id=gamma).exists()
            hold_release(hold_id=hold.id, reason="It is settled")
    done = {each.tenant_id: each for each in replay(database=BACK).tenants}
    assert done[firm.id].kept == 0
    assert not [row for rows in rows_of(BACK).values() for row in rows if str(gamma) in row and "gamma" in row]
    with acting_as("glassbox_api", database=BACK), as_(dora):
        assert not Document.objects.filter(id=gamma).exists()


@pytest.mark.usefixtures("_unproven")
def test_a_tenant_that_was_erased_since_the_backup_is_erased_again(story: Story) -> None:
    firm = story.world.bolt
    assert ended(firm, approved(firm, [whole(firm)])) is RunState.COMPLETED
    before = rows_of(settings.TEST_DATABASE)
    call_command("restore", str(story.backup), into=BACK, replace=BACK)
    assert reason() == ""
    back = rows_of(BACK)
    assert {
        table
        for table in back
        if table not in OWN
        and {row for row in back[table] if str(firm.id) in row} != {row for row in before[table] if str(firm.id) in row}
    } == set()
    with override_settings(GLASSBOX_LOG_SIGNING_KEY=signing_key()), acting_as(WORKER, database=BACK):
        # What was authorised anew is authorised once the worker has signed it.
        checkpoint_tenant(firm.id)
        assert verify_tenant(tenant=firm.id).findings == ()
