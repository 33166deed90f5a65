"""A move meets what is in the other scope, on its way out, restricted or of another kind: nothing joins or escapes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.corpus.errors import RemovalKeptError
from apps.corpus.jobs import RunOutcome, _read
from apps.corpus.kinds import RetentionClass
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobState
from apps.corpus.services.correct import document_correct
from apps.corpus.services.ingest.errors import MoveError
from apps.corpus.services.ingest.lease import claim
from apps.corpus.services.move import document_move
from apps.corpus.services.removals import is_due
from apps.erasure.contracts import Origin, Target, TargetType
from apps.erasure.holds.restrictions import restrict
from apps.erasure.log_removal import RemovalReason
from apps.erasure.models import Because, RemovalRun
from apps.erasure.runs.runs import run_propose
from apps.privacy.codes.requests import Requester, SubjectType
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.details import Details
from apps.privacy.requests.services.receiving import request_receive
from apps.tenants.context import open_scope
from apps.tenants.ids import ScopeId
from apps.tenants.leased_jobs import LeaseLostError
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from tests.audit.retaining import approved
from tests.corpus.ingesting import PATIENT, chunks, document, ingest, job, postings, run, short_profile, vectors
from tests.corpus.test_move import WORDS, beta, filed, read_all, states
from tests.corpus.test_refile import given
from tests.deciding import withdraw
from tests.factories import Firm, as_, make_member
from tests.model_server import ModelServer
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db

FIRST = b"# Costs\n\nThe costs were 7 million."
SECOND = b"# Costs\n\nThe costs were 8 million."


@pytest.fixture(autouse=True)
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


@pytest.fixture
def alice(acme: Firm) -> Principal:
    return make_member(acme, "alice", Role.TENANT_ADMIN)


def hide(firm: Firm, hidden: Document) -> None:
    with as_(make_member(firm, f"dora-{uuid4().hex[:6]}", Role.DPO)):
        restrict([Target(type=TargetType.DOCUMENT, id=hidden.id)], Because.REQUEST, uuid4())


def test_an_earlier_version_does_not_join_the_same_file_of_the_other_scope(acme: Firm, alice: Principal) -> None:
    theirs = filed(acme, FIRST, scope="fund:beta", title="Theirs")
    first = filed(acme, FIRST)
    second = filed(acme, SECOND, replaces=first.id)
    with as_(alice):
        moved = document_move(document_id=second.id, scope_id=beta(acme), words=WORDS)
    assert moved.made.series_id != theirs.series_id
    read_all(acme)
    assert document(acme, theirs.id).status == DocumentStatus.READY
    assert document(acme, moved.made.id).status == DocumentStatus.READY


def test_a_copy_does_not_follow_a_restricted_document_of_the_same_id(acme: Firm, alice: Principal) -> None:
    theirs = filed(acme, b"# Other\n\nText.", scope="fund:beta", external_id="costs-1")
    hide(acme, theirs)
    report = filed(acme, external_id="costs-1")
    with as_(alice), pytest.raises(MoveError) as refused:
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    assert (refused.value.code, str(theirs.id) in refused.value.detail) == ("corpus.move_restricted", False)
    assert states(acme, "fund:beta") == [(1, DocumentStatus.READY)]


def test_bytes_of_a_restricted_version_do_not_leave_its_scope(acme: Firm, alice: Principal) -> None:
    first = filed(acme, FIRST)
    with as_(alice):
        second = document_correct(document_id=first.id, changes={"title": "Costs"})
    read_all(acme)
    hide(acme, first)
    with as_(alice), pytest.raises(MoveError, match="is restricted"):
        document_move(document_id=second.id, scope_id=beta(acme), words=WORDS)
    assert states(acme, "fund:beta") == []


def test_a_series_with_a_restricted_version_is_not_torn_apart(acme: Firm, alice: Principal) -> None:
    first = filed(acme, FIRST)
    second = filed(acme, SECOND, replaces=first.id)
    hide(acme, first)
    with as_(alice), pytest.raises(MoveError, match="is restricted"):
        document_move(document_id=second.id, scope_id=beta(acme), words=WORDS)
    assert states(acme, "fund:beta") == []


def test_to_and_fro_does_not_propose_to_remove_both(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    with as_(alice):
        moved = document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    read_all(acme)
    with as_(alice), pytest.raises(MoveError, match="is to be removed"):
        document_move(document_id=moved.made.id, scope_id=ScopeId(report.scope_id), words=WORDS)
    with open_scope(tenant=acme.id, reason="a test"):
        assert RemovalRun.objects.count() == 1


@pytest.mark.parametrize("is_read", [True, False])
def test_nothing_leaves_an_open_request_for_erasure(acme: Firm, alice: Principal, is_read: bool) -> None:
    mine = ingest(acme, principal=alice)
    if is_read:
        run(acme, mine.job)
    with as_(make_member(acme, "dora", Role.DPO)):
        request_receive(
            subject_type=SubjectType.DOCUMENT,
            subject_id=mine.document.id,
            requester=Requester.FIRM,
            details=Details(),
        )
    with as_(alice), pytest.raises(RemovalKeptError):
        document_move(document_id=mine.document.id, scope_id=beta(acme), words=WORDS)
    assert states(acme, "fund:beta") == []


@pytest.mark.parametrize("scope", ["fund:alpha", "fund:beta", "firm:acme"])
def test_nothing_leaves_or_enters_a_scope_of_which_the_erasure_is_asked(
    acme: Firm, alice: Principal, scope: str
) -> None:
    """Also of the scope above, of which the mover need not know: it covers those below it."""
    receive_scope(acme, make_member(acme, "dora", Role.DPO), scope)
    report = filed(acme)
    mover = make_member(acme, "mona", Role.TENANT_ADMIN, scopes=["fund:alpha", "fund:beta"])
    with as_(mover), pytest.raises(MoveError) as refused:
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    assert refused.value.code == "corpus.move_of_requested_scope"
    assert states(acme, "fund:beta") == []


def test_of_a_request_that_is_over_nothing_stays(acme: Firm, alice: Principal) -> None:
    dora = make_member(acme, "dora", Role.DPO)
    request = receive_scope(acme, dora, "fund:alpha")
    report = filed(acme)
    with as_(dora):
        withdraw(request.id, words="They changed their mind.")
    with as_(alice):
        assert document_move(document_id=report.id, scope_id=beta(acme), words=WORDS).removals


def receive_scope(firm: Firm, dpo: Principal, scope: str) -> ErasureRequest:
    with as_(dpo):
        return request_receive(
            subject_type=SubjectType.SCOPE,
            subject_id=firm.scopes[scope].id,
            requester=Requester.FIRM,
            details=Details(),
        )


def test_an_earlier_version_keeps_its_kind(acme: Firm, alice: Principal) -> None:
    first = filed(acme, FIRST)
    second = filed(acme, SECOND, replaces=first.id, kind="methodology")
    with as_(alice):
        moved = document_move(document_id=second.id, scope_id=beta(acme), words=WORDS)
    with open_scope(tenant=acme.id, reason="a test"):
        there = Document.objects.filter(series_id=moved.made.series_id).order_by("version")
        assert list(there.values_list("content_sha256", "kind")) == [
            (first.content_sha256, "run"),
            (second.content_sha256, "methodology"),
        ]


def test_whoever_decides_reads_what_becomes_of_the_other_copy(acme: Firm, alice: Principal) -> None:
    make_member(acme, "rita", Role.REVIEWER)
    report = filed(acme)
    with as_(alice):
        moved = document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    (proposal,) = moved.removals
    told = Visitor("rita").open("removal_run", proposal.id).text
    assert "is being read" in told
    assert "and stays there" not in told
    read_all(acme)
    assert "and is searchable there" in Visitor("rita").open("removal_run", proposal.id).text
    with as_(make_member(acme, "dora", Role.DPO)):
        run_propose(
            Origin.REMOVAL,
            moved.made.id,
            [Target(type=TargetType.DOCUMENT, id=moved.made.id)],
            RemovalReason.DUPLICATE,
        )
    told = Visitor("rita").open("removal_run", proposal.id).text
    assert "and is searchable there" not in told
    assert "its removal is proposed there, too" in told


@pytest.mark.parametrize("reads", [True, False])
def test_a_kind_corrected_while_a_worker_reads_is_the_kind_of_all_that_is_found(
    acme: Firm, alice: Principal, reads: bool
) -> None:
    mine = ingest(acme, principal=alice)
    lease = claim(tenant_id=acme.id, job_id=mine.job.id, policy=PATIENT)
    assert lease is not None
    if reads:
        _read(lease)
    with as_(alice):
        document_correct(document_id=mine.document.id, changes={}, kind="methodology")
    with pytest.raises(LeaseLostError):
        _read(lease)
    assert run(acme, job(acme, mine.job.id)) is RunOutcome.SUCCEEDED
    found = [*chunks(acme, mine.document.id), *postings(acme, mine.document.id), *vectors(acme, mine.document.id, 384)]
    assert {each.kind for each in found} == {"methodology"}


def test_a_failed_copy_is_read_again_unless_it_would_replace_another(acme: Firm, alice: Principal) -> None:
    theirs = filed(acme, SECOND, scope="fund:beta")
    failed = ingest(acme, FIRST, scope="fund:beta", replaces=theirs.id)
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=failed.document.id).update(status=DocumentStatus.FAILED)
        IngestJob.objects.filter(id=failed.job.id).update(state=JobState.FAILED)
    report = filed(acme, FIRST)
    with as_(alice):
        moved = document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    assert moved.made.series_id != theirs.series_id
    read_all(acme)
    assert document(acme, theirs.id).status == DocumentStatus.READY

    alone = ingest(acme, b"# Alone\n\nText.", scope="fund:beta", filename="alone.md")
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=alone.document.id).update(status=DocumentStatus.FAILED)
        IngestJob.objects.filter(id=alone.job.id).update(state=JobState.FAILED)
    same = filed(acme, b"# Alone\n\nText.", filename="alone.md")
    with as_(alice):
        moved = document_move(document_id=same.id, scope_id=beta(acme), words=WORDS)
    assert moved.made.id == alone.document.id
    read_all(acme)
    assert document(acme, alone.document.id).status == DocumentStatus.READY


@pytest.mark.parametrize("scope", ["fund:alpha", "fund:beta"])
def test_nothing_leaves_or_enters_a_scope_that_is_to_be_removed(acme: Firm, alice: Principal, scope: str) -> None:
    with as_(make_member(acme, "dora", Role.DPO)):
        ending = Target(type=TargetType.SCOPE, id=acme.scopes[scope].id)
        run_propose(Origin.REQUEST, uuid4(), [ending], RemovalReason.ORDER_OF_AUTHORITY)
    came_since = filed(acme)
    with as_(alice), pytest.raises(MoveError, match="One of the two scopes is to be removed"):
        document_move(document_id=came_since.id, scope_id=beta(acme), words=WORDS)
    assert states(acme, "fund:beta") == []


def test_what_is_past_its_latest_date_does_not_begin_anew(acme: Firm, alice: Principal) -> None:
    report = filed(acme)
    approved(
        make_member(acme, "dora", Role.DPO),
        make_member(acme, "dirk", Role.DPO),
        "document:run",
        keep_months=12,
        remove_months=24,
        clock_start="created_at",
        includes_current=True,
    )
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=report.id).update(created_at=timezone.now() - timedelta(days=3 * 366))
    with as_(alice), pytest.raises(MoveError, match="past the latest date"):
        document_move(document_id=report.id, scope_id=beta(acme), words=WORDS)
    assert states(acme, "fund:beta") == []


def test_a_kind_follows_the_rule_of_its_class(acme: Firm, alice: Principal, monkeypatch: pytest.MonkeyPatch) -> None:
    report = filed(acme)
    given(acme, monkeypatch, run={"retention_class": RetentionClass.CLIENT_RECORD})
    approved(
        make_member(acme, "dora", Role.DPO),
        make_member(acme, "dirk", Role.DPO),
        "document:client_record",
        keep_months=0,
        clock_start="created_at",
        includes_current=True,
    )
    with open_scope(tenant=acme.id, reason="a test"):
        Document.objects.filter(id=report.id).update(created_at=timezone.now() - timedelta(days=3 * 366))
    with as_(alice):
        assert is_due(report)


def test_the_database_changes_no_kind_of_what_a_job_has_read(acme: Firm, alice: Principal) -> None:
    mine = ingest(acme, principal=alice)
    lease = claim(tenant_id=acme.id, job_id=mine.job.id, policy=PATIENT)
    assert lease is not None
    rows = Document.objects.filter(id=mine.document.id)
    with as_(alice):
        assert rows.update(kind="methodology") == 1
    _read(lease)
    with as_(alice), pytest.raises(IntegrityError, match="with all that was read of it"), transaction.atomic():
        rows.update(kind="run")
    assert {each.kind for each in chunks(acme, mine.document.id)} == {"methodology"}
