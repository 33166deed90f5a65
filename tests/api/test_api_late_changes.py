"""What commits late is not lost to a client that asks for what changed since. In a module of its own: what is written
here is committed, where the API's other tests have one transaction for a module.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
import pytest
from django.conf import settings
from django.db import connection, transaction
from django.test import override_settings

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.test_api_changes import EVER, since
from tests.corpus.ingesting import short_profile
from tests.factories import Firm, make_firm, make_key
from tests.isolation.harness import admin_dsn
from tests.model_server import ModelServer

pytestmark = pytest.mark.slow


@pytest.mark.django_db(transaction=True)
def test_what_commits_late_comes_with_the_next_call(model_server: ModelServer) -> None:
    """A transaction writes early and commits late, and somebody else's of the moment in between is read first."""
    profiles = {**settings.GLASSBOX_EMBEDDING_PROFILES, "remote": short_profile(model_server)}
    with override_settings(GLASSBOX_EMBEDDING_PROFILES=profiles):
        acme, bolt = make_firm("late-acme"), make_firm("late-bolt")
        for firm in (acme, bolt):
            with open_scope(tenant=firm.id, reason="a test"):
                Tenant.objects.filter(id=firm.id).update(embedding_profile="remote")
        api, other = Api(make_key(acme, Role.ANALYST)[1]), Api(make_key(bolt, Role.ANALYST)[1])
        late, early = (api.upload(f"# Note {number}".encode()).json()["id"] for number in (1, 2))
        _, after = since(api, EVER)
        with slow_change(acme, late):
            api.patch(f"/api/v1/documents/{early}/", {"company": "Early"})
            rows, between = since(api, after)
            # What is after the open change waits for it: nobody who asks from `between` on has passed it by.
            assert early not in {row["id"] for row in rows}
            assert since(other, EVER)[1] > between, "another firm's changes are of no concern"
        rows, last = since(api, between)
        # `between` is a whole second: it is written as long as any other, so that texts sort as times do.
        assert between.endswith(".000000Z")
        assert last > between
        assert {(early, "Early"), (late, "Late")} == {(row["id"], row["company"]) for row in rows}
        assert since(api, last)[0] == []
        # Rows that share an instant, as those do that were there before this release, over pages.
        ids = {early, late, *(api.upload(f"# More {number}".encode()).json()["id"] for number in range(4))}
        with psycopg.connect(f"{admin_dsn()} dbname={settings.TEST_DATABASE}") as server:
            server.execute("SET LOCAL session_replication_role = replica")
            server.execute("UPDATE corpus_document SET updated_at = '2026-01-01' WHERE id = ANY(%s::uuid[])", [[*ids]])
        answer = api.get("/api/v1/documents/", {"updated_since": EVER, "page_size": 2}).json()
        got = [row["id"] for row in answer["results"]]
        # One of them moves away between two pages.
        api.patch(f"/api/v1/documents/{got[0]}/", {"company": "Moved"})
        while answer["next"]:
            answer = api.get(answer["next"].removeprefix("http://testserver")).json()
            got += [row["id"] for row in answer["results"]]
        assert (set(got), got.count(got[0]), len(got)) == (ids, 2, len(ids) + 1)


@contextmanager
def slow_change(firm: Firm, document_id: str) -> Iterator[None]:
    """A transaction on a connection of its own that has written, and commits with the end of the block."""
    written, finish = threading.Event(), threading.Event()
    failures: list[BaseException] = []

    def write() -> None:
        try:
            with transaction.atomic(), open_scope(tenant=firm.id, reason="a test"):
                Document.objects.filter(id=document_id).update(company="Late")
                written.set()
                assert finish.wait(60)
        except BaseException as error:  # noqa: BLE001 (told by the test's own thread)
            failures.append(error)
            written.set()
        finally:
            connection.close()

    thread = threading.Thread(target=write)
    thread.start()
    assert written.wait(60)
    assert failures == []
    try:
        yield
    finally:
        finish.set()
        thread.join()
    assert failures == []
