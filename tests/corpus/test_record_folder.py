"""A watched folder: what is taken in, what waits, what is moved aside and why, and what is never touched."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from apps.corpus.batches import record_file, record_folder
from apps.corpus.batches.record_file import Belonging
from apps.corpus.batches.record_folder import FolderError, RecordFolder, State, Taken
from apps.corpus.models import Document
from apps.corpus.services.records.remove import record_remove
from apps.corpus.services.records.upsert import record_upsert
from apps.errors import ApplicationError
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.roles import Role
from config.locks import FileLock
from tests.corpus.ingesting import run
from tests.corpus.test_records import upsert
from tests.factories import Firm, make_firm, make_member

pytestmark = pytest.mark.django_db(transaction=True)

CHECKOUT: Final = Path(__file__).resolve().parents[2]
SETTLE: Final = 0.05
RECORD: Final = {"type": "workflow_output", "record": {"summary": "All limits were kept."}}


@pytest.fixture
def firm() -> Firm:
    return make_firm()


@pytest.fixture
def folder(firm: Firm, tmp_path: Path) -> RecordFolder:
    return watched(firm, tmp_path / "records")


def watched(firm: Firm, path: Path, *, source: str = "flows") -> RecordFolder:
    path.mkdir()
    belonging = Belonging(
        tenant_id=firm.id,
        scope_id=ScopeId(firm.scopes["fund:alpha"].id),
        kind="run",
        source=source,
        reason="a test",
    )
    made = RecordFolder(path=path, belonging=belonging, settle_seconds=SETTLE)
    made.prepare()
    return made


def put(folder: RecordFolder, name: str, content: Any = RECORD) -> Path:
    path = folder.path / name
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return path


def taken(folder: RecordFolder) -> dict[str, Taken]:
    """Look twice, with the time between in which a file settles."""
    first = list(folder.take())
    time.sleep(2 * SETTLE)
    return {each.name: each for each in [*first, *folder.take()]}


def stored(firm: Firm) -> list[tuple[str, int]]:
    with open_scope(tenant=firm.id, reason="a test"):
        return sorted(Document.objects.values_list("external_id", "version"))


def left(folder: RecordFolder) -> list[str]:
    """Every file in the folder and in those inside it."""
    return sorted(str(path.relative_to(folder.path)) for path in folder.path.rglob("*") if not path.is_dir())


def reason(folder: RecordFolder) -> str:
    [path] = (folder.path / "failed").glob("*.reason.txt")
    return path.read_text()


def test_a_file_becomes_a_record_and_is_gone(firm: Firm, folder: RecordFolder) -> None:
    put(folder, "r-7.json")
    put(folder, "other.json", {**RECORD, "external_id": "r-8", "source": "hand", "title": "Run 8"})
    put(folder, "nav.csv", b"day,nav\n2024-01-01,5\n")
    assert {name: (each.state, each.told) for name, each in taken(folder).items()} == dict.fromkeys(
        ("r-7.json", "other.json", "nav.csv"), (State.DONE, "created")
    )
    assert stored(firm) == [("flows/nav", 1), ("flows/r-7", 1), ("hand/r-8", 1)]
    assert left(folder) == []


def test_the_same_file_again_makes_no_version_and_another_one_does(firm: Firm, folder: RecordFolder) -> None:
    told = []
    for record in ({"a": "1"}, {"a": "1"}, {"a": "2"}):
        put(folder, "r-7.json", {**RECORD, "record": record})
        told.append(taken(folder)["r-7.json"].told)
    assert told == ["created", "unchanged", "changed"]
    assert stored(firm) == [("flows/r-7", 1), ("flows/r-7", 2)]


def test_a_file_that_is_still_written_is_not_read(firm: Firm, folder: RecordFolder) -> None:
    path = put(folder, "r-7.json", b'{"type": "workflow_output", ')
    list(folder.take())
    time.sleep(2 * SETTLE)
    with path.open("ab") as file:
        file.write(b'"record": {"a": "b"}}')
    assert list(folder.take()) == []
    time.sleep(2 * SETTLE)
    assert [each.state for each in folder.take()] == [State.DONE]
    assert stored(firm) == [("flows/r-7", 1)]


def test_names_of_unfinished_files_are_passed_over(firm: Firm, folder: RecordFolder) -> None:
    names = [".r-7.json", "r-7.json.part", "r-7.json.tmp", "r-7.json~"]
    for name in names:
        put(folder, name)
    (folder.path / "below").mkdir()
    (folder.path / "below" / "r-9.json").write_text("{}")
    assert taken(folder) == {}
    assert left(folder) == sorted([*names, "below/r-9.json"])


def test_a_file_that_changes_while_it_is_read_waits(
    firm: Firm, folder: RecordFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(folder, "r-7.json")
    fstat = os.fstat
    looked = []

    def written_to(descriptor: int) -> os.stat_result:
        looked.append(descriptor)
        if len(looked) == 2:
            with (folder.path / ".taking" / "r-7.json").open("ab") as file:
                file.write(b" ")
        return fstat(descriptor)

    monkeypatch.setattr(record_folder.os, "fstat", written_to)
    assert taken(folder)["r-7.json"].state is State.LATER
    monkeypatch.undo()
    assert [each.state for each in folder.take()] == [State.DONE]


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("r-7.json", b"{", "It is not valid JSON"),
        ("r-7.json", b"[1]", 'at least "type" and "record"'),
        ("r-7.json", {**RECORD, "record": {}}, "its body must not be empty"),
        ("r-7.json", {**RECORD, "record": {"a": ["\x01"]}}, "/a/0 contains the control character U+0001"),
        ("r-7.json", {**RECORD, "type": "poem"}, '"type" is none of workflow_output'),
        ("r-7.json", {**RECORD, "type": "data_profile"}, "A data profile is made of a .csv file."),
        ("r-7.json", {**RECORD, "unheard_of": 1}, "unknown names: unheard_of"),
        ("r-7.json", {**RECORD, "title": 5}, '"title" must be a text'),
        ("r-7.json", {**RECORD, "period": "soon"}, "period"),
        ("r-7.json", {**RECORD, "kind": "nonsense"}, "There is no kind 'nonsense'"),
        ("r-7.json", {**RECORD, "external_id": "a/b"}, "external_id has another form"),
        ("r 7.json", RECORD, "external_id has another form"),
        ("r-7.json", b'{"type": "schedule", "record": {"a": 1, "a": 2}}', "stands twice"),
        ("r-7.json", b" " * 3_000_000, "the limit is"),
        ("r-7.csv", b"a,b\n", "no rows"),
        ("r-7.pdf", b"%PDF-1.7", "neither .json"),
    ],
)
def test_a_file_that_fails_is_moved_aside_with_its_reason(
    firm: Firm, folder: RecordFolder, name: str, content: Any, why: str
) -> None:
    put(folder, name, content)
    told = taken(folder)[name]
    assert told.state is State.FAILED
    assert why in told.told
    assert reason(folder) == f"{told.told}\n"
    kept, _ = sorted((folder.path / "failed").iterdir())
    assert kept.read_bytes() == (content if isinstance(content, bytes) else json.dumps(content).encode())
    assert stored(firm) == []


def test_a_name_that_is_long_or_no_text_is_moved_aside_too(folder: RecordFolder) -> None:
    os.close(os.open(os.fsencode(folder.path) + b"/\xff\xfe" + b"x" * 248 + b".json", os.O_WRONLY | os.O_CREAT))
    [told] = taken(folder).values()
    assert told.state is State.FAILED
    assert len(left(folder)) == 2


@pytest.mark.parametrize("becomes", ["nothing", "a folder", "a link to a folder", "a link to a file", "another file"])
def test_what_is_swapped_after_it_was_looked_at_stops_no_watching(
    firm: Firm, folder: RecordFolder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, becomes: str
) -> None:
    """Without the answer to it, a file that its writer took back ended the process."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.json").write_text(json.dumps(RECORD))
    finished = RecordFolder._finished

    def swapping(self: RecordFolder, descriptor: int) -> list[str]:
        names = finished(self, descriptor)
        if "a.json" in names:
            path = folder.path / "a.json"
            path.unlink()
            if becomes == "a folder":
                path.mkdir()
            elif becomes.startswith("a link"):
                path.symlink_to(outside if becomes.endswith("folder") else outside / "secret.json")
            elif becomes == "another file":
                path.write_text("{")
        return names

    put(folder, "a.json")
    put(folder, "b.json")
    monkeypatch.setattr(RecordFolder, "_finished", swapping)
    told = taken(folder)
    assert told["b.json"].state is State.DONE
    assert ("a.json" in told) is (becomes != "nothing")
    assert stored(firm) == [("flows/b", 1)]
    assert (outside / "secret.json").exists()


