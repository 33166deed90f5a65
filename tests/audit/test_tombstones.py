"""Tombstones: written before anything is removed, confirmed after the commit, chained, and without personal data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from django.conf import LazySettings
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection

from apps.audit.errors import TombstonesDamagedError, TombstonesUnavailableError
from apps.audit.log.tombstone_place import TombstonePlace, tombstone_place
from apps.audit.models import Event
from apps.erasure.contracts import DigestKind, Origin, Target, TargetType
from apps.erasure.models import TombstoneMark
from apps.erasure.tombstones import chain
from apps.erasure.tombstones.chain import is_tombstoned, tombstones
from apps.erasure.tombstones.gate import DatabaseState, judged
from apps.erasure.tombstones.record import Kind
from apps.erasure.tombstones.writing import tombstone_close, tombstone_write
from apps.operations.backup.acting import ERASER, acting_as
from apps.operations.backup.opening import open_where_nothing_is_erased
from apps.tenants.context import open_scope
from tests.baked import baked
from tests.benchmarks.wall_databases import Databases
from tests.conftest import admin_dsn
from tests.corpus.ingesting import REPORT, ingest
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def outside(tmp_path: Path, settings: LazySettings) -> Iterator[Path]:
    settings.GLASSBOX_TOMBSTONES_URL = str(tmp_path / "tombstones")
    yield tmp_path / "tombstones"
    chain._known.clear()


@pytest.fixture
def acme() -> Firm:
    return baked(make_firm, "acme")


def document(id: UUID | None = None) -> Target:
    return Target(type=TargetType.DOCUMENT, id=id or uuid4())


def begin(
    firm: Firm, *targets: Target, run_id: UUID | None = None, origin: Origin = Origin.REQUEST, end: bool = False
) -> UUID:
    """As the eraser, whose rights must do."""
    run = run_id or uuid4()
    with acting_as(ERASER):
        (tombstone_close if end else tombstone_write)(
            tenant_id=firm.id, run_id=run, origin=origin, reason_code="erasure_request", targets=targets
        )
    return run


def numbers(firm: Firm) -> list[int]:
    with open_scope(tenant=firm.id, reason="a test"):
        return sorted(TombstoneMark.objects.values_list("number", flat=True))


def test_a_tombstone_is_outside_and_marked_and_recorded_and_then_confirmed(acme: Firm, outside: Path) -> None:
    target = document()
    run = begin(acme, target)
    (found,) = tombstones()
    assert (found.number, found.kind, found.tenant_id, found.run_id) == (1, Kind.BEGUN, acme.id, run)
    assert found.targets == (target,)
    assert tombstone_place().confirmed() == 1
    assert numbers(acme) == [1]
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="audit.tombstone.written")
        assert event.id == found.event_id
        assert event.payload["core"] == {"number": 1, "kind": "begun", "run_id": str(run), "targets": 1}
    assert (outside / "1.tombstone").stat().st_mode & 0o007 == 0


def test_it_is_outside_before_the_database_knows_of_it_and_confirmed_only_after(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken off after the commit: nothing was removed, the database is open, and the run writes nothing twice."""
    run, target = uuid4(), document()

    def lost(self: TombstonePlace, number: int) -> None:
        raise TombstonesUnavailableError(place="the store", problem="gone")

    with monkeypatch.context() as patched:
        patched.setattr(TombstonePlace, "confirm", lost)
        with pytest.raises(TombstonesUnavailableError):
            begin(acme, target, run_id=run)
    assert (numbers(acme), tombstone_place().confirmed()) == ([1], 0)
    begin(acme, target, run_id=run)
    assert (numbers(acme), tombstone_place().confirmed(), len(list(tombstones()))) == ([1], 1, 1)


