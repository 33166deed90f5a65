"""Checkpoints are cosigned by witnesses and stamped: asked for over HTTP, kept, exported, and verified by both."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from django.conf import LazySettings, settings
from django.core.cache import cache
from django.db import DatabaseError, connection

from apps.audit.errors import TimestampError
from apps.audit.log import witnesses as asking
from apps.audit.log.attesting import attest_all, attest_tenant
from apps.audit.log.cosignatures import cosignature_of, parsed_witness_key
from apps.audit.log.epochs import origin_of
from apps.audit.log.export.state import attesting_problems
from apps.audit.log.notes import InvalidNoteError, opened
from apps.audit.log.timestamps import TimestampService, stamped
from apps.audit.log.witnesses import ProofFrom, Witness
from apps.audit.models import Attestation, AttestationKind, Checkpoint
from apps.audit.verify import offline
from apps.audit.verify.application import verify_tenant
from apps.audit.verify.export import export_log
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from config.env import EnvironmentVariableError
from config.log_keys import timestamps, witnesses
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.audit.attestors import LogWitness, serving, stamping
from tests.audit.mutations import acting_as, log_keys
from tests.audit.verifying import tampering
from tests.baked import baked
from tests.factories import Firm, make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db(transaction=True)
NAME = "witness.test/w1"


@pytest.fixture
def place(settings: LazySettings, tmp_path: Path) -> Path:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "outside")
    cache.clear()
    return tmp_path / "outside"


@pytest.fixture
def acme(place: Path) -> Firm:
    firm = baked(make_firm, "acme")
    sealed(firm, 5)
    checkpointed(firm)
    return firm


@pytest.fixture
def witness(settings: LazySettings) -> Iterator[LogWitness]:
    with serving(LogWitness(NAME, settings.GLASSBOX_LOG_VERIFY_KEYS)) as found:
        settings.GLASSBOX_WITNESSES = (found.witness(),)
        yield found


def attested(firm: Firm) -> int:
    with as_worker():
        return attest_tenant(firm.id)


def stored(firm: Firm) -> list[Attestation]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Attestation.objects.order_by("size"))


def newest(firm: Firm) -> Checkpoint:
    with open_scope(tenant=firm.id, reason="a test"):
        found: Checkpoint = Checkpoint.objects.order_by("-size")[0]
        return found


# --- Witnesses --------------------------------------------------------------------------------------------------------


def test_settings_name_witnesses_and_services_or_say_what_is_wrong() -> None:
    key = LogWitness(NAME, ()).key
    assert parsed_witness_key(key.line()) == key
    for wrong in ("", "x", key.line().replace("w1", "w2"), log_keys()[0]):
        with pytest.raises(ValueError, match="cosignature/v1"):
            parsed_witness_key(wrong)
    assert witnesses([f"https://w.test/x {key.line()}"])[0].url == "https://w.test/x"
    for wrong in (key.line(), f"ftp://x {key.line()}", "https://w.test", f"https://w.test {log_keys()[0]}"):
        with pytest.raises(EnvironmentVariableError, match="GLASSBOX_WITNESSES"):
            witnesses([wrong])
    with pytest.raises(EnvironmentVariableError, match="twice"):
        witnesses([f"https://a {key.line()}", f"https://b {key.line()}"])
    assert timestamps("", "") is None
    with pytest.raises(EnvironmentVariableError, match="GLASSBOX_TIMESTAMP_ROOTS"):
        timestamps("https://tsa.test", "/nowhere")


def test_each_checkpoint_is_cosigned_from_the_last_that_was(acme: Firm, witness: LogWitness, place: Path) -> None:
    first = newest(acme)
    assert (attested(acme), attested(acme)) == (1, 0)
    sealed(acme, 300)
    checkpointed(acme)
    second = newest(acme)
    assert attested(acme) == 1
    assert witness.asked == [(0, first.size), (first.size, second.size)]
    for row, checkpoint in zip(stored(acme), (first, second), strict=True):
        assert (row.kind, row.by, row.size) == (AttestationKind.COSIGNATURE, NAME, checkpoint.size)
        assert cosignature_of(checkpoint.note, row.content, witness.key).at == row.told_at
        note = (place / origin_of(acme.id) / f"{checkpoint.size}.cosigned.note").read_text()
        assert note == f"{checkpoint.note}{row.content}\n"
        assert opened(note, settings.GLASSBOX_LOG_VERIFY_KEYS).size == checkpoint.size
    assert (place / origin_of(acme.id) / f"{first.size}.note").read_text() == first.note


def test_a_witness_that_knows_another_size_says_it_and_is_asked_again(acme: Firm, witness: LogWitness) -> None:
    first = newest(acme)
    witness.known[origin_of(acme.id)] = (first.size, bytes(first.root))
    sealed(acme, 20)
    checkpointed(acme)
    assert attested(acme) == 1
    assert witness.asked == [(0, newest(acme).size), (first.size, newest(acme).size)]


def test_a_log_that_is_no_continuation_is_not_cosigned(acme: Firm, witness: LogWitness) -> None:
    """The attack: whoever holds the signing key shows the witness another history than it has seen."""
    witness.known[origin_of(acme.id)] = (2, bytes(32))
    assert attested(acme) == 0
    assert "no continuation of what it cosigned before (422)" in attesting_problems(acme.id)[NAME]
    witness.known[origin_of(acme.id)] = (10_000, bytes(32))
    assert attested(acme) == 0
    assert "has cosigned 10000 leaves" in attesting_problems(acme.id)[NAME]
    witness.known[origin_of(acme.id)] = (newest(acme).size, bytes(32))
    assert attested(acme) == 0
    assert "knows another tree of this size" in attesting_problems(acme.id)[NAME]
    assert stored(acme) == []
    witness.known.clear()
    assert attested(acme) == 1
    assert attesting_problems(acme.id) == {}


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ((500, b""), "answers 500"),
        ((404, b""), "does not know this log"),
        ((403, b""), "does not know the key"),
        ((409, b"many\n"), "another tree"),
        ((302, b""), "answers 302"),
        ((200, b""), "no cosignature"),
        ((200, b"\xe2\x80\x94 witness.test/w1 AAAA\n"), "no cosignature"),
        ((200, b"x" * 100_000), "longer than any"),
    ],
)
def test_an_answer_that_is_none_is_told_and_keeps_nothing_waiting(
    acme: Firm, witness: LogWitness, answer: tuple[int, bytes], problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    witness.answer = answer
    assert attested(acme) == 0
    assert problem in attesting_problems(acme.id)[NAME]
    assert problem in caplog.text
    sealed(acme, 1)
    assert checkpointed(acme), "a checkpoint waits for no witness"
    assert stored(acme) == []


def test_a_cosignature_of_another_checkpoint_or_key_is_not_taken(acme: Firm, witness: LogWitness) -> None:
    note = newest(acme).note
    other = LogWitness(NAME, (), seed=b"m" * 32)
    for line in (witness.line(note.replace("glassbox", "shadow")), other.line(note)):
        witness.answer = (200, f"{line}\n".encode())
        assert attested(acme) == 0
    assert stored(acme) == []
    with pytest.raises(InvalidNoteError, match="not of this checkpoint"):
        cosignature_of(note, witness.line(note.replace("glassbox", "shadow")), witness.key)


@pytest.mark.slow
def test_a_witness_that_does_not_answer_is_given_up_and_another_is_asked(
    acme: Firm, witness: LogWitness, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TIMEOUT_S", 2.0)
    witness.waits = threading.Event()
    with serving(LogWitness("witness.test/w2", settings.GLASSBOX_LOG_VERIFY_KEYS, seed=b"v" * 32)) as other:
        settings.GLASSBOX_WITNESSES = (witness.witness(), other.witness())
        assert attested(acme) == 1
    witness.waits.set()
    assert [row.by for row in stored(acme)] == ["witness.test/w2"]
    assert "Timeout" in attesting_problems(acme.id)[NAME]


def test_no_transaction_is_open_while_a_witness_is_asked(
    acme: Firm, witness: LogWitness, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_transaction: list[bool] = []
    real = asking._asked

    def asked(target: Witness, note: str, old: int, proof: ProofFrom) -> httpx.Response:
        in_transaction.append(connection.in_atomic_block)
        return real(target, note, old, proof)

    monkeypatch.setattr(asking, "_asked", asked)
    assert attested(acme) == 1
    assert in_transaction == [False]


def test_without_witnesses_nobody_is_asked_and_one_tenants_trouble_is_not_anothers(
    acme: Firm, settings: LazySettings
) -> None:
    with as_worker():
        assert attest_all() == 0
    with serving(LogWitness(NAME, settings.GLASSBOX_LOG_VERIFY_KEYS)) as found:
        settings.GLASSBOX_WITNESSES = (found.witness(),)
        bolt = make_firm("bolt")
        sealed(bolt, 3)
        checkpointed(bolt)
        found.known[origin_of(acme.id)] = (2, bytes(32))
        with as_worker():
            assert attest_all() == 1
    assert [len(stored(firm)) for firm in (acme, bolt)] == [0, 1]


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_eraser", "glassbox_worker"])
def test_nobody_changes_an_attestation_and_the_worker_alone_brings_one(
    acme: Firm, witness: LogWitness, role: str
) -> None:
    assert attested(acme) == 1
    statements = ["UPDATE audit_attestation SET content = 'x'", "DELETE FROM audit_attestation"]
    if role != "glassbox_worker":
        columns = "tenant_id, size, kind, by, content, told_at"
        values = f"'{acme.id}', 1, 'timestamp', 'x', 'x', now()"
        statements.append(f"INSERT INTO audit_attestation ({columns}) VALUES ({values})")
    for statement in statements:
        with (
            acting_as(role),
            pytest.raises(DatabaseError, match=r"permission denied|append-only"),
            open_scope(tenant=acme.id, reason="a test"),
            connection.cursor() as cursor,
        ):
            cursor.execute(statement)


# --- Time stamps ------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_checkpoint_is_stamped_and_openssl_says_so_too(
    acme: Firm, place: Path, settings: LazySettings, tmp_path: Path
) -> None:
    with stamping(tmp_path / "tsa") as service:
        settings.GLASSBOX_TIMESTAMPS = service
        assert (attested(acme), attested(acme)) == (1, 0)
    [row] = stored(acme)
    assert (row.kind, row.by, row.size) == (AttestationKind.TIMESTAMP, service.url, newest(acme).size)
    assert verify_tenant(tenant=acme.id).is_intact
    assert (place / origin_of(acme.id) / f"{row.size}.tsr.base64").read_text() == f"{row.content}\n"
    path, stamps = export_log(tenant=acme.id, output=tmp_path / "log").path, tmp_path / "stamps"
    command = [sys.executable, "-I", path / "verify_log.py", path, "--key", log_keys()[0], "--stamps", stamps]
    assert subprocess.run(command, check=False, capture_output=True).returncode == 0

    def openssl() -> int:
        names = [f"{row.size}.note", "-in", f"{row.size}.tsr", "-CAfile", str(service.roots)]
        verified = ["openssl", "ts", "-verify", "-data", *names]
        return subprocess.run(verified, cwd=stamps, check=False, capture_output=True).returncode

    assert openssl() == 0
    note = stamps / f"{row.size}.note"
    note.write_text(note.read_text().replace("glassbox", "shadow"))
    assert openssl() != 0
    with tampering() as changing:
        changing.execute("UPDATE audit_checkpoint SET note = replace(note, 'audit', 'audjt')")
    assert verify_tenant(tenant=acme.id).totals["INVALID_ATTESTATION"] == 1  # type: ignore[index]


@pytest.mark.slow
def test_a_stamp_that_is_none_is_told_and_not_kept(
    acme: Firm, settings: LazySettings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with stamping(tmp_path / "tsa", spoilt=lambda raw: raw[:-20]) as service:
        settings.GLASSBOX_TIMESTAMPS = service
        assert attested(acme) == 0
    assert "no time stamp" in attesting_problems(acme.id)[service.url]
    assert "no time stamp" in caplog.text
    with stamping(tmp_path / "other") as other:
        note = newest(acme).note
        assert stamped(other, note).content
        # Of a root that the operator does not name.
        with pytest.raises(TimestampError):
            stamped(TimestampService(url=other.url, roots=service.roots), note)
    settings.GLASSBOX_TIMESTAMPS = other
    assert attested(acme) == 0, "the service is gone"
    assert "ConnectError" in attesting_problems(acme.id)[other.url]
    assert stored(acme) == []


def test_the_page_says_who_attested_and_who_did_not(acme: Firm, witness: LogWitness) -> None:
    make_member(acme, "ada", Role.AUDITOR)
    visitor = Visitor("ada")
    witness.answer = (500, b"")
    attested(acme)
    shown = visitor.open("audit_verification").text
    assert f"{NAME} : nothing yet" in shown.replace(f"{NAME}:", f"{NAME} :")
    assert "answers 500" in shown
    witness.answer = None
    attested(acme)
    shown = visitor.open("audit_verification").text
    assert f"{newest(acme).size} events, at" in shown
    assert "answers 500" not in shown


# --- Both verifiers ---------------------------------------------------------------------------------------------------


def found_by_both(firm: Firm, folder: Path, witness: LogWitness) -> tuple[dict[str, int], dict[str, int]]:
    path = export_log(tenant=firm.id, output=folder).path
    report = verify_tenant(tenant=firm.id)
    found = offline.verify(path, None, log_keys(), [witness.key.line()])
    return {str(kind): count for kind, count in report.totals.items()}, found.totals


def test_both_verifiers_see_what_a_witness_did_not_sign(acme: Firm, witness: LogWitness, tmp_path: Path) -> None:
    assert attested(acme) == 1
    assert found_by_both(acme, tmp_path / "whole", witness) == ({}, {})
    with tampering() as changing:
        forged = witness.line(newest(acme).note.replace("glassbox", "shadow"))
        changing.execute("UPDATE audit_attestation SET content = %s", [forged])
    both = {"INVALID_ATTESTATION": 1}
    assert found_by_both(acme, tmp_path / "changed", witness) == (both, {**both, "UNWITNESSED": 1})


def test_who_names_a_witness_that_has_cosigned_nothing_hears_of_it(
    acme: Firm, witness: LogWitness, tmp_path: Path
) -> None:
    def run(path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-I", path / "verify_log.py", path, "--key", log_keys()[0], *arguments]
        return subprocess.run(command, check=False, capture_output=True, text=True)

    path = export_log(tenant=acme.id, output=tmp_path / "log").path
    found = run(path, "--witness", witness.key.line())
    assert (found.returncode, "UNWITNESSED" in found.stdout) == (3, True)
    assert run(path).returncode == 0
    attested(acme)
    found = run(export_log(tenant=acme.id, output=tmp_path / "cosigned").path, "--witness", witness.key.line())
    assert found.returncode == 0, found.stdout
    assert f"Witness {NAME} cosigned" in found.stdout