@pytest.mark.parametrize(
    "name", ["a\nb.json", "a\rb.json", "\u202egnp.json", "a\\b.json", "..json", "a\tb.csv", "\u200b.json"]
)
def test_a_strange_name_is_told_on_one_line_and_moved_aside(firm: Firm, folder: RecordFolder, name: str) -> None:
    put(folder, name)
    put(folder, "b.json")
    told = taken(folder)
    assert told["b.json"].state is State.DONE
    assert all(each.splitlines() == [each] for each in told)
    assert stored(firm) == [("flows/b", 1)]


def test_a_file_that_went_after_it_was_stored_is_done(
    firm: Firm, folder: RecordFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = record_folder.store_file

    def stored_and_gone(content: bytes, name: str, belonging: Belonging) -> Any:
        made = store(content, name, belonging)
        (folder.path / ".taking" / name).unlink()
        return made

    monkeypatch.setattr(record_folder, "store_file", stored_and_gone)
    put(folder, "a.json")
    assert taken(folder)["a.json"].state is State.DONE
    assert stored(firm) == [("flows/a", 1)]


@pytest.mark.parametrize("kind", ["link to a file outside", "link to nothing", "hard link", "pipe"])
def test_nothing_outside_of_the_folder_is_read(firm: Firm, folder: RecordFolder, tmp_path: Path, kind: str) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text(json.dumps(RECORD))
    name = folder.path / "r-7.json"
    if kind == "hard link":
        name.hardlink_to(outside)
    elif kind == "pipe":
        os.mkfifo(name)
    else:
        name.symlink_to(outside if "file" in kind else tmp_path / "nowhere.json")
    assert taken(folder)["r-7.json"].state is State.FAILED
    assert stored(firm) == []
    assert outside.read_text() == json.dumps(RECORD)


@pytest.mark.parametrize("name", [".taking", "failed"])
def test_a_folder_inside_that_is_a_link_is_refused(firm: Firm, tmp_path: Path, name: str) -> None:
    (tmp_path / "records").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "records" / name).symlink_to(tmp_path / "elsewhere")
    folder = RecordFolder(path=tmp_path / "records", belonging=None)  # type: ignore[arg-type]
    with pytest.raises(FolderError, match="must be no link"):
        folder.prepare()


