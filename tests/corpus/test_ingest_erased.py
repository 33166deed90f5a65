"""A document that was erased at somebody's request does not come back by any of the doors; what is purged may."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.conf import settings as configured
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from apps.audit.errors import TombstonesUnavailableError
from apps.audit.models import Event, Outcome
from apps.corpus.batches.batch import Batch
from apps.corpus.models import Document
from apps.corpus.services.documents import document_delete
from apps.corpus.services.ingest.errors import ErasedDocumentError
from apps.corpus.services.ingest.manifest import PlannedFile
from apps.corpus.services.ingest.metadata import DocumentMetadata
from apps.erasure.contracts import Origin, Target, TargetType
from apps.erasure.tombstones import chain
from apps.erasure.tombstones.writing import tombstone_write
from apps.intents.fund_house import FundHouse
from apps.operations.backup.acting import ERASER, acting_as
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import REPORT, ingest
from tests.factories import Firm, make_firm, make_key, make_member
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db(transaction=True)
OTHER = REPORT + b"\n\nAnother copy.\n"


@pytest.fixture(autouse=True)
def outside(tmp_path: Path, settings: LazySettings) -> Iterator[None]:
    settings.GLASSBOX_TOMBSTONES_URL = str(tmp_path / "tombstones")
    yield
    chain._known.clear()


@pytest.fixture
def acme() -> Firm:
    return make_firm("acme")


def erased(firm: Firm, document: Document, *, origin: Origin = Origin.REQUEST) -> str:
    """Returns: the run's id."""
    run = uuid4()
    with acting_as(ERASER):
        tombstone_write(
            tenant_id=firm.id,
            run_id=run,
            origin=origin,
            reason_code="erasure_request",
            targets=[Target(type=TargetType.DOCUMENT, id=document.id)],
        )
    with open_scope(tenant=firm.id, reason="a test"):
        document_delete(document_id=document.id)
    return str(run)


def documents(firm: Firm) -> int:
    with open_scope(tenant=firm.id, reason="a test"):
        return Document.objects.count()


def test_the_same_bytes_are_refused_in_every_scope_and_kind_and_that_is_recorded(acme: Firm) -> None:
    run = erased(acme, ingest(acme).document)
    for scope, kind in (("fund:alpha", "run"), ("fund:beta", "reference_report")):
        with pytest.raises(ErasedDocumentError, match=run) as refused:
            ingest(acme, filename="again.md", scope=scope, kind=kind)
        assert "data protection officer" in str(refused.value)
        assert (refused.value.code, refused.value.status) == ("corpus.document_erased", 409)
    assert documents(acme) == 0
    with open_scope(tenant=acme.id, reason="a test"):
        events = Event.objects.filter(action="corpus.document.refused", outcome=Outcome.REFUSED)
        assert [str(each.subject_id) for each in events] == [run, run]


def test_other_bytes_and_another_firm_s_same_bytes_are_taken_in(acme: Firm) -> None:
    bolt = make_firm("bolt")
    erased(acme, ingest(acme).document)
    assert ingest(acme, OTHER).created
    assert ingest(bolt).created


def test_what_a_retention_rule_purged_may_come_again(acme: Firm) -> None:
    erased(acme, ingest(acme).document, origin=Origin.PURGE)
    assert ingest(acme).created


def test_an_external_id_of_which_nothing_is_left_is_refused_and_a_redacted_version_goes_on(acme: Firm) -> None:
    first = ingest(acme, external_id="HR-4711").document
    redacted = ingest(acme, OTHER, filename="redacted.md", external_id="HR-4711").document
    erased(acme, first)
    assert (
        ingest(acme, OTHER + b"1", filename="next.md", external_id="HR-4711").document.series_id == redacted.series_id
    )
    with open_scope(tenant=acme.id, reason="a test"):
        for document in Document.objects.all():
            document_delete(document_id=document.id)
    with pytest.raises(ErasedDocumentError, match="external id of its own"):
        ingest(acme, OTHER + b"2", filename="last.md", external_id="HR-4711")


def test_of_a_batch_the_others_go_on(acme: Firm, tmp_path: Path) -> None:
    erased(acme, ingest(acme).document)
    batch = Batch(tenant_id=acme.id, scope_id=acme.scope_ids("fund:alpha")[0], reason="a test")
    for name, content in (("erased.md", REPORT), ("other.md", OTHER)):
        (tmp_path / name).write_bytes(content)
        batch.take_in(PlannedFile(path=tmp_path / name, label=name, kind=FundHouse.RUN, metadata=DocumentMetadata()))
    refused, taken = batch.files
    assert "was not accepted" in refused.error
    assert (taken.error, taken.created) == ("", True)


def test_the_api_says_which_problem_it_is(acme: Firm) -> None:
    erased(acme, ingest(acme).document)
    _, key = make_key(acme, Role.ANALYST)
    answer = Client().post(
        "/api/v1/documents/",
        {"file": SimpleUploadedFile("again.md", REPORT), "scope": "fund:alpha", "kind": "run"},
        headers={"Authorization": f"Bearer {key}"},
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "corpus.document_erased"), answer.content


def test_the_admin_says_it_beside_the_file_and_takes_the_others(acme: Firm) -> None:
    erased(acme, ingest(acme).document)
    make_member(acme, "ann", Role.ANALYST)
    ann = Visitor("ann")
    sent = ann.send(
        "corpus_document_add",
        uploads=[SimpleUploadedFile("again.md", REPORT), SimpleUploadedFile("other.md", OTHER)],
        scope=str(acme.scopes["fund:alpha"].id),
        kind="run",
        document_type="report",
    )
    page = Page(ann.get(sent.location))
    assert "again.md was not accepted" in page.text
    assert documents(acme) == 1
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.filter(action="corpus.document.refused").count() == 1


def test_where_nobody_can_say_what_was_erased_nothing_is_taken_in(acme: Firm, settings: LazySettings) -> None:
    there = ingest(acme).document
    settings.GLASSBOX_TOMBSTONES_URL = "nowhere"
    with pytest.raises(TombstonesUnavailableError):
        ingest(acme, OTHER)
    # What is there already is not new.
    assert ingest(acme).document.id == there.id
    assert configured.GLASSBOX_TOMBSTONES_URL == "nowhere"
