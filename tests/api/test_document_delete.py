"""Deleting a document: everything below it goes with it, and no worker brings any of it back."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterator

import pytest
from django.conf import LazySettings
from django.db import connection

from apps.audit.models import Event
from apps.corpus.errors import DocumentNotFoundError
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, IngestJob, Page
from apps.corpus.services.documents import BELOW, document_delete, tables_below
from apps.tenants.context import open_scope
from apps.tenants.errors import PermissionDeniedError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.api.conftest import firm_with_provider, ready_document
from tests.corpus.ingesting import FIGURES, NAMES, REPORT, ingest, long_report, remote_profile, run
from tests.factories import Firm, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_S = 10.0


@pytest.fixture
def acme(model_server: ModelServer, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        **settings.GLASSBOX_EMBEDDING_PROFILES,
        "remote": remote_profile(model_server),
    }
    return firm_with_provider("acme")


@pytest.fixture
def server(model_server: ModelServer) -> Iterator[ModelServer]:
    yield model_server
    model_server.fail_with(None)


def delete(firm: Firm, document_id: uuid.UUID) -> None:
    """By the platform: what people do is in tests/api/test_removals.py."""
    with open_scope(tenant=firm.id, reason="a test"):
        document_delete(document_id=document_id)


def delete_as(firm: Firm, principal: Principal, document_id: uuid.UUID) -> None:
    with open_scope(tenant=firm.id, principal=principal):
        document_delete(document_id=document_id)


def left_of(firm: Firm, document_id: uuid.UUID) -> dict[str, int]:
    with open_scope(tenant=firm.id, reason="a test"):
        below = {model.__name__: model.objects.filter(document_id=document_id).count() for model in tables_below()}
        own = {"Document": Document.objects.filter(id=document_id).count()}
    return {name: count for name, count in {**below, **own}.items() if count}


def test_every_table_that_hangs_on_a_document_is_named() -> None:
    related = {
        relation.related_model
        for relation in Document._meta.get_fields(include_hidden=True)
        if relation.auto_created and (relation.one_to_many or relation.one_to_one)
    }
    assert related == set(tables_below())
    assert set(BELOW) <= related


def test_a_document_goes_with_everything_below_it(acme: Firm) -> None:
    document = ready_document(acme, REPORT + FIGURES + NAMES)
    assert {"Fact", "EntityMention", "Relation", "Chunk", "Page"} <= left_of(acme, document.id).keys()
    delete(acme, document.id)
    assert left_of(acme, document.id) == {}


def test_the_log_keeps_what_it_was(acme: Firm) -> None:
    document = ready_document(acme)
    delete(acme, document.id)
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.get(action="corpus.document.deleted")
        assert (event.actor_kind, event.subject_id) == ("system", document.id)
        assert event.payload["core"]["content_sha256"] == document.content_sha256
        assert document.title not in str(event.payload)


def test_other_documents_and_versions_stay_as_they_are(acme: Firm) -> None:
    first = ready_document(acme, b"# One\n\nText.", external_id="dms-7")
    second = ready_document(acme, b"# Two\n\nText.", external_id="dms-7")
    delete(acme, second.id)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Document.objects.get(id=first.id).status == "superseded"
    assert left_of(acme, first.id)


def test_who_may_not_deletes_nothing(acme: Firm) -> None:
    document = ready_document(acme)
    with pytest.raises(PermissionDeniedError):
        delete_as(acme, make_member(acme, "bob", Role.ANALYST), document.id)
    assert left_of(acme, document.id)


def test_a_document_of_another_scope_is_not_found(acme: Firm) -> None:
    document = ready_document(acme)
    with pytest.raises(DocumentNotFoundError):
        delete_as(acme, make_member(acme, "bob", Role.TENANT_ADMIN, scopes=["fund:beta"]), document.id)
    assert left_of(acme, document.id)


def test_a_worker_between_two_batches_finds_it_gone_and_stops(acme: Firm, server: ModelServer) -> None:
    """Deleted while the provider works on the second batch."""
    result = ingest(acme, long_report(12))
    server.at_request(len(server.requests) + 2, lambda: delete_elsewhere(acme, result.document.id))
    assert run(acme, result.job) is RunOutcome.LOST
    assert left_of(acme, result.document.id) == {}


def delete_elsewhere(firm: Firm, document_id: uuid.UUID) -> None:
    try:
        delete(firm, document_id)
    finally:
        connection.close()


def test_a_worker_that_is_writing_is_waited_for(acme: Firm) -> None:
    """What it had not yet committed when the deletion began is removed as well."""
    result = ingest(acme)
    has_written, may_commit = threading.Event(), threading.Event()

    def write() -> None:
        # As a worker does it: the job's row first, then what is below the document.
        with open_scope(tenant=acme.id, reason="a test"):
            IngestJob.objects.filter(id=result.job.id).update(attempts=1)
            Page.objects.create(
                tenant_id=acme.id, scope_id=result.document.scope_id, document=result.document, number=1, text="Text."
            )
            has_written.set()
            assert may_commit.wait(WAIT_S)

    worker = in_thread(write)
    assert has_written.wait(WAIT_S)
    deleting = in_thread(lambda: delete(acme, result.document.id))
    deleting.join(0.3)
    assert deleting.is_alive()
    may_commit.set()
    worker.join(WAIT_S)
    deleting.join(WAIT_S)
    assert left_of(acme, result.document.id) == {}


def test_a_message_for_a_job_that_is_gone_does_nothing(acme: Firm) -> None:
    result = ingest(acme)
    delete(acme, result.document.id)
    assert run(acme, result.job) is RunOutcome.NOT_CLAIMED
    assert left_of(acme, result.document.id) == {}


def in_thread(work: Callable[[], None]) -> threading.Thread:
    def closing() -> None:
        try:
            work()
        finally:
            connection.close()

    thread = threading.Thread(target=closing)
    thread.start()
    return thread
