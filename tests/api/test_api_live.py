"""What needs a server, commits and more than one thread: two at once, and a connection that dies."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection

import httpx
import psycopg
import pytest
from django.conf import LazySettings
from pytest_django.live_server_helper import LiveServer

from apps.corpus.api import documents
from apps.corpus.api.upload import ingest_upload
from apps.corpus.models import Document
from apps.corpus.services.ingest.document import IngestResult
from apps.tenants.context import open_scope
from apps.tenants.models import IdempotentRequest
from apps.tenants.roles import Role
from tests.api.conftest import firm_with_provider
from tests.conftest import admin_dsn
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_key
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_S = 10.0
FORM = {"scope": "fund:alpha", "kind": "run"}
FILE = {"file": ("note.md", b"# A note\n\nIt says something.\n")}


@pytest.fixture
def acme(model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": short_profile(model_server),
    }
    return firm_with_provider("acme")


@pytest.fixture
def client(acme: Firm, live_server: LiveServer) -> Iterator[httpx.Client]:
    _, key = make_key(acme, Role.ANALYST)
    headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": "3f0a"}
    with httpx.Client(base_url=live_server.url, headers=headers, timeout=WAIT_S, trust_env=False) as made:
        yield made


class Held:
    """An upload that stops after it has written, until it is let go."""

    def __init__(self) -> None:
        self.has_written, self.may_go_on = threading.Event(), threading.Event()

    def __call__(self, fields: dict[str, object]) -> IngestResult:
        result = ingest_upload(fields)
        self.has_written.set()
        assert self.may_go_on.wait(WAIT_S)
        return result


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    gate = Held()
    with monkeypatch.context() as patched:
        patched.setattr(documents, "ingest_upload", gate)
        yield gate


def upload(client: httpx.Client) -> httpx.Response:
    return client.post("/api/v1/documents/", data=FORM, files=FILE)


def test_of_two_at_once_the_second_is_told_to_wait(client: httpx.Client, held: Held) -> None:
    with ThreadPoolExecutor() as pool:
        first = pool.submit(upload, client)
        assert held.has_written.wait(WAIT_S)
        second = upload(client)
        held.may_go_on.set()
        assert (second.status_code, second.json()["code"]) == (409, "api.request_in_progress")
        assert second.headers["Retry-After"] == "1"
        assert first.result().status_code == 202
    third = upload(client)
    assert third.headers["Idempotent-Replayed"] == "true"
    assert third.json()["id"] == first.result().json()["id"]


def test_a_connection_that_dies_before_the_commit_leaves_nothing_and_the_key_free(
    client: httpx.Client, held: Held, acme: Firm, settings: LazySettings
) -> None:
    with ThreadPoolExecutor() as pool:
        first = pool.submit(upload, client)
        assert held.has_written.wait(WAIT_S)
        with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}", autocommit=True) as server:
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() "
                "AND state = 'idle in transaction' AND usename = 'glassbox_api'"
            )
        held.may_go_on.set()
        assert first.result().status_code in (500, 503)
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()
        assert not IdempotentRequest.objects.exists()
    again = upload(client)
    assert (again.status_code, "Idempotent-Replayed" in again.headers) == (202, False)


def test_a_body_that_claims_to_be_huge_is_refused_before_it_is_read(client: httpx.Client) -> None:
    connection = HTTPConnection(client.base_url.host, client.base_url.port, timeout=WAIT_S)
    connection.putrequest("POST", "/api/v1/documents/")
    for name, value in {
        "Authorization": client.headers["Authorization"],
        "Content-Type": "multipart/form-data; boundary=x",
        "Content-Length": str(10**12),
    }.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    assert (response.status, json.load(response)["code"]) == (413, "api.body_too_large")
    connection.close()