def test_an_outage_is_no_fault_of_the_file(firm: Firm, folder: RecordFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    class AwayError(ApplicationError):
        code = "test.away"
        status = 503

    def away(**_: object) -> None:
        raise AwayError

    put(folder, "r-7.json")
    monkeypatch.setattr(record_file, "record_upsert", away)
    assert taken(folder)["r-7.json"].state is State.LATER
    monkeypatch.setattr(record_file, "record_upsert", record_upsert)
    assert [each.told for each in folder.take()] == ["created"]


def test_a_record_that_is_to_be_removed_is_moved_aside(firm: Firm, folder: RecordFolder) -> None:
    run(firm, upsert(firm).job)
    with open_scope(tenant=firm.id, principal=make_member(firm, "bob", Role.TENANT_ADMIN)):
        record_remove(scope_id=folder.belonging.scope_id, source="flows", external_id="r-7", reason="duplicate")
    put(folder, "r-7.json", {**RECORD, "record": {"other": "x"}})
    assert "is to be removed" in taken(folder)["r-7.json"].told


# --- The command ------------------------------------------------------------------------------------------------------


def command(path: Path, **more: Any) -> None:
    said = {"tenant": "acme", "scope": "fund:alpha", "kind": "run", "source": "flows", "settle": SETTLE, "once": True}
    call_command("records", "watch", str(path), **{**said, **more})


def test_the_command_takes_in_what_is_there(
    firm: Firm, folder: RecordFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    put(folder, "r-7.json")
    command(folder.path)
    assert "r-7.json: done. created" in capsys.readouterr().out
    assert stored(firm) == [("flows/r-7", 1)]
    put(folder, "r-8.json", b"{")
    with pytest.raises(CommandError, match="1 files failed or wait"):
        command(folder.path)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ({"tenant": "nobody"}, "nobody"),
        ({"scope": "fund:none"}, "fund:none"),
        ({"kind": "nonsense"}, "nonsense"),
        ({"source": "A B"}, "source has another form"),
        ({"settle": 0.0}, "more than 0"),
    ],
)
def test_the_command_says_what_is_wrong(firm: Firm, folder: RecordFolder, said: dict[str, Any], why: str) -> None:
    with pytest.raises(CommandError, match=why):
        command(folder.path, **said)


