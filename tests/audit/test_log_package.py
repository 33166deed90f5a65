"""The package for an auditor: the list as CSV and JSON Lines, with the checkpoint and the verifier beside it."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.urls import reverse

from apps.audit.models import Event
from apps.audit.registry import Group
from apps.audit.verify import package
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.audit.acting import checkpointed, sealed, signing_key
from tests.audit.forging import ANSWERED
from tests.audit.mutations import authorise, execute
from tests.audit.test_export import SECRET, asked, newest_note, outsider
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
ZIP = "//button[@name='format'][@value='zip']"
LOG = {
    f"log/{name}"
    for name in (
        "manifest.json",
        "events.jsonl",
        "checkpoints.jsonl",
        "checkpoint.txt",
        "subtrees.jsonl",
        "unsealed.jsonl",
        "verify_log.py",
    )
}


@pytest.fixture
def acme() -> Firm:
    firm = baked(make_firm, "acme")
    asked(firm)
    sealed(firm, 3)
    checkpointed(firm)
    make_member(firm, "ada", Role.AUDITOR)
    return firm


def taken(folder: Path) -> Path:
    response = Visitor("ada").post(f"{reverse('admin:audit_event_export')}?action={ANSWERED}", {"format": "zip"})
    assert response["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(b"".join(response.streaming_content))) as archive:
        assert archive.testzip() is None
        assert set(archive.namelist()) == {"README.txt", "list.csv", "list.jsonl", *LOG}
        archive.extractall(folder)
    return folder


def test_an_outsider_checks_it_with_the_verifier_and_the_checkpoint_that_lie_in_it(
    acme: Firm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "BATCH", 2)
    kept, line = tmp_path / "kept.txt", signing_key().verify_key.line()
    kept.write_text(newest_note(acme))
    folder = taken(tmp_path / "package")
    found = outsider(folder / "log", "--checkpoint", kept, "--key", line)
    assert (found.returncode, found.stderr) == (0, ""), found.stdout
    assert (folder / "log/checkpoint.txt").read_text() == newest_note(acme)
    listed = [json.loads(each) for each in (folder / "list.jsonl").read_text().splitlines()]
    with (folder / "list.csv").open(newline="") as file:
        assert [row["event_id"] for row in csv.DictReader(file)] == [each["event_id"] for each in listed]
    with open_scope(tenant=acme.id, reason="a test"):
        assert [each["event_id"] for each in listed] == [str(Event.objects.get(action=ANSWERED).id)]
    in_log = [json.loads(each) for each in (folder / "log/events.jsonl").read_text().splitlines()]
    assert [each["index"] for each in in_log] == list(range(len(in_log)))
    assert (
        next(each for each in in_log if each["event_id"] == listed[0]["event_id"])["commitments"]
        == (listed[0]["commitments"])
    )
    assert not any(SECRET in path.read_text() for path in folder.rglob("*") if path.is_file())


def test_what_is_altered_in_it_is_found(acme: Firm, tmp_path: Path) -> None:
    line = signing_key().verify_key.line()
    folder = taken(tmp_path / "package") / "log"
    events = folder / "events.jsonl"
    events.write_text(events.read_text().replace('"outcome":"success"', '"outcome":"refused"', 1))
    found = outsider(folder, "--checkpoint", folder / "checkpoint.txt", "--key", line)
    assert found.returncode == 1, found.stdout
    assert "ALTERED_EVENT" in found.stdout


def test_an_authorised_removal_is_none_of_its_findings(acme: Firm, tmp_path: Path) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action=ANSWERED)
    authorising = authorise(acme, [(str(event.id), Group.QUESTION)])
    sealed(acme)
    execute(acme, authorising)
    checkpointed(acme)
    folder = taken(tmp_path / "package") / "log"
    found = outsider(folder, "--checkpoint", folder / "checkpoint.txt", "--key", signing_key().verify_key.line())
    assert found.returncode == 0, found.stdout


def test_who_holds_not_all_scopes_takes_no_part_of_a_log_for_the_whole(acme: Firm) -> None:
    make_member(acme, "bob", Role.AUDITOR, scopes=["fund:alpha"])
    bob = Visitor("bob")
    assert Visitor("ada").open("audit_event_changelist").tree.xpath(ZIP)
    assert not bob.open("audit_event_changelist").tree.xpath(ZIP)
    response = bob.post(reverse("admin:audit_event_export"), {"format": "zip"})
    assert response.status_code == 403
    assert "all scopes" in response.content.decode()
