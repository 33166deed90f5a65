"""A tenant moves to another provider: its ready documents get new vectors, and can be searched all the while."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from apps.audit.models import Event, Outcome
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, DocumentStatus, IngestJob, JobStage, JobState
from apps.corpus.progress import progress_of_job
from apps.corpus.services.ingest.lease import claim
from apps.corpus.services.ingest.restart import job_restart
from apps.tenants import leased_jobs
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.principals import Principal
from apps.tenants.roles import Role
from apps.tenants.services.tenants import tenant_configure
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import (
    PATIENT,
    REPORT,
    actions,
    change_job,
    document,
    ingest,
    job,
    long_report,
    remote_profile,
    run,
    vectors,
)
from tests.factories import Firm, make_firm, make_member
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.django_db
SMALL, LARGE = "text-embedding-3-small", "text-embedding-3-large"


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {
            "local": remote_profile(running, model=SMALL),
            # Of the same length, so that both lie in one table.
            "second": remote_profile(running, model=LARGE, request_dimensions=True),
        }
        yield running


@pytest.fixture
def firm(server: ModelServer) -> Firm:
    return make_firm()


def move(firm: Firm, profile: str, *, principal: Principal | None = None) -> list[IngestJob]:
    """Change the tenant's provider. Returns: the jobs that this made, oldest first."""
    with open_scope(tenant=firm.id, reason="a test"):
        before = set(IngestJob.objects.values_list("id", flat=True))
    with open_scope(tenant=firm.id, principal=principal, reason="a test"):
        tenant = Tenant.objects.get(id=firm.id)
        tenant.embedding_profile = profile
        tenant_configure(tenant)
    with open_scope(tenant=firm.id, reason="a test"):
        return list(IngestJob.objects.exclude(id__in=before).order_by("requested_at"))


def ready(firm: Firm, content: bytes = REPORT, *, scope: str = "fund:alpha", external_id: str = "") -> Document:
    made = ingest(firm, content, scope=scope, external_id=external_id)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    return made.document


def models(firm: Firm, made: Document) -> dict[str, int]:
    """How many vectors the document has, by model."""
    counts: dict[str, int] = {}
    for vector in vectors(firm, made.id):
        counts[vector.model] = counts.get(vector.model, 0) + 1
    return counts


def jobs(firm: Firm, made: Document) -> list[IngestJob]:
    with open_scope(tenant=firm.id, reason="a test"):
        return list(IngestJob.objects.filter(document=made).order_by("requested_at"))


# --- who gets a job ---


def test_every_ready_document_gets_a_job_that_begins_at_its_embedding(firm: Firm) -> None:
    made = ready(firm)
    (again,) = move(firm, "second")
    assert (again.document_id, again.stage, again.state) == (made.id, JobStage.EMBED, JobState.PENDING)
    assert (again.embedding_profile, again.chunks_total) == ("second", document(firm, made.id).chunk_count)


