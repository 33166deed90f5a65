"""An export: what is in it, what is not, and that an outsider can check it with nothing but Python."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import override_settings

from apps.audit.errors import KeyEncryptionKeyMissingError
from apps.audit.keys import data_keys
from apps.audit.log.notes import Checkpoint as State
from apps.audit.log.notes import signed
from apps.audit.models import Checkpoint, Event
from apps.audit.registry import Group
from apps.audit.services import record
from apps.audit.verify import offline, reading
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.tenants.context import open_scope
from config.secrets import WrappingKey
from tests.audit.acting import checkpointed, sealed, signing_key
from tests.audit.forging import ANSWERED
from tests.audit.mutations import authorise, execute
from tests.baked import baked
from tests.factories import Firm, make_firm
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)

FILES = {
    "manifest.json",
    "events.jsonl",
    "checkpoints.jsonl",
    "checkpoint.txt",
    "subtrees.jsonl",
    "unsealed.jsonl",
    "verify_log.py",
}
SECRET = "Is the widow Capet ill?"


@pytest.fixture
def acme() -> Firm:
    """Five events or so, sealed and signed, and one question with its text."""
    firm = baked(make_firm, "acme")
    asked(firm)
    sealed(firm, 3)
    checkpointed(firm)
    return firm


def asked(firm: Firm) -> Event:
    with open_scope(tenant=firm.id, reason="a test"):
        return record(action=ANSWERED, core={"intent": "health"}, question={"text": SECRET})


def newest_note(firm: Firm) -> str:
    with open_scope(tenant=firm.id, reason="a test"):
        return str(Checkpoint.objects.order_by("-size").first().note)  # type: ignore[union-attr]


def rows(path: Path, name: str = "events.jsonl") -> list[dict[str, Any]]:
    return [json.loads(line) for line in (path / name).read_text(encoding="utf-8").splitlines()]


def outsider(path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The verifier that lies in the export, without this project and without its environment."""
    return subprocess.run(
        [sys.executable, "-I", path / "verify_log.py", path, *arguments],
        capture_output=True,
        text=True,
        check=False,
        cwd=path,
        env={},
    )


def test_a_directory_holds_what_the_format_says_and_nobody_else_may_read_it(acme: Firm, tmp_path: Path) -> None:
    exported = export_log(tenant=acme.id, output=tmp_path / "log")
    path = exported.path
    assert {each.name for each in path.iterdir()} == FILES
    assert path.stat().st_mode & 0o077 == 0
    assert not any(each.stat().st_mode & 0o077 for each in path.iterdir())
    assert [row["index"] for row in rows(path)] == list(range(exported.size))
    manifest = json.loads((path / "manifest.json").read_text())
    assert (manifest["tenant"], manifest["origin"]) == (str(acme.id), f"glassbox/audit/{acme.id}")
    assert manifest["verify_keys"] == [signing_key().verify_key.line()]
    assert (path / "checkpoint.txt").read_text() == newest_note(acme)
    question = next(row["groups"]["question"] for row in rows(path) if "question" in row["groups"])
    assert json.loads(question["content"]) == {"text": SECRET}
    assert not list(tmp_path.glob(".*partial"))


def test_an_outsider_checks_it_with_python_alone(acme: Firm, tmp_path: Path) -> None:
    kept, line = tmp_path / "kept.txt", signing_key().verify_key.line()
    kept.write_text(newest_note(acme))
    path = export_log(tenant=acme.id, output=tmp_path / "log").path
    found = outsider(path, "--checkpoint", kept, "--key", line)
    assert (found.returncode, found.stderr) == (0, "")
    assert "Intact." in found.stdout
    assert "No checkpoint was given" in outsider(path).stdout

    events = (path / "events.jsonl").read_text().replace("widow", "queen")
    (path / "events.jsonl").write_text(events)
    found = outsider(path, "--checkpoint", kept, "--key", line, "--json")
    assert found.returncode == 1
    told = json.loads(found.stdout)
    assert (told["result"], [each["class"] for each in told["findings"]]) == ("failed", ["ALTERED_GROUP"])
    assert "ALTERED_GROUP" in outsider(path).stdout

    name, mark, key = line.split("+", 2)  # a key in base64 may hold a + itself
    other = f"{name}+{mark}+{key[::-1]}"
    assert outsider(path, "--key", other).returncode == 2
    kept.write_text(newest_note(acme).replace("\n", "\n\n", 1))
    found = outsider(path, "--checkpoint", kept)
    assert found.returncode == 2
    assert "no checkpoint that can be trusted" in found.stderr


