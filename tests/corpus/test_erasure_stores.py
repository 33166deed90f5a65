"""A document removed as a run removes it: by glassbox_eraser itself, each part committed, with a worker in between."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.conf import LazySettings
from django.db import DatabaseError, connection

from apps.corpus.contents import documents_of
from apps.corpus.models import Chunk, Document, IngestJob
from apps.erasure.contracts import Store, Target, TargetType
from apps.erasure.registry import stores
from apps.erasure.stores.rows import Rows
from apps.tenants.context import open_scope
from tests.audit.mutations import acting_as
from tests.audit.removal_world import under_way
from tests.conftest import admin_dsn
from tests.corpus.ingesting import ingest, long_report, remote_profile, run
from tests.factories import Firm, make_firm
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def acme(settings: LazySettings) -> Iterator[Firm]:
    with ModelServer() as server:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": remote_profile(server)}
        yield make_firm("acme")


def going(firm: Firm, *targets: Target) -> None:
    """A run that names these is being carried out from now on: the eraser removes nothing without one."""
    with psycopg.connect(f"{admin_dsn()} dbname={connection.settings_dict['NAME']}") as administrator:
        for statement in under_way(firm, *targets):
            administrator.execute(statement)


def store(key: str) -> Store:
    return next(each for each in stores() if each.key == key)


def target(document: Document) -> Target:
    return Target(type=TargetType.DOCUMENT, id=document.id)


def committed(firm: Firm, targets: list[Target], *, limit: int) -> dict[str, int]:
    """Clear every store as the eraser, a transaction a part. Returns: how many went, by store."""
    removed: dict[str, int] = {}
    with acting_as("glassbox_eraser"):
        for store in stores():
            while True:
                with open_scope(tenant=firm.id, reason="a test"):
                    part = store.clear(targets, limit=limit)
                removed[store.key] = removed.get(store.key, 0) + part
                if not part:
                    break
            with open_scope(tenant=firm.id, reason="a test"):
                assert store.count(targets) == 0, store.key
    return removed


def refused(firm: Firm, role: str, statement: str) -> None:
    """The wall's own refusal, whatever the policies say."""
    with (
        acting_as(role),
        pytest.raises(DatabaseError, match="permission denied"),
        open_scope(tenant=firm.id, reason="a test"),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement)


@pytest.mark.slow
def test_the_eraser_removes_a_document_and_its_like_can_be_taken_in_again(acme: Firm) -> None:
    stays, goes = ingest(acme, b"# One\n\nSomething else altogether.\n"), ingest(acme, long_report())
    for each in (stays, goes):
        run(acme, each.job)
    going(acme, target(goes.document))
    removed = committed(acme, [target(goes.document)], limit=7)
    assert removed["corpus.documents"] == removed["corpus.document_files"] == removed["corpus.jobs"] == 1
    assert removed["corpus.chunks"] > 30
    assert not any(committed(acme, [target(goes.document)], limit=7).values())
    with open_scope(tenant=acme.id, reason="a test"):
        assert [each.id for each in Document.objects.all()] == [stays.document.id]
        assert set(Chunk.objects.values_list("document_id", flat=True)) == {stays.document.id}
    again = ingest(acme, long_report())
    assert again.document.id != goes.document.id


def test_a_worker_finds_its_job_gone_and_adds_nothing(acme: Firm) -> None:
    goes = ingest(acme, long_report())
    going(acme, target(goes.document))
    with acting_as("glassbox_eraser"), open_scope(tenant=acme.id, reason="a test"):
        assert store("corpus.jobs").clear([target(goes.document)], limit=5) == 1
    run(acme, goes.job)
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Chunk.objects.exists()
        assert not IngestJob.objects.exists()
    committed(acme, [target(goes.document)], limit=50)
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()


def test_a_document_can_not_go_before_what_hangs_on_it(acme: Firm) -> None:
    goes = ingest(acme)
    run(acme, goes.job)
    going(acme, target(goes.document))
    with (
        acting_as("glassbox_eraser"),
        pytest.raises(DatabaseError, match="violates foreign key"),
        open_scope(tenant=acme.id, reason="a test"),
    ):
        store("corpus.documents").clear([target(goes.document)], limit=5)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.filter(id=goes.document.id).exists()


def test_the_eraser_reads_no_text_and_changes_no_document(acme: Firm) -> None:
    run(acme, ingest(acme).job)
    for statement in (
        "SELECT text FROM corpus_page",
        "SELECT content FROM corpus_sourcefile",
        "SELECT vector FROM corpus_embedding1536",
        "SELECT title FROM corpus_document",
        "UPDATE corpus_document SET title = 'x'",
        "SELECT secret_sha256 FROM tenants_apikey",
        "UPDATE tenants_membership SET role = 'dpo'",
        "DELETE FROM tenants_scope",
        "DELETE FROM audit_datakey",
    ):
        refused(acme, "glassbox_eraser", statement)


@pytest.mark.parametrize("role", ["glassbox_api", "glassbox_worker"])
@pytest.mark.parametrize("table", ["tenants_membership", "tenants_grant", "tenants_apikey", "intents_reviewcomment"])
def test_who_serves_requests_still_deletes_nothing_of_the_directory(acme: Firm, role: str, table: str) -> None:
    refused(acme, role, f"DELETE FROM {table}")


def test_the_documents_of_a_scope_are_those_below_it_too(acme: Firm) -> None:
    alpha, firm = ingest(acme), ingest(acme, b"# Firm\n\nAll of it.\n", scope="firm:acme")
    with open_scope(tenant=acme.id, reason="a test"):
        scope = Target(type=TargetType.SCOPE, id=acme.scopes["fund:alpha"].id)
        root = Target(type=TargetType.SCOPE, id=acme.root.id)
        tenant = Target(type=TargetType.TENANT, id=acme.tenant.id)
        assert documents_of([scope]) == (target(alpha.document),)
        for whole in (root, tenant):
            assert set(documents_of([whole, scope])) == {target(alpha.document), target(firm.document)}
        assert documents_of([target(alpha.document)]) == ()


def test_every_store_of_rows_comes_after_those_whose_rows_point_at_its_own() -> None:
    """By the database's own foreign keys, where both tables lose rows for the same sort of target."""
    ordered = [store for store in stores() if isinstance(store, Rows) and not store.emptied]
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT DISTINCT conrelid::regclass::text, confrelid::regclass::text FROM pg_constraint "
            "WHERE contype = 'f' AND conrelid <> confrelid"
        )
        pairs = cursor.fetchall()
    checked = 0
    for table, referred in pairs:
        for later, store in enumerate(ordered):
            for earlier, pointing in enumerate(ordered):
                if (pointing.table, store.table) == (table, referred) and pointing.found_by.keys() & store.found_by:
                    assert earlier < later, f"{pointing.key} must be cleared before {store.key}"
                    checked += 1
    assert checked > 10