def test_a_folder_has_one_watcher(firm: Firm, folder: RecordFolder, tmp_path: Path) -> None:
    with FileLock(folder.path / ".watched"), pytest.raises(CommandError, match="Another process watches"):
        command(folder.path)
    with pytest.raises(CommandError, match="can't be used as a folder"):
        command(tmp_path / "nowhere")


# --- Killed -----------------------------------------------------------------------------------------------------------

# Forks a child for each place, which takes a folder in and is killed before or after a call of what the place names.
_WATCHER: Final = """
import django, json, os, signal, sys, time
django.setup()
from pathlib import Path
from uuid import UUID
from apps.corpus.batches import record_file, record_folder

def take(path, belonging, module, name, number, moment):
    calls, real = 0, getattr(module, name)
    def counted(*args, **more):
        nonlocal calls
        calls += 1
        if (calls, moment) == (number, "before"):
            os.kill(os.getpid(), signal.SIGKILL)
        made = real(*args, **more)
        if (calls, moment) == (number, "after"):
            os.kill(os.getpid(), signal.SIGKILL)
        return made
    setattr(module, name, counted)
    folder = record_folder.RecordFolder(path=Path(path), belonging=belonging, settle_seconds=0.01)
    list(folder.take())
    time.sleep(0.05)
    list(folder.take())

ends = []
for path, tenant, scope, source, where, name, number, moment in json.loads(sys.argv[1]):
    child = os.fork()
    if not child:
        belonging = record_file.Belonging(
            tenant_id=UUID(tenant), scope_id=UUID(scope), kind="run", source=source, reason="a test")
        take(path, belonging, {"file": record_file, "folder": record_folder, "os": os}[where], name, number, moment)
        os._exit(0)
    ends.append(os.WTERMSIG(os.waitpid(child, 0)[1]))
print(json.dumps(ends))
"""
# record_upsert ends before its transaction does, store_file after. One of three files fails and is moved aside.
PLACES: Final = [
    (where, name, number, moment)
    for where, name, calls in (
        ("os", "rename", 4),
        ("os", "unlink", 2),
        ("folder", "_read", 3),
        ("file", "record_upsert", 2),
        ("folder", "store_file", 3),
        ("folder", "_write", 1),
    )
    for number in range(1, calls + 1)
    for moment in ("before", "after")
    # A call that raises has no after.
    if (name, number, moment) != ("store_file", 3, "after")
]


@pytest.mark.slow
def test_killed_anywhere_nothing_is_lost_and_nothing_comes_twice(firm: Firm, tmp_path: Path) -> None:
    folders = [watched(firm, tmp_path / f"f{place}", source=f"s{place}") for place in range(len(PLACES))]
    for folder in folders:
        put(folder, "a.json")
        put(folder, "b.json", {**RECORD, "record": {"a": "b"}})
        put(folder, "c.json", b"{")
        for place, name in enumerate(("a.json", "b.json", "c.json")):
            os.utime(folder.path / name, (1_000 + place, 1_000 + place))
    said = [
        (str(folder.path), str(firm.id), str(folder.belonging.scope_id), folder.belonging.source, *place)
        for folder, place in zip(folders, PLACES, strict=True)
    ]
    ended = subprocess.run(
        [sys.executable, "-c", _WATCHER, json.dumps(said)],
        cwd=CHECKOUT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(ended.stdout) == [9] * len(PLACES), ended.stderr
    for folder in folders:
        taken(folder)
        assert [path.rpartition(".")[2] for path in left(folder)] == ["json", "txt"], left(folder)
    wanted = [(f"s{place}/{name}", 1) for place in range(len(PLACES)) for name in ("a", "b")]
    assert stored(firm) == sorted(wanted)