def test_a_zip_is_the_same(acme: Firm, tmp_path: Path) -> None:
    export_log(tenant=acme.id, output=tmp_path / "log.zip")
    assert (tmp_path / "log.zip").stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(tmp_path / "log.zip") as archive:
        assert set(archive.namelist()) == FILES
    found = offline.verify(tmp_path / "log.zip", None)
    assert (found.findings, found.counts["leaves"]) == ([], found.next)
    assert found.next > 3


def test_that_it_was_exported_is_recorded(acme: Firm, tmp_path: Path) -> None:
    exported = export_log(tenant=acme.id, output=tmp_path / "log", contents=False)
    with open_scope(tenant=acme.id, reason="a test"):
        payload = Event.objects.get(action="audit.log.exported").payload
    assert payload["core"] == {"first": 0, "size": exported.size, "contents": False}


def test_what_can_not_be_written_leaves_neither_files_nor_an_event(acme: Firm, tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    with raises_code("audit.export_target", match="it exists"):
        export_log(tenant=acme.id, output=tmp_path / "there")
    (tmp_path / "file").write_text("")
    with raises_code("audit.export_target"):
        export_log(tenant=acme.id, output=tmp_path / "file" / "log")
    data_keys.cache.clear()
    with override_settings(GLASSBOX_AUDIT_KEKS=(WrappingKey(kid="other", key=bytes(32)),)):
        for name in ("log", "log.zip"):
            with pytest.raises(KeyEncryptionKeyMissingError):
                export_log(tenant=acme.id, output=tmp_path / name)
    assert {each.name for each in tmp_path.iterdir()} == {"there", "file"}
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action="audit.log.exported").exists()


def test_without_contents_nothing_that_anybody_said_is_in_it(acme: Firm, tmp_path: Path) -> None:
    """And yet a removal that was authorised is told from a theft: what authorises holds ids alone."""
    event = asked(acme)
    sealed(acme)
    execute(acme, authorise(acme, [(str(event.id), Group.QUESTION), (str(event.id), Group.ACTOR)]))
    checkpointed(acme)
    path = export_log(tenant=acme.id, output=tmp_path / "log", contents=False).path
    text = (path / "events.jsonl").read_text()
    assert SECRET not in text
    assert "system: a test" not in text
    contents = [(row["header"]["action"], group) for row in rows(path) for group, held in row["groups"].items() if held]
    assert contents == [("audit.payload.erased", "core")]
    found = outsider(path, "--key", signing_key().verify_key.line())
    assert found.returncode == 0, found.stdout
    assert "without contents" in found.stdout
    lines = (path / "events.jsonl").read_text().splitlines()
    (path / "events.jsonl").write_text("\n".join(line for line in lines if "audit.payload.erased" not in line) + "\n")
    kinds = {each.kind for each in offline.verify(path, None).findings}
    assert kinds == {"UNAUTHORISED_REMOVAL", "MALFORMED", "TRUNCATED"}


