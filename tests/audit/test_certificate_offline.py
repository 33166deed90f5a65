"""The one-file verifier of certificates says of every mutation what the application says, check by check."""

from __future__ import annotations

import copy
import io
import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings, settings
from django.core.management import CommandError, call_command
from django.urls import reverse

from apps.audit.verify import offline as log_offline
from apps.erasure.certificate import offline
from apps.erasure.certificate.bundle import verifier
from apps.erasure.certificate.checking import checked
from apps.tenants.roles import Role
from tests.audit.proving import certified
from tests.audit.removing import asked, documents
from tests.audit.test_certificate import ALTERATIONS, Json, file_of, newly_signed, redactions
from tests.audit.test_offline_hostile import HOSTILE, doubled, places, with_raw
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
SOURCE = Path(offline.__file__)


@pytest.fixture
def acme(settings: LazySettings, tmp_path: Path) -> Firm:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "checkpoints")
    return baked(make_firm, "acme")


def lines() -> list[str]:
    return [key.line() for key in settings.GLASSBOX_LOG_VERIFY_KEYS]


def both(document: Any) -> tuple[list[str], list[str]]:
    """The labels of the checks that fail: as the application says, and as the one file does."""
    keys = [offline.parsed_key(line) for line in lines()]
    ours = [check.label for check in checked(document, settings.GLASSBOX_LOG_VERIFY_KEYS) if check.problem]
    return ours, [label for label, problem in offline.checked(document, keys) if problem]


def mutated(document: Json, chosen: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """(what was done, the file as text)."""
    every = list(places(document))
    for path in [*chosen.sample(every, min(count, len(every)))]:
        for raw in chosen.sample(HOSTILE[:-2], 3):
            yield f"{path} is {raw[:20]}", with_raw(document, path, raw)
        cut = copy.deepcopy(document)
        inner: Any = cut
        for step in path[:-1]:
            inner = inner[step]
        del inner[path[-1]]
        yield f"{path} is gone", json.dumps(cut)


@pytest.mark.slow
def test_both_say_the_same_of_every_mutation(acme: Firm) -> None:
    chosen = random.Random(5)
    document = file_of(acme, certified(acme, [*asked(acme, 3), *documents(acme, 3)], redacted=redactions(1)))
    assert both(document) == ([], [])
    wrong = []
    for number, (alter, _) in enumerate(ALTERATIONS):
        altered = copy.deepcopy(document)
        alter(altered)
        for each in (
            altered,
            newly_signed(altered) if isinstance(altered.get("note"), str) and altered["certificate"] else altered,
        ):
            ours, theirs = both(each)
            wrong += [(number, ours, theirs)] if ours != theirs else []
    for what, text in mutated(document, chosen, 150):
        try:
            altered = json.loads(text)
        except ValueError:
            continue
        ours, theirs = both(altered)
        wrong += [(what, ours, theirs)] if ours != theirs else []
    for nonsense in (None, [], "text", 7, {"certificate": []}):
        ours, theirs = both(nonsense)
        assert ours == theirs
        assert ours
    assert wrong == []


def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-I", SOURCE, *arguments], capture_output=True, text=True, check=False, env={}
    )


@pytest.mark.slow
def test_it_and_the_command_end_alike(acme: Firm, tmp_path: Path) -> None:
    target = asked(acme)[0]
    document = file_of(acme, certified(acme, [target]))
    path, keys = tmp_path / "certificate.json", [word for line in lines() for word in ("--key", line)]
    text = json.dumps(document)

    def command(*arguments: str) -> str:
        try:
            call_command("erasure", "verify-certificate", str(path), *arguments, stdout=StringIO())
        except CommandError as error:
            return str(error)
        return ""

    path.write_text(text)
    assert (run(path, *keys).returncode, command()) == (0, "")
    named = f"event_group:{target.id}:question"
    assert (run(path, *keys, "--target", named).returncode, command("--target", named)) == (0, "")
    other = f"document:{target.id}"
    assert run(path, *keys, "--target", other).returncode == 1
    assert command("--target", other)
    path.write_text(text.replace('"outcome": "completed"', '"outcome": "failed"', 1))
    assert run(path, *keys).returncode == 1
    assert command()
    for unreadable in ("no JSON", text.replace('{"certificate"', '{"note": "x", "certificate"', 1), "[" * 5_000, "NaN"):
        path.write_text(unreadable)
        found = run(path, *keys)
        assert (found.returncode, "could not be checked" in found.stderr) == (2, True)
        assert "is ambiguous" in command()
    assert run(tmp_path / "nowhere", *keys).returncode == 2
    assert run(path, "--key", "x").returncode == 2
    assert run(path).returncode == 2, "a key is wanted"


@pytest.mark.slow
def test_a_name_that_stands_twice_is_not_read(acme: Firm, tmp_path: Path) -> None:
    """The attack: a reader that takes the first shows another certificate than the one that is checked."""
    document = file_of(acme, certified(acme))
    path = tmp_path / "certificate.json"
    path.write_text(doubled(document, "certificate"))
    assert run(path, "--key", lines()[0]).returncode == 2
    with pytest.raises(CommandError, match="is ambiguous"):
        call_command("erasure", "verify-certificate", str(path))


@pytest.mark.slow
def test_it_comes_with_the_certificate_and_by_command(acme: Firm, tmp_path: Path) -> None:
    certificate = certified(acme)
    make_member(acme, "ada", Role.AUDITOR)
    make_member(acme, "ann", Role.ANALYST)
    address = reverse("admin:erasure_certificate_zip", args=[certificate.id])
    answer = Visitor("ada").get(address)
    assert answer.headers["Content-Type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        assert set(archive.namelist()) == {"erasure-certificate-1.json", "verify_certificate.py", "README.txt"}
        archive.extractall(tmp_path)
    command = [sys.executable, "-I", "verify_certificate.py", "erasure-certificate-1.json", "--key", lines()[0]]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env={})
    assert (found.returncode, found.stderr) == (0, "")
    assert "The certificate holds." in found.stdout
    assert Visitor("ann").open("erasure_certificate_zip", certificate.id).status == 403
    said = StringIO()
    call_command("erasure", "certificate-verifier", stdout=said)
    assert said.getvalue() == verifier() == (tmp_path / "verify_certificate.py").read_text()
    printed, hint = StringIO(), StringIO()
    call_command("erasure", "certificate", str(certificate.run_id), stdout=printed, stderr=hint)
    assert json.loads(printed.getvalue()) == file_of(acme, certificate)
    assert "verify_certificate.py FILE --key KEY" in hint.getvalue()


def test_what_both_offline_verifiers_hold_in_common_is_the_same() -> None:
    """Each is one file. What is put right in one is put right in the other."""

    def shared(path: str) -> str:
        text = Path(path).read_text(encoding="utf-8")
        return text[text.index("# --- Ed25519") : text.index("# --- ", text.index("# --- Signed notes") + 1)]

    assert shared(offline.__file__) == shared(log_offline.__file__)
