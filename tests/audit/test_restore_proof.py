"""A restore ends with a proof of its own: what came back is removed, forgotten by the disk, looked for, and certified.

One story of a firm: a person erased before its backup, another one after it. Each test puts the backup back anew, as a
copy of a database that was restored once.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import pytest
from django.conf import settings
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connections
from django.test import TransactionTestCase, override_settings
from psycopg import sql
from pytest_django import DjangoDbBlocker

from apps.audit.log.checkpoints import checkpoint_tenant
from apps.audit.log.sequencer import seal_tenant
from apps.audit.models import Event
from apps.erasure.certificate import offline
from apps.erasure.certificate.checking import checked, holds
from apps.erasure.certificate.document import document_of, supplement_of
from apps.erasure.certificate.issuing import issue_tenant
from apps.erasure.contracts import Origin, Target
from apps.erasure.models import Certificate, RemovalRun, Restoration, Supplement
from apps.erasure.proof import safe
from apps.erasure.proof.prover import prove_restored
from apps.erasure.proof.restorations import folder_of
from apps.erasure.residue.access import Access
from apps.erasure.residue.needles import make_needles
from apps.erasure.residue.places import every_place
from apps.erasure.residue.scanning import scan
from apps.erasure.tombstones.gate import RESTORED, reason_not_to_serve
from apps.operations.backup.acting import ERASER, OWNER, WORKER, acting_as
from apps.operations.backup.dump import backup_write
from apps.operations.backup.load import restore
from apps.operations.backup.replay import Replay, replay
from apps.operations.backup.restorations import Backup
from apps.tenants.context import open_scope
from tests.audit.acting import checkpointed, sealed, signing_key
from tests.audit.proving import certified, letter, own_access
from tests.audit.putting_back import administrator, drop, other
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm
from tests.own import OWN

pytestmark = pytest.mark.slow

BACK, COPY = other("proofback"), other("proofcopy")
EARLY: Final = f"Ottilie Zwirnstein{OWN}-Achleitner"
LATER: Final = f"Leberecht Hopfensperger{OWN}-Quast"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """early, later: the runs that erased somebody before and after the backup. file: the certificate of the later one,
    as somebody has it. bolt: of which nothing was ever erased."""

    acme: Firm
    bolt: Firm
    backup: Path
    early: UUID
    later: UUID
    about: Target
    file: Json
    home: Path


@pytest.fixture(scope="module")
def story(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Story]:
    outside = tmp_path_factory.mktemp("outside")
    changes = {
        "GLASSBOX_TOMBSTONES_URL": str(outside / "tombstones"),
        "GLASSBOX_CHECKPOINT_URL": str(outside / "checkpoints"),
        "GLASSBOX_PHYSICAL_ORIGINS": frozenset({Origin.REQUEST}),
    }
    with django_db_blocker.unblock(), override_settings(**changes):
        try:
            yield _told(outside)
        finally:
            drop(BACK, COPY)
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())  # type: ignore[attr-defined]
            cache.clear()


def _told(outside: Path) -> Story:
    acme, bolt = make_firm("acme"), make_firm("bolt")
    early = certified(acme, [letter(acme, EARLY)])
    about = letter(acme, LATER)
    for firm in (acme, bolt):
        sealed(firm, 1)
        checkpointed(firm)
    backup = backup_write(outside / "backup")
    later = certified(acme, [about])
    with open_scope(tenant=acme.id, reason="a test"):
        file = json.loads(json.dumps(document_of(later)))
    restore(backup.path, admin_url=admin_dsn(), database=BACK, replace=False)
    return Story(
        acme=acme,
        bolt=bolt,
        backup=backup.path,
        early=early.run_id,
        later=later.run_id,
        about=about,
        file=file,
        home=outside / "home",
    )


@pytest.fixture
def access(story: Story, tmp_path: Path) -> Access:
    """To a fresh copy of the database that was put back, with a state folder of its own."""
    drop(COPY)
    with administrator("postgres") as server:
        names = (sql.Identifier(COPY), sql.Identifier(BACK))
        server.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {} STRATEGY file_copy").format(*names))
    found = own_access(tmp_path, turned_over=False)
    return replace(found, database=COPY, backup_url={**found.backup_url, "PGDATABASE": COPY})


def replayed(access: Access | None) -> Replay:
    return replay(database=COPY, access=access)


def proved(access: Access) -> dict[str, int]:
    with acting_as(ERASER, database=COPY):
        went = prove_restored(access, wait_s=10)
    return {str(state): count for state, count in went.restored.items()}


def rows(story: Story) -> list[Restoration]:
    """Of acme, the newest first."""
    with acting_as(WORKER, database=COPY), open_scope(tenant=story.acme.id, reason="a test"):
        return list(Restoration.objects.all())


def supplements(story: Story) -> list[Json]:
    """As files, the first one first, once the worker has signed what was stated."""
    firm = story.acme
    with acting_as(WORKER, database=COPY), override_settings(GLASSBOX_LOG_SIGNING_KEY=signing_key()):
        seal_tenant(firm.id)
        checkpoint_tenant(firm.id)
        issue_tenant(firm.id)
        with open_scope(tenant=firm.id, reason="a test"):
            return [json.loads(json.dumps(supplement_of(each))) for each in Supplement.objects.order_by("number")]


def certificate(story: Story) -> Json:
    """Of the erasure of before the backup, as it is handed out now."""
    with acting_as(WORKER, database=COPY), open_scope(tenant=story.acme.id, reason="a test"):
        found: Json = json.loads(json.dumps(document_of(Certificate.objects.get(run_id=story.early))))
        return found


def said_of(document: Json, folder: Path) -> str:
    """What both verifiers say of a file that holds: the same, and they agree that it does."""
    path = folder / "certificate.json"
    path.write_text(json.dumps(document))
    assert holds(checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS)), checked(
        document, settings.GLASSBOX_LOG_VERIFY_KEYS
    )
    keys = [word for key in settings.GLASSBOX_LOG_VERIFY_KEYS for word in ("--key", key.line())]
    found = subprocess.run(
        [sys.executable, "-I", offline.__file__, path, *keys], capture_output=True, text=True, check=False, env={}
    )
    assert found.returncode == 0, found.stdout + found.stderr
    (folder / "said").write_text("")
    with (folder / "said").open("w") as said:
        call_command("erasure", "verify-certificate", str(path), stdout=said)
    told = [line for line in (folder / "said").read_text().splitlines() if "estored on" in line or "again" in line]
    assert told == [line for line in found.stdout.splitlines() if "estored on" in line or "again" in line]
    return "\n".join(told)


def on_the_disk(access: Access) -> set[str]:
    """Where something of the person lies who came back."""
    needles = make_needles(texts=[LATER, f"leberecht@{OWN}.example complains"])
    return set(scan(needles, every_place(access)).by_group())


def test_what_came_back_is_removed_forgotten_by_the_disk_looked_for_and_certified(
    story: Story, access: Access, tmp_path: Path
) -> None:
    assert {"heap", "dump"} <= on_the_disk(access)
    done = replayed(access)
    assert done.was_closed
    [row] = rows(story)
    assert (row.state, row.came_back["corpus.documents"]) == ("awaiting", 1)
    assert {run["run"]: (run["came_back"] > 0, run["targets"]) for run in row.runs} == {
        str(story.early): (False, 1),
        str(story.later): (True, 1),
    }
    assert row.prepared_at is not None
    assert row.verification["control"]["found"] == row.verification["control"]["sources"] > 5
    kept = safe.path_of(folder_of(access), tenant_id=story.acme.id, run_id=row.id)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert LATER.encode() not in kept.read_bytes()
    # Every store counts zero, and the person stands in the files nevertheless: this is what the proof is for.
    assert "heap" in on_the_disk(access)
    [first] = supplements(story)
    assert (first["certificate"]["outcome"], first["certificate"]["why"]) == ("not_proven", "awaiting")
    assert f"{story.later}: Restored on" in said_of(first, tmp_path)
    assert "NOT proven again (awaiting)" in said_of(first, tmp_path)

    assert proved(access) == {"proved": 1}
    [row] = rows(story)
    assert row.state == "proved"
    assert (row.verification["scan"]["clean"], row.verification["physical"]["complete"]) == (True, True)
    assert not kept.exists()
    assert on_the_disk(access) == set()
    _, second = supplements(story)
    body = second["certificate"]
    assert (body["outcome"], body["scan"]["hits"], body["end"]) == ("proved", 0, 2)
    assert f"{story.later}: Proved again on" in said_of(second, tmp_path)
    # Whoever runs the platform gets it, though the database knows no more of the run.
    printed = StringIO()
    with acting_as("glassbox_api", database=COPY):
        call_command("erasure", "certificate", str(story.later), stdout=printed, stderr=StringIO())
    assert json.loads(printed.getvalue()) == second
    # The file that somebody has of the erasure holds as before, and its targets are those of the supplement.
    assert said_of(story.file, tmp_path) == ""
    assert set(story.file["targets"]) < set(second["targets"])
    # The one of the erasure before the backup brings along what was signed of it since.
    newer = certificate(story)
    assert [each["certificate"]["number"] for each in newer["restored"]] == [2, 1]
    assert "Restored on" in said_of(newer, tmp_path)
    assert "nothing of it came back" in said_of(newer, tmp_path)
    written = json.dumps([newer, second], ensure_ascii=False) + json.dumps(row.verification)
    assert not [name for name in (LATER, EARLY, "Hopfensperger", OWN) if name in written]


def test_of_a_tenant_of_which_nothing_was_erased_nothing_is_said(story: Story, access: Access) -> None:
    replayed(None)
    with acting_as(WORKER, database=COPY), open_scope(tenant=story.bolt.id, reason="a test"):
        assert not Restoration.objects.exists()
        assert not Event.objects.filter(action="audit.restoration.stated").exists()


def test_a_backup_that_holds_none_of_them_is_told_of_and_needs_no_proof(
    story: Story, access: Access, tmp_path: Path
) -> None:
    """As one made after all of it: put back once more, after its replay, into a database of another identity."""
    replayed(None)
    second = other("proofagain")
    with administrator("postgres") as server:
        server.execute(f'CREATE DATABASE "{second}" TEMPLATE "{COPY}" STRATEGY file_copy')
    try:
        drop(COPY)
        with administrator("postgres") as server:
            server.execute(f'ALTER DATABASE "{second}" RENAME TO "{COPY}"')
        assert replayed(access).was_closed
        newest, before = rows(story)
        assert (newest.state, newest.came_back, before.state) == ("untouched", {}, "awaiting")
        first, last = supplements(story)
        assert first["certificate"]["outcome"] == "not_proven"
        assert last["certificate"]["outcome"] == "nothing_came_back"
        assert said_of(last, tmp_path).count("nothing of it came back") == 2
        document = certificate(story)
        assert [each["certificate"]["number"] for each in document["restored"]] == [2, 1]
        assert said_of(document, tmp_path).count("nothing of it came back") == 2, "once for each restore"
    finally:
        drop(second)


def test_without_the_administrators_access_it_says_that_there_is_no_proof(
    story: Story, access: Access, tmp_path: Path
) -> None:
    replayed(None)
    [row] = rows(story)
    assert (row.state, row.prepared_at, row.error_code) == ("awaiting", None, "no_administrator")
    assert supplements(story)[-1]["certificate"]["why"] == "no_administrator"
    # With the access the disk is made to forget it all the same; nobody can say what to look for.
    assert proved(access) == {"unproven": 1}
    [row] = rows(story)
    body = supplements(story)[-1]["certificate"]
    assert (body["outcome"], body["why"], body["scan"]) == ("not_proven", "no_administrator", None)
    assert body["physical"]["complete"] is True
    assert on_the_disk(access) == set()
    assert "NOT proven again (no_administrator)" in said_of(supplements(story)[-1], tmp_path)


def test_what_is_found_is_said_and_looked_at_again_when_it_is_cleared(story: Story, access: Access) -> None:
    replayed(access)
    forgotten = access.home / "log" / "worker.log"
    forgotten.parent.mkdir(parents=True, exist_ok=True)
    forgotten.write_text(f"could not read: Complaint of {LATER}\n")
    assert proved(access) == {"failed": 1}
    [row] = rows(story)
    assert (row.state, row.error_code) == ("failed", "audit.proof_residue")
    assert {hit["place"] for hit in row.verification["scan"]["hits"]} == {"log/worker.log"}
    assert [each["certificate"]["outcome"] for each in supplements(story)] == ["not_proven", "not_proven"]
    forgotten.unlink()
    assert proved(access) == {"proved": 1}
    assert [each["certificate"]["end"] for each in supplements(story)] == [1, 2, 3]


def test_needles_that_are_lost_between_removal_and_proof_are_said(story: Story, access: Access) -> None:
    replayed(access)
    [row] = rows(story)
    safe.destroy(folder_of(access), tenant_id=story.acme.id, run_id=row.id)
    assert proved(access) == {"unproven": 1}
    assert supplements(story)[-1]["certificate"]["why"] == "audit.proof_needles_lost"


def test_a_plan_of_another_database_is_made_anew(story: Story, access: Access) -> None:
    """Files of another number would pass for written anew."""
    replayed(access)
    with access.connect() as connection:
        connection.execute(
            "UPDATE audit_restoration SET verification = verification || "
            '\'{"plan": {"database": "another", "tables": [], "statistics": [], "next_transaction": 1}, '
            '"physical": {"complete": true}, "scan": {"clean": true}}\''
        )
    assert proved(access) == {"proved": 1}
    [row] = rows(story)
    assert row.verification["plan"]["database"] != "another"
    assert {table["name"] for table in row.verification["plan"]["tables"]} >= {"corpus_document", "corpus_page"}


@pytest.mark.parametrize("role", ["glassbox_api", WORKER, ERASER])
def test_nobody_of_the_application_says_that_a_scan_was_clean_or_that_nothing_came_back(
    story: Story, access: Access, role: str
) -> None:
    replayed(None)
    with acting_as(role, database=COPY):
        for values in (
            {"verification": {"scan": {"clean": True}}},
            {"came_back": {}},
            {"state": "proved"},
            {"state": "untouched"},
            {"runs": []},
        ):
            with pytest.raises(DatabaseError), open_scope(tenant=story.acme.id, reason="a test"):
                Restoration.objects.update(**values)
        with pytest.raises(DatabaseError), open_scope(tenant=story.acme.id, reason="a test"):
            Restoration.objects.create(
                tenant_id=story.acme.id, restore_id=story.later, through=1, targets=0, manifest="0" * 64
            )
    with (
        acting_as(OWNER, database=COPY),
        pytest.raises(DatabaseError),
        open_scope(tenant=story.acme.id, reason="a test"),
    ):
        Restoration.objects.all().delete()


def test_a_supplement_that_was_altered_or_is_of_another_erasure_is_found_out(
    story: Story, access: Access, tmp_path: Path
) -> None:
    replayed(access)
    proved(access)
    supplements(story)
    document = certificate(story)
    keys = [offline.parsed_key(key.line()) for key in settings.GLASSBOX_LOG_VERIFY_KEYS]

    def refused(altered: Json) -> bool:
        ours = [check.label for check in checked(altered, settings.GLASSBOX_LOG_VERIFY_KEYS) if check.problem]
        assert ours == [label for label, problem in offline.checked(altered, keys) if problem]
        return bool(ours)

    def changed(*path: Any, value: Any) -> Json:
        altered: Json = json.loads(json.dumps(document))
        inner: Any = altered
        for name in path[:-1]:
            inner = inner[name]
        inner[path[-1]] = value
        return altered

    assert not refused(document)
    assert refused(changed("restored", 1, "certificate", "outcome", value="proved"))
    assert refused(changed("restored", 0, "certificate", "scan", "hits", value=1))
    assert refused(changed("restored", 0, "certificate", "runs", value=[]))
    assert refused(changed("restored", 0, "note", value=document["note"]))
    assert refused(changed("restored", 0, value={**document, "restored": []}))
    assert refused(changed("restored", value={"0": document["restored"][0]}))
    # Of a certificate that somebody has of an erasure that is not in it at all.
    stray = {**story.file, "restored": document["restored"]}
    assert not refused(stray)
    stray["restored"] = [{**document["restored"][0], "targets": []}]
    assert not refused(stray), "a list that is left out is not missed: its root is signed"


def test_a_backup_older_than_the_request_is_linked_to_it_by_its_tombstone(story: Story, access: Access) -> None:
    with open_scope(tenant=story.acme.id, reason="a test"):
        origin = RemovalRun.objects.get(id=story.later).origin_id
    replayed(None)
    with acting_as(WORKER, database=COPY), open_scope(tenant=story.acme.id, reason="a test"):
        assert not RemovalRun.objects.filter(id=story.later).exists()
        [row] = Restoration.objects.filter(runs__contains=[{"origin_id": str(origin)}])
    assert next(run for run in row.runs if run["run"] == str(story.later))["origin"] == "request"


def test_the_command_proves_at_its_end_or_later(story: Story, access: Access, monkeypatch: pytest.MonkeyPatch) -> None:
    command = "apps.operations.management.commands.restore"
    monkeypatch.setattr(f"{command}.access_from_settings", lambda **_: replace(access, database=settings.TEST_DATABASE))
    with acting_as(WORKER, database=COPY):
        assert reason_not_to_serve() == RESTORED
    call_command("restore", replay=True, into=COPY, prove_later=True)
    assert [row.state for row in rows(story)] == ["awaiting"]
    (access.home / "databases" / COPY / "leftover").write_text(f"Complaint of {LATER}")
    with pytest.raises(CommandError, match="Not everything"):
        call_command("restore", replay=True, into=COPY)
    (access.home / "databases" / COPY / "leftover").unlink()
    call_command("restore", replay=True, into=COPY)
    assert [row.state for row in rows(story)] == ["proved"]
    assert Backup().id is None