def test_since_a_checkpoint_only_what_came_after_it_is_exported(acme: Firm, tmp_path: Path) -> None:
    first, early = newest_note(acme), tmp_path / "early.txt"
    early.write_text(first)
    sealed(acme, 4)
    checkpointed(acme)
    later = tmp_path / "later.txt"
    later.write_text(newest_note(acme))
    exported = export_log(tenant=acme.id, output=tmp_path / "log", since=first)
    assert 0 < exported.first == exported.size - 4
    assert [row["index"] for row in rows(exported.path)] == list(range(exported.first, exported.size))
    for kept in (early, later):
        assert offline.verify(exported.path, kept).findings == []
    manifest = json.loads((exported.path / "manifest.json").read_text())
    manifest["peaks"][0] = "00" * 32
    (exported.path / "manifest.json").write_text(json.dumps(manifest))
    assert {each.kind for each in offline.verify(exported.path, later).findings} == {"INCONSISTENT"}
    manifest["peaks"].append("00" * 32)
    (exported.path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(offline.UnusableError, match="does not hold the hashes"):
        offline.verify(exported.path, None)


def test_an_export_that_begins_after_the_checkpoint_that_is_held_can_not_be_checked_by_it(
    acme: Firm, tmp_path: Path
) -> None:
    early = tmp_path / "early.txt"
    early.write_text(newest_note(acme))
    sealed(acme, 2)
    checkpointed(acme)
    path = export_log(tenant=acme.id, output=tmp_path / "log", since=newest_note(acme)).path
    with pytest.raises(offline.UnusableError, match="the checkpoint ends at"):
        offline.verify(path, early)
    assert outsider(path, "--checkpoint", early).returncode == 2


def test_since_a_checkpoint_of_another_log_or_of_nobody_is_refused(acme: Firm, tmp_path: Path) -> None:
    bolt = make_firm("bolt")
    sealed(bolt, 30)
    checkpointed(bolt)
    note = newest_note(bolt)
    with raises_code("audit.checkpoint_of_another_log"):
        export_log(tenant=acme.id, output=tmp_path / "log", since=note)
    with raises_code("audit.checkpoint_not_trusted"):
        export_log(tenant=acme.id, output=tmp_path / "log", since=note.replace(str(bolt.id), str(acme.id)))
    ahead = signed(State(origin=f"glassbox/audit/{acme.id}", size=10_000, root=bytes(32)), signing_key())
    with raises_code("audit.checkpoint_ahead"):
        export_log(tenant=acme.id, output=tmp_path / "log", since=ahead)


def test_batches_make_no_difference(acme: Firm, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is held by the batch: the whole log is never in memory."""
    sealed(acme, 20)
    whole = export_log(tenant=acme.id, output=tmp_path / "whole")
    monkeypatch.setattr(reading, "BATCH", 3)
    parts = export_log(tenant=acme.id, output=tmp_path / "parts")
    assert rows(parts.path) == rows(whole.path)
    report = verify_tenant(tenant=acme.id)
    assert (report.is_intact, report.checked.leaves) == (True, whole.size)


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("events.jsonl", "{"),
        ("events.jsonl", '{"index": "0"}'),
        ("events.jsonl", '{"index": 900, "event_id": "x", "leaf": "zz"}'),
        ("checkpoints.jsonl", '{"size": "many"}'),
        ("subtrees.jsonl", "[]"),
        ("unsealed.jsonl", '{"event_id": "x", "occurred_at": "yesterday"}'),
    ],
)
def test_a_line_that_can_not_be_read_is_a_finding(acme: Firm, tmp_path: Path, name: str, line: str) -> None:
    path = export_log(tenant=acme.id, output=tmp_path / "log").path
    with (path / name).open("a") as file:
        file.write(line + "\n")
    assert [each.kind for each in offline.verify(path, None).findings] == ["MALFORMED"]


def test_the_command_exports_and_says_how_to_check_it(acme: Firm, tmp_path: Path) -> None:
    output = StringIO()
    call_command("audit", "export", "--tenant", "acme", "--output", tmp_path / "log", stdout=output)
    assert f"python {tmp_path}/log/verify_log.py" in output.getvalue()
    assert outsider(tmp_path / "log", "--key", signing_key().verify_key.line()).returncode == 0
    with pytest.raises(CommandError, match="is there already"):
        call_command("audit", "export", "--tenant", "acme", "--output", tmp_path / "log")
    with pytest.raises(CommandError, match="Name the tenant and the place"):
        call_command("audit", "export", "--tenant", "acme")