def test_the_message_is_sent_when_the_change_is_committed(
    firm: Firm,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    ready(firm)
    sent: list[str] = []
    monkeypatch.setattr(leased_jobs, "send", lambda task, arguments, after_s: sent.append(task))
    with django_capture_on_commit_callbacks(execute=True):
        move(firm, "second")
        assert sent == []
    assert sent == [IngestJob.task]


def test_another_setting_makes_no_job(firm: Firm) -> None:
    ready(firm)
    assert move(firm, "local") == []


def test_a_document_on_its_way_gets_no_second_job(firm: Firm) -> None:
    made = ingest(firm)
    assert move(firm, "second") == []
    run(firm, made.job)
    assert set(models(firm, made.document)) == {LARGE}


def test_a_failed_document_gets_no_job(firm: Firm) -> None:
    run(firm, ingest(firm, BROKEN, filename="x.json").job)
    assert move(firm, "second") == []


def test_a_superseded_version_gets_no_job(firm: Firm) -> None:
    ready(firm, external_id="x")
    newer = ready(firm, REPORT + b"More.", external_id="x")
    assert [again.document_id for again in move(firm, "second")] == [newer.id]


def test_nothing_of_another_tenant_is_embedded_again(firm: Firm) -> None:
    other = make_firm("borealis")
    made = ready(other)
    move(firm, "second")
    assert len(jobs(other, made)) == 1


def test_the_jobs_run_for_whoever_changed_it(firm: Firm) -> None:
    ready(firm)
    alice = make_member(firm, "alice", Role.TENANT_ADMIN)
    (again,) = move(firm, "second", principal=alice)
    assert (again.actor_id, again.actor_label) == (alice.id, "alice")
    assert run(firm, again) is RunOutcome.SUCCEEDED


def test_what_lies_beyond_their_scopes_is_embedded_by_the_system(firm: Firm) -> None:
    hidden = ready(firm, scope="fund:beta")
    alice = make_member(firm, "alice", Role.TENANT_ADMIN, scopes=["fund:alpha"])
    (again,) = move(firm, "second", principal=alice)
    assert (again.document_id, again.actor_kind) == (hidden.id, "system")
    assert run(firm, again) is RunOutcome.SUCCEEDED


# --- while it runs, and after ---


def test_the_document_stays_ready_while_a_worker_has_it(firm: Firm) -> None:
    made = ready(firm)
    (again,) = move(firm, "second")
    claim(tenant_id=firm.id, job_id=again.id, policy=PATIENT)
    assert document(firm, made.id).status == DocumentStatus.READY


def test_vectors_of_both_models_are_kept(firm: Firm) -> None:
    made = ready(firm)
    (again,) = move(firm, "second")
    assert run(firm, again) is RunOutcome.SUCCEEDED
    count = document(firm, made.id).chunk_count
    assert models(firm, made) == {SMALL: count, LARGE: count}


def test_going_back_computes_nothing(firm: Firm, server: ModelServer) -> None:
    ready(firm)
    run(firm, move(firm, "second")[0])
    (back,) = move(firm, "local")
    server.reset()
    assert run(firm, back) is RunOutcome.SUCCEEDED
    assert server.requests == ()


def test_it_is_recorded_once_and_as_what_it_is(firm: Firm) -> None:
    ready(firm)
    run(firm, move(firm, "second")[0])
    assert actions(firm, ["corpus."]) == [
        "corpus.document.received",
        "corpus.document.ready",
        "corpus.document.reembedded",
    ]


def test_the_version_before_is_left_alone(firm: Firm) -> None:
    first = ready(firm, external_id="x")
    second = ready(firm, REPORT + b"More.", external_id="x")
    before = document(firm, second.id).valid_from
    run(firm, move(firm, "second")[0])
    assert document(firm, second.id).valid_from == before
    assert document(firm, first.id).status == DocumentStatus.SUPERSEDED


def test_a_document_that_was_superseded_meanwhile_is_not_ready_again(firm: Firm) -> None:
    first = ready(firm, external_id="x")
    (again,) = move(firm, "second")
    ready(firm, REPORT + b"More.", external_id="x")
    assert run(firm, again) is RunOutcome.SUCCEEDED
    assert document(firm, first.id).status == DocumentStatus.SUPERSEDED


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_change_in_mid_job_is_followed_by_another(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm, long_report())

    def change() -> None:
        try:
            move(firm, "second")
        finally:
            connection.close()

    server.at_request(2, change)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    first, second = jobs(firm, made.document)
    assert (first.id, second.state, second.embedding_profile) == (made.job.id, JobState.PENDING, "second")
    assert run(firm, second) is RunOutcome.SUCCEEDED
    assert set(models(firm, made.document)) == {SMALL, LARGE}


def test_progress_is_that_of_any_job(firm: Firm, server: ModelServer) -> None:
    ready(firm, long_report())
    (again,) = move(firm, "second")
    server.reset()
    server.at_request(3, lambda: Fault.ERROR_500)
    assert run(firm, again) is RunOutcome.WAITING
    progress = progress_of_job(job(firm, again.id))
    assert (progress.chunks_embedded, progress.stage) == (8, JobStage.EMBED)
    assert 0 < progress.fraction < 1


# --- when it fails ---


@pytest.fixture
def refused(firm: Firm, server: ModelServer) -> IngestJob:
    """The job of a ready document whose new provider accepts no key."""
    ready(firm)
    (again,) = move(firm, "second")
    server.fail_with(Fault.UNAUTHORISED)
    assert run(firm, again) is RunOutcome.FAILED
    server.reset()
    return job(firm, again.id)


def test_the_job_fails_with_its_error_and_the_document_stays_ready(firm: Firm, refused: IngestJob) -> None:
    kept = document(firm, refused.document_id)
    assert (refused.state, refused.error_code) == (JobState.FAILED, "corpus.provider_auth")
    assert (kept.status, kept.error_code) == (DocumentStatus.READY, "")


def test_the_failure_is_recorded(firm: Firm, refused: IngestJob) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        event = Event.objects.get(action="corpus.document.reembedded")
        assert (event.outcome, event.payload["core"]["error_code"]) == (Outcome.FAILED, "corpus.provider_auth")


def test_it_can_be_started_again_and_the_document_stays_ready(firm: Firm, refused: IngestJob) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        job_restart(job=refused)
    assert document(firm, refused.document_id).status == DocumentStatus.READY
    assert run(firm, refused) is RunOutcome.SUCCEEDED
    assert set(models(firm, document(firm, refused.document_id))) == {SMALL, LARGE}


def test_a_provider_that_fails_for_a_while_makes_the_job_wait(firm: Firm, server: ModelServer) -> None:
    made = ready(firm)
    (again,) = move(firm, "second")
    server.fail_with(Fault.ERROR_500, times=1)
    assert run(firm, again) is RunOutcome.WAITING
    assert document(firm, made.id).status == DocumentStatus.READY
    change_job(firm, again.id, next_attempt_at=timezone.now())
    assert run(firm, again) is RunOutcome.SUCCEEDED
