"""Checkpoints: signed when the log grew and is a continuation, and carried out of the database's reach."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import psycopg
import pytest
from django.conf import LazySettings, settings

from apps.audit.errors import CheckpointExportError
from apps.audit.log.checkpoints import checkpoint_all, checkpoint_tenant
from apps.audit.log.epochs import origin_of
from apps.audit.log.export.contracts import checkpoint_place
from apps.audit.log.export.state import export_state
from apps.audit.log.notes import opened
from apps.audit.log.storage import root_at, stored_size
from apps.audit.models import Checkpoint
from apps.tenants.context import open_scope
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.audit.s3 import EXAMPLE, Store, authorised
from tests.baked import baked
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm
from tests.raising import raises_code

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def place(settings: LazySettings, tmp_path: Path) -> Path:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "outside")
    return tmp_path / "outside"


@pytest.fixture
def acme(place: Path) -> Firm:
    firm = baked(make_firm, "acme")
    sealed(firm, 3)
    return firm


def stored(firm: Firm) -> list[Checkpoint]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(Checkpoint.objects.order_by("size"))


def exported(place: Path, firm: Firm) -> dict[str, str]:
    folder = place / origin_of(firm.id)
    return {path.name: path.read_text() for path in folder.iterdir()} if folder.exists() else {}


def tampered(statement: str, *values: object) -> None:
    """As somebody who has the whole database in his hands."""
    with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as connection:
        connection.execute("SET session_replication_role = replica")
        connection.execute(statement, values)


def test_a_checkpoint_is_signed_stored_and_exported(acme: Firm, place: Path) -> None:
    assert checkpointed(acme)
    (row,) = stored(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        size, root = stored_size(), root_at(stored_size())
    told = opened(row.note, settings.GLASSBOX_LOG_VERIFY_KEYS)
    assert (told.origin, told.size, told.root) == (origin_of(acme.id), size, root)
    assert (row.size, bytes(row.root)) == (size, root)
    assert exported(place, acme) == {f"{size}.note": row.note, "latest": row.note}
    assert export_state(acme.id).size == size


def test_a_log_that_did_not_grow_gets_none(acme: Firm) -> None:
    assert (checkpointed(acme), checkpointed(acme)) == (True, False)
    sealed(acme, 1)
    assert checkpointed(acme)
    first, second = stored(acme)
    assert second.size == first.size + 1


def test_who_serves_requests_can_not_sign(acme: Firm) -> None:
    assert settings.GLASSBOX_LOG_SIGNING_KEY is None
    with raises_code("audit.signing_key_missing"):
        checkpoint_tenant(acme.id)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE audit_leaf SET hash = sha256('x') WHERE index = 0 AND tenant_id = %s", "not the same"),
        ("DELETE FROM audit_leaf WHERE tenant_id = %s", "there are only"),
        ("DELETE FROM audit_leaf WHERE index = 1 AND tenant_id = %s", "missing"),
        ("UPDATE audit_checkpoint SET note = replace(note, 'glassbox', 'shadow') WHERE tenant_id = %s", "trusted"),
    ],
)
def test_a_log_that_was_rewritten_is_not_signed_over(
    acme: Firm, place: Path, statement: str, problem: str, caplog: pytest.LogCaptureFixture
) -> None:
    checkpointed(acme)
    before = exported(place, acme)
    tampered(statement, acme.id)
    sealed(acme, 1)
    with raises_code("audit.log_inconsistent", match=problem):
        checkpointed(acme)
    assert len(stored(acme)) == 1
    assert exported(place, acme) == before
    assert export_state(acme.id).problem == "audit.log_inconsistent"
    with as_worker():
        assert checkpoint_all() == 0
    assert str(acme.id) in caplog.text


def test_a_log_that_was_rewritten_with_its_checkpoints_is_told_by_the_one_outside(acme: Firm, place: Path) -> None:
    checkpointed(acme)
    tampered("DELETE FROM audit_checkpoint WHERE tenant_id = %s", acme.id)
    tampered("UPDATE audit_leaf SET hash = sha256('x') WHERE index = 0 AND tenant_id = %s", acme.id)
    sealed(acme, 1)
    with raises_code("audit.log_inconsistent", match="exported"):
        checkpointed(acme)


def test_the_checkpoint_of_another_log_outside_is_refused(acme: Firm, place: Path) -> None:
    bolt = make_firm("bolt")
    sealed(bolt)
    checkpointed(acme)
    checkpointed(bolt)
    (place / origin_of(acme.id) / "latest").write_text(exported(place, bolt)["latest"])
    with raises_code("audit.log_inconsistent", match="another log"):
        checkpointed(acme)


def test_an_export_that_failed_is_made_up_for(acme: Firm, place: Path) -> None:
    place.write_text("a file is in the way")
    with pytest.raises(CheckpointExportError):
        checkpointed(acme)
    sealed(acme, 1)
    with pytest.raises(CheckpointExportError):
        checkpointed(acme)
    assert export_state(acme.id).problem == "audit.checkpoint_export"
    place.unlink()
    assert not checkpointed(acme)
    rows = stored(acme)
    assert exported(place, acme) == {f"{row.size}.note": row.note for row in rows} | {"latest": rows[-1].note}
    assert export_state(acme.id).problem == ""


@pytest.mark.parametrize("url", ["checkpoints", "ftp://host/path", "s3://", "file://elsewhere/path"])
def test_an_address_that_is_none_is_named(acme: Firm, settings: LazySettings, url: str) -> None:
    settings.GLASSBOX_CHECKPOINT_URL = url
    with pytest.raises(CheckpointExportError, match="GLASSBOX_CHECKPOINT_URL"):
        checkpointed(acme)
    assert len(stored(acme)) == 1


def test_a_file_address_is_a_directory(acme: Firm, settings: LazySettings, tmp_path: Path) -> None:
    settings.GLASSBOX_CHECKPOINT_URL = f"file://{tmp_path}/with%20blank"
    assert checkpointed(acme)
    assert "latest" in exported(tmp_path / "with blank", acme)


# --- S3 ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "headers", "body", "signature"),
    [
        (
            "GET",
            "/test.txt",
            {"range": "bytes=0-9"},
            b"",
            "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
        (
            "PUT",
            "/test%24file.text",
            {"date": "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY"},
            b"Welcome to Amazon S3.",
            "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
    ],
)
def test_the_store_takes_requests_that_are_signed_as_amazon_signs_its_examples(
    method: str, path: str, headers: dict[str, str], body: bytes, signature: str
) -> None:
    every = {"host": "examplebucket.s3.amazonaws.com", **headers}
    signed = authorised(method=method, path=path, headers=every, body=body, **EXAMPLE)
    assert signed["authorization"].endswith(f"Signature={signature}")


@pytest.fixture
def store(settings: LazySettings) -> Iterator[dict[str, bytes]]:
    Store.objects.clear()
    Store.asked.clear()
    Store.token, Store.busy = "", False
    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.GLASSBOX_CHECKPOINT_URL = "s3://audits/glass box"
    settings.GLASSBOX_CHECKPOINT_S3 = {
        "endpoint": f"http://127.0.0.1:{server.server_port}/",
        **{name: EXAMPLE[name] for name in ("region", "access_key", "secret_key")},
    }
    yield Store.objects
    server.shutdown()
    server.server_close()


def test_checkpoints_go_to_an_s3_compatible_store(store: dict[str, bytes]) -> None:
    firm = baked(make_firm, "acme")
    sealed(firm, 1)
    assert checkpointed(firm)
    assert not checkpointed(firm)
    (row,) = stored(firm)
    folder = f"/audits/glass%20box/{origin_of(firm.id)}"
    assert store == {f"{folder}/{name}": row.note.encode() for name in (f"{row.size}.note", "latest")}


def test_a_store_that_refuses_is_tried_again(store: dict[str, bytes], settings: LazySettings) -> None:
    firm, right = make_firm("acme"), settings.GLASSBOX_CHECKPOINT_S3
    sealed(firm, 1)
    settings.GLASSBOX_CHECKPOINT_S3 = {**right, "secret_key": "another one"}
    with pytest.raises(CheckpointExportError, match="403"):
        checkpointed(firm)
    assert (len(stored(firm)), store) == (1, {})
    settings.GLASSBOX_CHECKPOINT_S3 = right
    checkpointed(firm)
    assert len(store) == 2


@pytest.mark.usefixtures("store")
def test_a_note_is_read_as_it_was_written_and_none_where_there_is_none() -> None:
    place = checkpoint_place()
    assert place.get("firm", "latest") is None
    place.put("firm", "latest", "päper\n")
    assert place.get("firm", "latest") == "päper\n"


@pytest.fixture
def without_keys(settings: LazySettings, store: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the settings say with no keys in them, on a machine that has none of its own."""
    for name in [each for each in os.environ if each.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    settings.GLASSBOX_CHECKPOINT_S3 = {**settings.GLASSBOX_CHECKPOINT_S3, "access_key": "", "secret_key": ""}
    Store.token = "a session's/token"
    return settings.GLASSBOX_CHECKPOINT_S3


def test_the_role_of_an_instance_may_write(without_keys: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", without_keys["endpoint"])
    checkpoint_place().put("firm", "latest", "a note")
    assert Store.objects == {"/audits/glass%20box/firm/latest": b"a note"}


@pytest.mark.usefixtures("without_keys")
def test_credentials_of_the_environment_carry_their_token(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", EXAMPLE["access_key"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", EXAMPLE["secret_key"])
    monkeypatch.setenv("AWS_SESSION_TOKEN", Store.token)
    checkpoint_place().put("firm", "latest", "a note")
    assert Store.objects == {"/audits/glass%20box/firm/latest": b"a note"}


@pytest.mark.usefixtures("without_keys")
def test_credentials_that_are_missing_are_told_and_taken_once_they_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(CheckpointExportError, match="AWS_ACCESS_KEY_ID"):
        checkpoint_place().put("firm", "latest", "a note")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", EXAMPLE["access_key"])
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", EXAMPLE["secret_key"])
    monkeypatch.setenv("AWS_SESSION_TOKEN", Store.token)
    checkpoint_place().put("firm", "latest", "a note")


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"endpoint": ""}, "_ENDPOINT is wanted"),
        ({"secret_key": ""}, "both or neither"),
        ({"endpoint": "no address"}, "ValueError"),
        ({"endpoint": "http://127.0.0.1:9"}, "EndpointConnectionError"),
        ({"secret_key": "another one"}, "it answers 403"),
    ],
)
def test_what_is_wrong_with_a_store_is_told_without_its_secrets(
    store: dict[str, bytes], settings: LazySettings, wrong: dict[str, str], problem: str
) -> None:
    settings.GLASSBOX_CHECKPOINT_S3 = {**settings.GLASSBOX_CHECKPOINT_S3, **wrong}
    with pytest.raises(CheckpointExportError, match=problem) as caught:
        checkpoint_place().put("firm", "latest", "a note")
    assert EXAMPLE["secret_key"] not in str(caught.value)
    assert store == {}


def test_a_store_that_is_busy_is_left_alone_until_the_next_time(store: dict[str, bytes]) -> None:
    Store.busy = True
    with pytest.raises(CheckpointExportError, match="503"):
        checkpoint_place().put("firm", "latest", "a note")
    assert (Store.asked, store) == (["PUT"], {})


def test_no_proxy_of_the_environment_is_shown_a_note(store: dict[str, bytes], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    checkpoint_place().put("firm", "latest", "a note")
    assert len(store) == 1
