"""What a moved copy keeps of where it came from: earlier versions are never current, and no clock begins anew."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, ProgrammingError, transaction
from django.utils import timezone

from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState
from apps.corpus.services.documents import document_delete
from apps.corpus.services.ingest.errors import MoveError
from apps.corpus.services.move import document_move
from apps.corpus.services.removals import is_due
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.retaining import approved
from tests.corpus.ingesting import document, ingest, run, short_profile
from tests.corpus.test_move import WORDS, beta, filed, read_all, states
from tests.factories import Firm, as_, make_member
from tests.model_server import ModelServer

pytestmark = pytest.mark.django_db

FIRST = b"# Costs\n\nThe costs were 7 million."
SECOND = b"# Costs\n\nThe costs were 8 million."
LONG_AGO = timedelta(days=3 * 366)


@pytest.fixture(autouse=True)
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.TENANT_ADMIN)


@pytest.fixture
def current(acme: Firm) -> Document:
    """Of two versions, the one in force."""
    first = filed(acme, FIRST)
    return filed(acme, SECOND, replaces=first.id)


def moved_to(firm: Firm, mover: Principal, there: Document, scope: ScopeId | None = None) -> Document:
    with as_(mover):
        return document_move(document_id=there.id, scope_id=scope or beta(firm), words=WORDS).made


def jobs_of(firm: Firm, made: Document) -> list[IngestJob]:
    """The jobs of its series, those of the earlier versions first."""
    with open_scope(tenant=firm.id, reason="a test"):
        of_series = IngestJob.objects.filter(document__series_id=made.series_id)
        return list(of_series.order_by("document__version"))


def aged(firm: Firm, *documents: Document) -> datetime:
    """As if they had been uploaded long ago."""
    at = timezone.now() - LONG_AGO
    with open_scope(tenant=firm.id, reason="a test"):
        Document.objects.filter(id__in=[each.id for each in documents]).update(created_at=at)
    return at


# --- An earlier version is never current ------------------------------------------------------------------------------


def test_an_earlier_version_that_is_read_first_answers_nothing(acme: Firm, alice: Principal, current: Document) -> None:
    made = moved_to(acme, alice, current)
    earlier, last = jobs_of(acme, made)
    run(acme, earlier)
    assert states(acme, "fund:beta") == [(1, DocumentStatus.SUPERSEDED), (2, DocumentStatus.RECEIVED)]
    run(acme, last)
    assert states(acme, "fund:beta") == [(1, DocumentStatus.SUPERSEDED), (2, DocumentStatus.READY)]


def test_nor_where_the_last_one_fails_or_is_discarded(acme: Firm, alice: Principal, current: Document) -> None:
    made = moved_to(acme, alice, current)
    earlier, last = jobs_of(acme, made)
    with open_scope(tenant=acme.id, reason="a test"):
        IngestJob.objects.filter(id=last.id).update(state=JobState.FAILED)
        Document.objects.filter(id=made.id).update(status=DocumentStatus.FAILED)
    with as_(alice):
        document_delete(document_id=made.id)
    run(acme, earlier)
    assert states(acme, "fund:beta") == [(1, DocumentStatus.SUPERSEDED)]


def test_the_database_makes_no_earlier_version_current(acme: Firm, alice: Principal, current: Document) -> None:
    made = moved_to(acme, alice, current)
    run(acme, jobs_of(acme, made)[0])
    with (
        open_scope(tenant=acme.id, reason="a test"),
        pytest.raises(IntegrityError, match="document_replaced_is_not_current"),
        transaction.atomic(),
    ):
        Document.objects.filter(series_id=made.series_id, version=1).update(status=DocumentStatus.READY)


def test_nor_is_it_what_an_upload_or_a_move_of_the_same_file_finds(
    acme: Firm, alice: Principal, current: Document
) -> None:
    """It waits alone there: neither may join it, and be answered from nothing."""
    made = moved_to(acme, alice, current)
    with open_scope(tenant=acme.id, reason="a test"):
        made_before = Document.objects.get(series_id=made.series_id, version=1)
    with as_(alice):
        document_delete(document_id=made.id)
    again = filed(acme, FIRST, title="Anew")
    came = moved_to(acme, alice, again)
    assert came.id != made_before.id
    with as_(alice):
        document_delete(document_id=came.id)
    uploaded = ingest(acme, FIRST, scope="fund:beta", filename="costs.md")
    assert uploaded.created
    run(acme, uploaded.job)
    assert document(acme, uploaded.document.id).status == DocumentStatus.READY


def test_what_nothing_has_replaced_yet_is_not_filed_as_replaced(acme: Firm, alice: Principal) -> None:
    """The control: once the next version is read, both are moved."""
    first = filed(acme, FIRST)
    mine = ingest(acme, SECOND, principal=alice, replaces=first.id)
    with pytest.raises(MoveError) as refused:
        moved_to(acme, alice, mine.document)
    assert refused.value.code == "corpus.move_before_earlier"
    assert states(acme, "fund:beta") == []
    run(acme, mine.job)
    moved_to(acme, alice, mine.document)
    assert [version for version, _ in states(acme, "fund:beta")] == [1, 2]


# --- No clock begins anew ---------------------------------------------------------------------------------------------


def let_go(firm: Firm, clock: str) -> None:
    approved(
        make_member(firm, "dora", Role.DPO),
        make_member(firm, "dirk", Role.DPO),
        "document:run",
        keep_months=12,
        clock_start=clock,
        includes_current=True,
    )


def test_retention_from_the_upload_goes_on_counting(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    at = aged(acme, report)
    let_go(acme, "created_at")
    made = moved_to(acme, alice, report)
    read_all(acme)
    with as_(alice):
        assert document(acme, made.id).first_received_at == at
        assert is_due(made)
    again = moved_to(acme, alice, filed(acme, SECOND, title="Of today"))
    with as_(alice):
        assert not is_due(again)


def test_a_second_move_keeps_the_first_upload(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    at = aged(acme, report)
    made = moved_to(acme, alice, report)
    read_all(acme)
    with open_scope(tenant=acme.id, reason="a test"):
        on = ScopeId(acme.scopes["firm:acme"].id)
    again = moved_to(acme, alice, document(acme, made.id), on)
    assert document(acme, again.id).first_received_at == at


def test_retention_from_the_replacement_goes_on_counting(acme: Firm, alice: Principal, current: Document) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        first = Document.objects.get(series_id=current.series_id, version=1)
        at = timezone.now() - LONG_AGO
        Document.objects.filter(id=first.id).update(valid_to=at)
    let_go(acme, "superseded_at")
    made = moved_to(acme, alice, current)
    read_all(acme)
    with as_(alice):
        earlier = Document.objects.get(series_id=made.series_id, version=1)
        assert (earlier.replaced_there_at, earlier.valid_from) == (at, earlier.valid_to)
        assert is_due(earlier)
        assert not is_due(document(acme, made.id))
    on = ScopeId(acme.scopes["firm:acme"].id)
    again = moved_to(acme, alice, document(acme, made.id), on)
    with as_(alice):
        assert Document.objects.get(series_id=again.series_id, version=1).replaced_there_at == at, "also moved on"


# --- What the database holds by itself --------------------------------------------------------------------------------


def copy(source: Document, scope_id: ScopeId, **changes: Any) -> Document:
    with transaction.atomic():
        made: Document = Document.objects.create(
            **{
                "tenant_id": source.tenant_id,
                "scope_id": scope_id,
                "kind": source.kind,
                "title": "Copied",
                "slug": uuid4().hex,
                "series_id": uuid4(),
                "filename": source.filename,
                "byte_size": source.byte_size,
                "content_sha256": source.content_sha256,
                "moved_from_id": source.id,
                **changes,
            }
        )
    made.refresh_from_db()
    return made


@pytest.mark.parametrize("days", [-3000, -1, 1, 3000])
def test_no_statement_says_another_time_than_the_source(acme: Firm, alice: Principal, days: int) -> None:
    report = filed(acme)
    said = report.created_at + timedelta(days=days)
    with as_(alice):
        made = copy(report, beta(acme), first_received_at=said)
        assert made.first_received_at == report.created_at
        with pytest.raises(IntegrityError), transaction.atomic():
            Document.objects.filter(id=made.id).update(first_received_at=said)
    as_job = as_(replace(alice, runs_job_of=made.id))
    with as_job, pytest.raises(IntegrityError, match="keeps what it was moved from"), transaction.atomic():
        Document.objects.filter(id=made.id).update(first_received_at=said)
    with as_(replace(alice, runs_job_of=report.id)), pytest.raises(IntegrityError), transaction.atomic():
        Document.objects.filter(id=report.id).update(first_received_at=said)


def test_a_copy_of_what_was_replaced_is_never_current(acme: Firm, alice: Principal, current: Document) -> None:
    with as_(alice):
        first = Document.objects.get(series_id=current.series_id, version=1)
        assert copy(first, beta(acme)).replaced_there_at == first.valid_to


def test_nor_is_a_copy_of_what_was_never_current(acme: Firm, alice: Principal, current: Document) -> None:
    made = moved_to(acme, alice, current)
    with as_(alice):
        waits = Document.objects.get(series_id=made.series_id, version=1)
        assert copy(waits, ScopeId(acme.scopes["firm:acme"].id)).replaced_there_at is not None


def test_a_copy_of_what_is_current_is_not_replaced(acme: Firm, alice: Principal, current: Document) -> None:
    with as_(alice), pytest.raises(IntegrityError, match="was not replaced where it comes from"):
        copy(current, beta(acme), replaced_there_at=timezone.now())


@pytest.mark.parametrize(
    "changes",
    [
        {"moved_from_id": uuid4()},
        {"moved_from_id": None, "first_received_at": timezone.now()},
        {"content_sha256": "0" * 64},
        {"kind": "methodology"},
    ],
)
def test_only_the_same_bytes_of_the_same_kind_are_a_copy(acme: Firm, alice: Principal, changes: dict[str, Any]) -> None:
    report = filed(acme)
    with as_(alice), pytest.raises(IntegrityError, match="as what it is"):
        copy(report, beta(acme), **changes)


def test_who_may_remove_nothing_or_does_not_see_it_moves_nothing(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    with as_(alice), pytest.raises(IntegrityError, match="as what it is"):
        copy(report, ScopeId(report.scope_id))
    with as_(make_member(acme, "anna", Role.ANALYST)), pytest.raises(IntegrityError, match="who may remove it"):
        copy(report, beta(acme))
    with as_(make_member(acme, "theo", Role.TENANT_ADMIN, scopes=["fund:beta"])), pytest.raises(IntegrityError):
        copy(report, beta(acme))
    with as_(alice), pytest.raises((IntegrityError, ProgrammingError)), transaction.atomic():
        Document.objects.filter(id=report.id).update(moved_from_id=uuid4())
