"""Checkpoints: signed when the log grew and is a continuation, and carried out of the database's reach."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import psycopg
import pytest
from django.conf import LazySettings, settings

from apps.audit.errors import CheckpointExportError, LogInconsistentError, SigningKeyMissingError
from apps.audit.log.checkpoints import checkpoint_all, checkpoint_tenant
from apps.audit.log.epochs import origin_of
from apps.audit.log.export.s3 import authorised
from apps.audit.log.export.state import export_state
from apps.audit.log.notes import opened
from apps.audit.log.storage import root_at, stored_size
from apps.audit.models import Checkpoint
from apps.tenants.context import open_scope
from tests.audit.acting import as_worker, checkpointed, sealed
from tests.conftest import admin_dsn
from tests.factories import Firm, make_firm

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def place(settings: LazySettings, tmp_path: Path) -> Path:
    settings.GLASSBOX_CHECKPOINT_URL = str(tmp_path / "outside")
    return tmp_path / "outside"


@pytest.fixture
def acme(place: Path) -> Firm:
    firm = make_firm("acme")
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
    with pytest.raises(SigningKeyMissingError):
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
    with pytest.raises(LogInconsistentError, match=problem):
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
    with pytest.raises(LogInconsistentError, match="exported"):
        checkpointed(acme)


def test_the_checkpoint_of_another_log_outside_is_refused(acme: Firm, place: Path) -> None:
    bolt = make_firm("bolt")
    sealed(bolt)
    checkpointed(acme)
    checkpointed(bolt)
    (place / origin_of(acme.id) / "latest").write_text(exported(place, bolt)["latest"])
    with pytest.raises(LogInconsistentError, match="another log"):
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

# Amazon's own examples of signed requests: "Authenticating Requests: Using the Authorization Header".
_EXAMPLE: dict[str, Any] = {
    "region": "us-east-1",
    "access_key": "AKIAIOSFODNN7EXAMPLE",
    "secret_key": "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "now": datetime(2013, 5, 24, tzinfo=UTC),
}


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
def test_requests_are_signed_as_amazon_signs_its_examples(
    method: str, path: str, headers: dict[str, str], body: bytes, signature: str
) -> None:
    every = {"host": "examplebucket.s3.amazonaws.com", **headers}
    signed = authorised(method=method, path=path, headers=every, body=body, **_EXAMPLE)
    assert signed["authorization"].endswith(f"Signature={signature}")


class Store(BaseHTTPRequestHandler):
    """What of S3 is spoken here: PUT and GET of an object, and no for who signs wrongly."""

    objects: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self._is_signed(body):
            self.objects[self.path] = body
            self._answer(200, b"")

    def do_GET(self) -> None:
        if self._is_signed(b""):
            self._answer(200 if self.path in self.objects else 404, self.objects.get(self.path, b""))

    def _is_signed(self, body: bytes) -> bool:
        now = datetime.strptime(self.headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
        expected = authorised(
            method=self.command,
            path=self.path,
            headers={"host": self.headers["Host"]},
            body=body,
            **{**_EXAMPLE, "now": now},
        )
        right = expected["authorization"] == self.headers["Authorization"]
        right = right and self.headers["x-amz-content-sha256"] == hashlib.sha256(body).hexdigest()
        if not right:
            self._answer(403, b"")
        return right

    def _answer(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Not to the terminal."""


@pytest.fixture
def store(settings: LazySettings) -> Iterator[dict[str, bytes]]:
    Store.objects.clear()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Store)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings.GLASSBOX_CHECKPOINT_URL = "s3://audits/glass box"
    settings.GLASSBOX_CHECKPOINT_S3 = {
        "endpoint": f"http://127.0.0.1:{server.server_port}",
        **{name: _EXAMPLE[name] for name in ("region", "access_key", "secret_key")},
    }
    yield Store.objects
    server.shutdown()
    server.server_close()


def test_checkpoints_go_to_an_s3_compatible_store(store: dict[str, bytes]) -> None:
    firm = make_firm("acme")
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
