"""An export that somebody wrote who wants it to pass: it is believed no further than it is checked."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from django.db import connections
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from apps.audit.log.epochs import origin_of
from apps.audit.log.notes import Checkpoint, SigningKey, signed
from apps.audit.log.tree import root_of
from apps.audit.verify import offline
from apps.audit.verify.export import export_log
from apps.erasure.log_removal import RemovalReason
from tests.audit.acting import checkpointed, sealed, signing_key
from tests.audit.mutations import ExportStore, Forged, Log, Row, forge, log_keys
from tests.audit.test_export import asked, newest_note
from tests.factories import Firm, make_firm

SEED = int(os.environ.get("GLASSBOX_SEED", "5"))
FILES = ("manifest.json", "events.jsonl", "checkpoints.jsonl", "subtrees.jsonl", "unsealed.jsonl")


class Copy:
    """An export with contents, the checkpoint that somebody kept, and the firm that it is of."""

    def __init__(self, firm: Firm, folder: Path) -> None:
        self.firm, self.path, self.kept = firm, folder / "log", folder / "kept.txt"
        self.kept.write_text(newest_note(firm), encoding="utf-8")
        export_log(tenant=firm.id, output=self.path)
        self.rows = [json.loads(line) for line in (self.path / "events.jsonl").read_text().splitlines()]

    def log(self) -> Log:
        return Log(firm=self.firm, rows=self.rows, sizes=[], kept=self.kept.read_text(), removed={}, lost={})

    def copied(self, folder: Path) -> Path:
        shutil.copytree(self.path, folder)
        return folder


@pytest.fixture(scope="module")
def copy(
    django_db_setup: None, django_db_blocker: DjangoDbBlocker, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Copy]:
    """Of a log that has a stored subtree, a checkpoint over all but three leaves, and an event that waits."""
    with django_db_blocker.unblock():
        try:
            firm = make_firm("acme")
            asked(firm)
            sealed(firm, 256)
            checkpointed(firm)
            sealed(firm, 3)
            asked(firm)
            yield Copy(firm, tmp_path_factory.mktemp("hostile"))
        finally:
            connections["default"].close()
            TransactionTestCase._fixture_teardown(TransactionTestCase())


def run(path: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", offline.__file__, path, *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def refused(path: Path, kept: Path) -> str:
    """Why it could not be checked."""
    found = run(path, "--checkpoint", kept, *keys())
    assert found.returncode == 2, found.stdout
    return found.stderr


def keys() -> list[str]:
    return ["--key", *log_keys()]


def test_as_it_is_it_passes_and_its_unsigned_tail_is_told(copy: Copy) -> None:
    for arguments in (["--checkpoint", copy.kept], keys(), ["--checkpoint", copy.kept, *keys()]):
        found = run(copy.path, *arguments)
        assert found.returncode == 0, found.stdout
        assert "Unsigned tail: 3 leaves" in found.stdout
    told = json.loads(run(copy.path, *keys(), "--json").stdout)
    assert (told["result"], told["tail"], told["covered"]) == ("intact", 3, len(copy.rows) - 3)


# --- Authority that nobody signed -------------------------------------------------------------------------------------


def emptied(copy: Copy, folder: Path, forged: Forged, gone: Callable[[int], bool]) -> Path:
    """The export with the event behind its leaves, and the contents of some gone."""
    store = ExportStore.read(copy.log(), copy.path)
    for row in copy.rows:
        if gone(row["index"]):
            store.rows[row["index"]] |= {"groups": {}, "actor_label": ""}
    store.append(forged)
    store.write(copy.path, folder)
    return folder


@pytest.mark.parametrize("action", offline.AUTHORISING)
def test_an_event_behind_the_checkpoint_authorises_nothing(copy: Copy, tmp_path: Path, action: str) -> None:
    """The attack: everything deleted on the word of an event that was put behind the leaves that somebody signed."""
    named = [{"event_id": row["event_id"], "group": group} for row in copy.rows for group in row["groups"]]
    of: dict[str, Row] = {
        "audit.log.emptied": {"kept": []},
        "audit.payload.erased": {"removals": named, "reason_code": str(RemovalReason.ERASURE_REQUEST)},
    }
    path = emptied(copy, tmp_path / "log", forge(copy.log(), action, of[action]), lambda index: True)
    for arguments in (["--checkpoint", copy.kept], keys(), ["--checkpoint", copy.kept, *keys()], []):
        found = run(path, *arguments)
        assert found.returncode == 3, found.stdout
        assert "UNSIGNED_REMOVAL" in found.stdout
        assert "NOT PROVEN" in found.stdout
        assert "Intact" not in found.stdout


def test_nor_does_one_over_which_the_export_brings_a_checkpoint_and_a_key_of_its_own(
    copy: Copy, tmp_path: Path
) -> None:
    other = SigningKey(name=signing_key().name, seed=b"m" * 32)
    forged = forge(copy.log(), "audit.log.emptied", {"kept": []})
    path = emptied(copy, tmp_path / "log", forged, lambda index: True)
    leaves = [json.loads(line)["leaf"] for line in (path / "events.jsonl").read_text().splitlines()]
    root = root_of(bytes.fromhex(leaf) for leaf in leaves)
    note = signed(Checkpoint(origin=origin_of(copy.firm.id), size=len(leaves), root=root), other)
    with (path / "checkpoints.jsonl").open("a") as file:
        file.write(json.dumps({"size": len(leaves), "root": root.hex(), "note": note}) + "\n")
    manifest = json.loads((path / "manifest.json").read_text())
    manifest["verify_keys"].insert(0, other.verify_key.line())
    (path / "manifest.json").write_text(json.dumps(manifest))
    (path / "checkpoint.txt").write_text(note)
    assert run(path, "--checkpoint", copy.kept).returncode == 3
    found = run(path, "--checkpoint", copy.kept, *keys())
    assert found.returncode == 1
    assert "INVALID_CHECKPOINT" in found.stdout
    # What came with the export vouches for nothing, by whatever way it is given.
    found = run(path, "--checkpoint", path / "checkpoint.txt")
    assert (found.returncode, "came with the export" in found.stdout) == (3, True)
    assert run(path).returncode == 3


def test_a_removal_below_the_checkpoint_that_is_kept_needs_no_key(copy: Copy, tmp_path: Path) -> None:
    """The control: the same event, signed over by who may, authorises."""
    forged = forge(copy.log(), "audit.log.emptied", {"kept": []})
    path = emptied(copy, tmp_path / "log", forged, lambda index: True)
    leaves = [json.loads(line)["leaf"] for line in (path / "events.jsonl").read_text().splitlines()]
    root = root_of(bytes.fromhex(leaf) for leaf in leaves)
    kept = tmp_path / "newer.txt"
    kept.write_text(signed(Checkpoint(origin=origin_of(copy.firm.id), size=len(leaves), root=root), signing_key()))
    found = run(path, "--checkpoint", kept)
    assert found.returncode == 0, found.stdout


# --- Files that could be read in two ways -----------------------------------------------------------------------------


def test_contents_that_are_said_not_to_be_there_are_refused(copy: Copy, tmp_path: Path) -> None:
    path = copy.copied(tmp_path / "log")
    text = (path / "manifest.json").read_text()
    (path / "manifest.json").write_text(text.replace('"contents": true', '"contents": false'))
    assert "without contents" in refused(path, copy.kept)


def zipped(copy: Copy, path: Path, *extra: tuple[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in FILES:
            archive.writestr(name, (copy.path / name).read_bytes())
        for name, content in extra:
            archive.writestr(name, content)
    return path


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("name", "why"),
    [
        *((name, "twice") for name in FILES),
        ("EVENTS.jsonl", "twice"),
        ("../manifest.json", "out of the folder"),
        ("/etc/passwd", "out of the folder"),
        ("a\\..\\b", "out of the folder"),
        ("C:evil", "out of the folder"),
    ],
)
def test_a_zip_whose_members_could_be_read_in_two_ways_is_refused(
    copy: Copy, tmp_path: Path, name: str, why: str
) -> None:
    assert offline.verify(zipped(copy, tmp_path / "plain.zip"), copy.kept, log_keys()).result == "intact"
    content = (copy.path / name).read_bytes() if name in FILES else b"x"
    assert why in refused(zipped(copy, tmp_path / "log.zip", (name, content)), copy.kept)


def test_a_zip_that_unpacks_to_far_more_than_a_log_is_refused(copy: Copy, tmp_path: Path) -> None:
    assert "packed" in refused(zipped(copy, tmp_path / "log.zip", ("more.bin", bytes(32 << 20))), copy.kept)


def test_a_line_that_never_ends_is_not_read_into_memory(
    copy: Copy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(offline, "LONGEST_LINE", 100_000)
    path = copy.copied(tmp_path / "log")
    with (path / "events.jsonl").open("a") as file:
        file.write(" " * 200_000)
    with pytest.raises(offline.UnusableError, match="longer than any"):
        offline.verify(path, copy.kept, log_keys())


def test_links_and_pipes_are_no_files_of_an_export(copy: Copy, tmp_path: Path) -> None:
    for number, name in enumerate(FILES):
        path = copy.copied(tmp_path / f"link{number}")
        (path / name).rename(tmp_path / f"{number}.elsewhere")
        (path / name).symlink_to(tmp_path / f"{number}.elsewhere")
        assert "no plain file" in refused(path, copy.kept)
    path = copy.copied(tmp_path / "pipe")
    (path / "unsealed.jsonl").unlink()
    os.mkfifo(path / "unsealed.jsonl")
    assert "no plain file" in refused(path, copy.kept)


# --- Every value of every file ----------------------------------------------------------------------------------------

# Raw JSON: what a type, a bound or a parser could trip over.
HOSTILE = (
    "true",
    "-1",
    "1.0",
    "1e999",
    "1" * 30,
    "9" * 5_000,
    "NaN",
    "null",
    "[]",
    "{}",
    '"x"',
    '"\\ud800"',
    "[" * 5_000,
)
# What a kept checkpoint and a key make needless: names of keys, and where a group is missing that has no part in it.
UNUSED = {("verify_keys", "[]"), ("scopes", "[]")}


def places(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    if path:
        yield path
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, each in inner:
        yield from places(each, (*path, name))


def with_raw(value: Any, path: tuple[str | int, ...], raw: str) -> str:
    """The value as JSON, with raw text in a place of it."""
    mark = "c0ffee-the-place"
    copied = json.loads(json.dumps(value))
    inner = copied
    for name in path[:-1]:
        inner = inner[name]
    inner[path[-1]] = mark
    return json.dumps(copied, ensure_ascii=False).replace(f'"{mark}"', raw)


def doubled(value: dict[str, Any], name: str) -> str:
    """The value as JSON, with a name twice: the first is another one."""
    return f'{{{json.dumps(name)}:"x",{json.dumps(value)[1:]}'


def hostile_lines(copy: Copy, chosen: random.Random) -> Iterator[tuple[str, int, str, str]]:
    """(file, line, what was done, the line)."""
    for name in FILES:
        text = (copy.path / name).read_text()
        lines = [text] if name == "manifest.json" else text.splitlines()
        for number in sorted({0, len(lines) - 1} if lines else set()):
            value = json.loads(lines[number])
            for path in places(value):
                inner: Any = value
                for step in path:
                    inner = inner[step]
                for raw in chosen.sample(HOSTILE, 4):
                    if (path[0], raw) in UNUSED or raw == json.dumps(inner):
                        continue
                    yield name, number, f"{path} is {raw[:20]}", with_raw(value, path, raw)
            for key in value:
                yield name, number, f"{key} stands twice", doubled(value, key)


@pytest.mark.slow
def test_no_value_of_any_file_that_is_none_passes(copy: Copy, tmp_path: Path) -> None:
    path, passed, tried = copy.copied(tmp_path / "log"), [], 0
    for name, number, what, line in hostile_lines(copy, random.Random(SEED)):
        text = (copy.path / name).read_text()
        lines = [text] if name == "manifest.json" else text.splitlines(keepends=True)
        lines[number] = f"{line}\n"
        (path / name).write_text("".join(lines), encoding="utf-8", errors="surrogatepass")
        tried += 1
        try:
            if offline.verify(path, copy.kept, log_keys()).result == "intact":
                passed.append(f"{name}, line {number}: {what}")
        except offline.UnusableError:
            pass
        (path / name).write_text(text, encoding="utf-8")
    assert tried > 100
    assert passed == []


def test_whatever_bytes_it_is_made_of_it_ends_with_a_finding_or_a_refusal(copy: Copy, tmp_path: Path) -> None:
    """Never with an error of the program, which a script might take for a finding, or for none."""
    chosen, packed = random.Random(SEED), zipped(copy, tmp_path / "whole.zip").read_bytes()
    for _ in range(60):
        raw = bytearray(packed)
        for place in chosen.sample(range(len(raw)), chosen.randint(1, 8)):
            raw[place] = chosen.randrange(256)
        target = tmp_path / "log.zip"
        target.write_bytes(bytes(raw[: chosen.randint(1, len(raw))] if chosen.random() < 0.3 else raw))
        try:
            found = offline.verify(target, copy.kept, log_keys())
            assert offline.in_words(found)
        except offline.UnusableError:
            pass