def test_one_that_was_written_and_then_rolled_back_is_taken_up_by_the_same_run(
    acme: Firm, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, target = uuid4(), document()

    class Broken(Exception):
        pass

    def fail(**values: object) -> None:
        raise Broken

    with monkeypatch.context() as patched:
        patched.setattr(TombstoneMark.objects, "create", fail)
        with pytest.raises(Broken):
            begin(acme, target, run_id=run)
    assert (numbers(acme), len(list(tombstones())), tombstone_place().confirmed()) == ([], 1, 0)
    begin(acme, document())
    begin(acme, target, run_id=run)
    assert (numbers(acme), len(list(tombstones())), tombstone_place().confirmed()) == ([1, 2], 2, 2)


def test_what_is_named_already_is_not_written_again_and_what_is_new_is(acme: Firm) -> None:
    one, two = document(), document()
    run = begin(acme, one)
    begin(acme, one, run_id=run)
    begin(acme, one, two, run_id=run)
    assert [each.targets for each in tombstones()] == [(one,), (two,)]
    begin(acme, two, run_id=run, end=True)
    begin(acme, two, run_id=run, end=True)
    begin(acme, one, two, run_id=run)
    assert [(each.kind, each.targets) for each in tombstones()][2:] == [(Kind.ENDED, (two,)), (Kind.BEGUN, (two,))]
    assert numbers(acme) == [1, 2, 3, 4]


def test_tombstones_of_two_tenants_are_one_chain_and_told_apart(acme: Firm) -> None:
    bolt = make_firm("bolt")
    begin(acme, document())
    begin(bolt, document())
    begin(acme, document())
    first, second, third = tombstones()
    assert (second.previous, third.previous) == (first.mac, second.mac)
    assert [each.tenant_id for each in (first, second, third)] == [acme.id, bolt.id, acme.id]


@pytest.mark.parametrize("change", ["targets", "tenant", "at", "previous", "mac", "number", "kind"])
def test_a_changed_tombstone_is_noticed(acme: Firm, outside: Path, change: str) -> None:
    begin(acme, document())
    begin(acme, document())
    path = outside / "2.tombstone"
    told = json.loads(path.read_text())
    others = json.loads((outside / "1.tombstone").read_text())
    told[change] = {"kind": "ended", "tenant": str(uuid4())}.get(change, others[change])
    path.write_text(json.dumps(told))
    chain._known.clear()
    with pytest.raises(TombstonesDamagedError, match="number 2"):
        list(tombstones())


def test_tombstones_in_another_order_are_noticed(acme: Firm, outside: Path) -> None:
    for _ in range(3):
        begin(acme, document())
    second, third = outside / "2.tombstone", outside / "3.tombstone"
    first_text, second_text = second.read_text(), third.read_text()
    second.write_text(second_text)
    third.write_text(first_text)
    with pytest.raises(TombstonesDamagedError):
        list(tombstones())


def test_the_last_one_taken_away_is_noticed_also_with_its_confirmation(acme: Firm, outside: Path) -> None:
    begin(acme, document())
    earlier = (outside / "latest").read_text()
    begin(acme, document())
    (outside / "2.tombstone").unlink()
    with pytest.raises(TombstonesDamagedError, match="it was removed"):
        list(tombstones())
    (outside / "latest").write_text(earlier)
    chain._known.clear()
    # Outside all looks whole; the database knows better.
    assert len(list(tombstones())) == 1
    with open_scope(tenant=acme.id, reason="a test"), pytest.raises(TombstonesDamagedError, match="database knows"):
        is_tombstoned(DigestKind.CONTENT, "0" * 64)


def test_another_key_is_noticed(acme: Firm, settings: LazySettings) -> None:
    begin(acme, document())
    settings.GLASSBOX_AUDIT_KEY = bytes(32)
    with pytest.raises(TombstonesDamagedError):
        list(tombstones())


def test_a_mark_is_neither_changed_nor_removed_and_the_web_process_writes_none(acme: Firm) -> None:
    begin(acme, document())
    for statement in (
        "DELETE FROM audit_tombstonemark",
        "UPDATE audit_tombstonemark SET number = 7",
        f"INSERT INTO audit_tombstonemark (tenant_id, number, kind) VALUES ('{acme.id}', 7, 'begun')",
    ):
        with (
            pytest.raises(DatabaseError, match=r"permission denied|append-only"),
            open_scope(tenant=acme.id, reason="a test"),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


def test_a_tombstone_holds_no_personal_data(acme: Firm, outside: Path) -> None:
    content = REPORT + b"\n\nMs Erika Beispiel was ill.\n"
    stored = ingest(acme, content, filename="beispiel.md", external_id="HR-4711").document
    begin(acme, document(stored.id))
    text = (outside / "1.tombstone").read_text()
    told = json.loads(text)
    assert sorted(kind for kind, _ in told["digests"]) == ["content_sha256", "external_id"]
    for word in ("Beispiel", "beispiel", "HR-4711", stored.content_sha256, stored.title, stored.slug):
        assert word not in text


# --- what may not come again ---


def test_a_request_is_remembered_by_its_tenant_alone_and_a_purge_not_at_all(acme: Firm) -> None:
    bolt = make_firm("bolt")
    first, second = ingest(acme).document, ingest(acme, REPORT + b"2", filename="2.md").document
    run = begin(acme, document(first.id))
    begin(acme, document(second.id), origin=Origin.PURGE)
    with open_scope(tenant=acme.id, reason="a test"):
        found = is_tombstoned(DigestKind.CONTENT, first.content_sha256)
        assert found is not None
        assert (found.run_id, found.number) == (run, 1)
        assert is_tombstoned(DigestKind.CONTENT, second.content_sha256) is None
        assert is_tombstoned(DigestKind.EXTERNAL_ID, first.content_sha256) is None
    with open_scope(tenant=bolt.id, reason="a test"):
        assert is_tombstoned(DigestKind.CONTENT, first.content_sha256) is None


def test_with_a_scope_go_the_digests_of_its_documents(acme: Firm) -> None:
    stored = ingest(acme).document
    begin(acme, Target(type=TargetType.SCOPE, id=stored.scope_id))
    with open_scope(tenant=acme.id, reason="a test"):
        assert is_tombstoned(DigestKind.CONTENT, stored.content_sha256) is not None


def test_where_tombstones_can_t_be_read_nobody_says_that_there_is_none(acme: Firm, settings: LazySettings) -> None:
    settings.GLASSBOX_TOMBSTONES_URL = "relative/path"
    with open_scope(tenant=acme.id, reason="a test"), pytest.raises(TombstonesUnavailableError, match="TOMBSTONES_URL"):
        is_tombstoned(DigestKind.CONTENT, "0" * 64)
    with pytest.raises(TombstonesUnavailableError):
        tombstone_write(
            tenant_id=acme.id,
            run_id=uuid4(),
            origin=Origin.REQUEST,
            reason_code="erasure_request",
            targets=[document()],
        )


# --- which databases are open from the beginning ---


def test_a_migration_opens_a_database_that_never_had_a_tenant_and_no_other(acme: Firm, outside: Path) -> None:
    """The suite's own has tenants, as if it came from a backup."""
    open_where_nothing_is_erased(admin_dsn(), connection.settings_dict["NAME"])
    assert not list(outside.rglob("*"))
    with Databases() as databases:
        open_where_nothing_is_erased(admin_dsn(), databases.copy("first"))
    tombstone_place().found()
    place = tombstone_place()
    assert judged(DatabaseState(identity="x", has_tenants=False, number=0), place) == ""
    assert judged(DatabaseState(identity="x", has_tenants=True, number=0), place)


def test_the_command_wants_one_thing_at_a_time() -> None:
    for arguments in ((), ("/nowhere", "--replay")):
        with pytest.raises(CommandError, match="Name the backup"):
            call_command("restore", *arguments)
    with pytest.raises(CommandError, match="not a backup"):
        call_command("restore", "/nowhere")
