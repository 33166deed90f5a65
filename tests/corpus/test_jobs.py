"""A job's way: read, embedded, ready; in pieces, again, and in the hands of one worker at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any

import numpy as np
import pytest
from django.conf import LazySettings
from django.db import connection
from django.utils import timezone

from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, DocumentStatus, JobStage, JobState
from apps.corpus.reader.reading import searched_text
from apps.corpus.services.ingest.lease import RunPolicy, claim
from apps.corpus.services.ingest.read import read_file
from apps.corpus.terms import TERMS_VERSION
from apps.tenants.context import open_scope
from apps.tenants.models import Tenant
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.corpus.files import BROKEN, PdfPage, pdf
from tests.corpus.ingesting import (
    PATIENT,
    REPORT,
    actions,
    change_job,
    chunks,
    document,
    ingest,
    job,
    long_report,
    pages,
    postings,
    remote_profile,
    run,
    vectors,
)
from tests.factories import Firm, make_firm, make_key, make_member
from tests.model_server import Fault, ModelServer, hashed_vector

pytestmark = pytest.mark.django_db
# For what another thread must see, or write.
committed = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        local = settings.GLASSBOX_EMBEDDING_PROFILES["local"]
        settings.GLASSBOX_EMBEDDING_PROFILES = {
            "local": {**local, "dimension": 384},
            "remote": remote_profile(running),
            "abroad": remote_profile(running, region="us"),
            "odd": remote_profile(running, dimension=500, request_dimensions=True),
        }
        yield running


@pytest.fixture
def firm(server: ModelServer) -> Firm:
    made = make_firm()
    set_tenant(made, embedding_profile="remote")
    return made


def set_tenant(firm: Firm, **values: Any) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(**values)


def expire_lease(firm: Firm, job_id: Any) -> None:
    change_job(firm, job_id, lease_until=timezone.now() - timedelta(seconds=1))


def elsewhere(action: Callable[[], None]) -> Callable[[], None]:
    """An action for the model server's thread, which gives its database connection back."""

    def act() -> None:
        try:
            action()
        finally:
            connection.close()

    return act


# --- the whole way ---


@committed
def test_a_document_becomes_ready(firm: Firm) -> None:
    made = ingest(firm)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    ready, done = document(firm, made.document.id), job(firm, made.job.id)
    assert (ready.status, ready.valid_to) == (DocumentStatus.READY, None)
    assert ready.valid_from is not None
    assert (done.state, done.stage, done.lease_owner) == (JobState.SUCCEEDED, JobStage.DONE, "")
    assert done.chunks_embedded == done.chunks_total == ready.chunk_count > 0


def test_pages_and_passages_agree(firm: Firm) -> None:
    made = ingest(firm, long_report())
    run(firm, made.job)
    text_of = {page.number: page.text for page in pages(firm, made.document.id)}
    for chunk in chunks(firm, made.document.id):
        assert chunk.text == text_of[chunk.page_start][chunk.char_start : chunk.char_end]


def test_parents_hold_their_children(firm: Firm) -> None:
    made = ingest(firm, long_report())
    run(firm, made.job)
    parents = {parent.id: parent for parent in chunks(firm, made.document.id, parents=True)}
    inside = [
        (chunk.text, parents[chunk.parent_id].text) for chunk in chunks(firm, made.document.id) if chunk.parent_id
    ]
    assert inside
    assert all(text in parent_text for text, parent_text in inside)


def test_postings_count_what_the_passages_hold(firm: Firm) -> None:
    made = ingest(firm, long_report())
    run(firm, made.job)
    lengths: dict[int, int] = {}
    for posting in postings(firm, made.document.id):
        columns = (posting.chunk_numbers, posting.term_frequencies, posting.chunk_term_counts)
        for number, frequency, _ in zip(*columns, strict=True):
            lengths[number] = lengths.get(number, 0) + frequency
    said = {
        number: length
        for posting in postings(firm, made.document.id)
        for number, length in zip(posting.chunk_numbers, posting.chunk_term_counts, strict=True)
    }
    assert lengths == said
    assert lengths.keys() == {chunk.number for chunk in chunks(firm, made.document.id)}
    stored = document(firm, made.document.id)
    assert (stored.term_count, stored.terms_version) == (sum(lengths.values()), TERMS_VERSION)


def test_every_passage_has_the_vector_of_its_text_and_header(firm: Firm) -> None:
    made = ingest(firm)
    run(firm, made.job)
    stored = {vector.chunk_id: vector for vector in vectors(firm, made.document.id)}
    for chunk in chunks(firm, made.document.id):
        expected = hashed_vector(searched_text(chunk), 1536)
        assert np.allclose(stored[chunk.id].vector, expected, atol=1e-3)


def test_the_bundled_model_fills_the_other_table(firm: Firm) -> None:
    set_tenant(firm, embedding_profile="local")
    made = ingest(firm)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    assert {vector.model for vector in vectors(firm, made.document.id, 384)} == {"all-MiniLM-L6-v2"}
    assert vectors(firm, made.document.id, 1536) == []


def test_the_events_tell_the_story(firm: Firm) -> None:
    run(firm, ingest(firm, external_id="x").job)
    run(firm, ingest(firm, REPORT + b"More.", external_id="x").job)
    assert actions(firm, ["corpus."]) == [
        "corpus.document.received",
        "corpus.document.ready",
        "corpus.document.received",
        "corpus.document.superseded",
        "corpus.document.ready",
    ]


# --- versions ---


def test_a_new_version_takes_over_when_it_is_ready_and_not_before(firm: Firm) -> None:
    first = ingest(firm, external_id="x")
    run(firm, first.job)
    second = ingest(firm, REPORT + b"More.", external_id="x")
    assert document(firm, first.document.id).status == DocumentStatus.READY
    run(firm, second.job)
    old, new = document(firm, first.document.id), document(firm, second.document.id)
    assert (old.status, new.status) == (DocumentStatus.SUPERSEDED, DocumentStatus.READY)
    assert old.valid_to is not None
    assert new.valid_from is not None
    assert chunks(firm, old.id)


def test_a_version_that_failed_supersedes_nothing(firm: Firm) -> None:
    first = ingest(firm, external_id="x")
    run(firm, first.job)
    run(firm, ingest(firm, BROKEN, filename="x.json", external_id="x").job)
    assert document(firm, first.document.id).status == DocumentStatus.READY


def test_a_version_that_was_overtaken_goes_to_the_history(firm: Firm) -> None:
    first = ingest(firm, external_id="x")
    second = ingest(firm, REPORT + b"More.", external_id="x")
    run(firm, second.job)
    run(firm, first.job)
    assert document(firm, first.document.id).status == DocumentStatus.SUPERSEDED
    assert document(firm, second.document.id).status == DocumentStatus.READY


# --- bad files ---


@pytest.mark.parametrize(
    ("content", "filename", "code"),
    [
        (pdf([PdfPage(picture=True)]), "scan.pdf", "corpus.file_without_text"),
        (BROKEN, "cut.json", "corpus.file_corrupt"),
    ],
)
def test_a_bad_file_fails_with_its_reason_on_its_row(firm: Firm, content: bytes, filename: str, code: str) -> None:
    made = ingest(firm, content, filename=filename)
    assert run(firm, made.job) is RunOutcome.FAILED
    failed, ended = document(firm, made.document.id), job(firm, made.job.id)
    assert (failed.status, failed.error_code, ended.error_code) == (DocumentStatus.FAILED, code, code)
    assert filename in failed.error_detail
    assert chunks(firm, made.document.id) == []


def test_text_in_latin_1_is_read_and_the_warning_is_kept(firm: Firm) -> None:
    made = ingest(
        firm, "Die Gebühr für den Fonds beträgt höchstens ein Prozent. ".encode("latin-1") * 5, filename="g.txt"
    )
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    assert document(firm, made.document.id).warnings[0]["code"] == "decoded_with_fallback"
    assert "Gebühr" in pages(firm, made.document.id)[0].text


# --- providers that fail ---


@pytest.mark.parametrize(
    "fault",
    [Fault.ERROR_500, Fault.DROPPED, Fault.HANG, Fault.WRONG_LENGTH, Fault.NOT_A_NUMBER, Fault.NOT_JSON],
)
def test_a_provider_that_fails_makes_the_job_wait_with_its_reason(
    firm: Firm, server: ModelServer, settings: LazySettings, fault: Fault
) -> None:
    settings.GLASSBOX_EMBEDDING_PROFILES["remote"]["timeout_seconds"] = 0.3
    server.fail_with(fault)
    made = ingest(firm)
    assert run(firm, made.job) is RunOutcome.WAITING
    waiting = job(firm, made.job.id)
    assert (waiting.state, waiting.lease_owner, waiting.attempts) == (JobState.RETRY, "", 1)
    assert waiting.next_attempt_at is not None
    assert waiting.next_attempt_at > timezone.now()
    assert waiting.error_code.startswith("corpus.provider_")
    assert vectors(firm, made.document.id) == []


def test_a_waiting_job_is_not_begun_before_its_time(firm: Firm, server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500, times=1)
    made = ingest(firm)
    run(firm, made.job)
    assert run(firm, made.job) is RunOutcome.NOT_CLAIMED


@committed
def test_a_job_goes_on_where_the_provider_failed(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm, long_report())
    server.reset()
    assert run(firm, made.job, RunPolicy(batch_chunks=4)) is RunOutcome.SUCCEEDED
    needed = len(server.requests)
    made = ingest(firm, long_report() + b"\n\nAnother end.")
    server.reset()
    server.at_request(3, lambda: Fault.ERROR_500)
    assert run(firm, made.job) is RunOutcome.WAITING
    assert job(firm, made.job.id).chunks_embedded == 8
    assert len(vectors(firm, made.document.id)) == 8
    change_job(firm, made.job.id, next_attempt_at=timezone.now())
    server.reset()
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    assert len(server.requests) == needed - 2
    assert len(vectors(firm, made.document.id)) == document(firm, made.document.id).chunk_count


def test_a_stored_batch_counts_as_progress(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm, long_report())
    change_job(firm, made.job.id, attempts=2)
    server.at_request(2, lambda: Fault.ERROR_500)
    assert run(firm, made.job) is RunOutcome.WAITING
    assert job(firm, made.job.id).attempts == 1


def test_a_server_that_asks_to_wait_is_given_that_time(firm: Firm, server: ModelServer) -> None:
    server.retry_after_seconds = 120
    server.fail_with(Fault.RATE_LIMITED)
    made = ingest(firm)
    run(firm, made.job)
    waits_until = job(firm, made.job.id).next_attempt_at
    assert waits_until is not None
    assert waits_until > timezone.now() + timedelta(seconds=100)


def test_a_job_gives_up_after_its_attempts_and_says_why(firm: Firm, server: ModelServer) -> None:
    server.fail_with(Fault.ERROR_500)
    made = ingest(firm)
    outcomes = []
    for _ in range(3):
        outcomes.append(run(firm, made.job))
        change_job(firm, made.job.id, next_attempt_at=timezone.now())
    assert outcomes == [RunOutcome.WAITING, RunOutcome.WAITING, RunOutcome.FAILED]
    assert "HTTP 500" in document(firm, made.document.id).error_detail
    assert job(firm, made.job.id).error_code == "corpus.attempts_exhausted"


def test_a_refused_key_fails_at_once(firm: Firm, server: ModelServer) -> None:
    server.fail_with(Fault.UNAUTHORISED)
    made = ingest(firm)
    assert run(firm, made.job) is RunOutcome.FAILED
    assert document(firm, made.document.id).error_code == "corpus.provider_auth"


def test_a_strict_tenant_sends_nothing_abroad(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm)
    set_tenant(firm, embedding_profile="abroad", residency_strict=True)
    assert run(firm, made.job) is RunOutcome.FAILED
    assert document(firm, made.document.id).error_code == "tenants.residency"
    assert server.requests == ()


def test_vectors_of_a_length_without_a_table_are_refused(firm: Firm) -> None:
    made = ingest(firm)
    set_tenant(firm, embedding_profile="odd")
    assert run(firm, made.job) is RunOutcome.FAILED
    assert document(firm, made.document.id).error_code == "corpus.unsupported_dimension"


# --- one worker at a time ---


def test_a_job_that_somebody_holds_is_left_alone(firm: Firm) -> None:
    made = ingest(firm)
    assert claim(tenant_id=firm.id, job_id=made.job.id, policy=PATIENT) is not None
    assert run(firm, made.job) is RunOutcome.NOT_CLAIMED


def test_a_finished_job_is_not_run_again(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm)
    run(firm, made.job)
    server.reset()
    assert run(firm, made.job) is RunOutcome.NOT_CLAIMED
    assert server.requests == ()


def test_an_unknown_job_is_nothing_to_do(firm: Firm) -> None:
    other = make_firm("borealis")
    made = ingest(other)
    assert run(firm, made.job) is RunOutcome.NOT_CLAIMED


def test_the_job_of_a_dead_worker_is_taken_over(firm: Firm) -> None:
    made = ingest(firm)
    claim(tenant_id=firm.id, job_id=made.job.id, policy=PATIENT)
    expire_lease(firm, made.job.id)
    assert run(firm, made.job) is RunOutcome.SUCCEEDED


@committed
def test_a_worker_that_lost_its_lease_writes_nothing_more(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm, long_report())
    server.at_request(2, elsewhere(lambda: change_job(firm, made.job.id, lease_owner="another worker")))
    assert run(firm, made.job) is RunOutcome.LOST
    assert len(vectors(firm, made.document.id)) == 4
    assert job(firm, made.job.id).state == JobState.RUNNING


@committed
def test_a_document_removed_meanwhile_ends_the_job(firm: Firm, server: ModelServer) -> None:
    made = ingest(firm, long_report())

    def remove() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            Document.objects.filter(id=made.document.id).delete()

    server.at_request(2, elsewhere(remove))
    assert run(firm, made.job) is RunOutcome.LOST


def test_a_file_that_kills_its_worker_is_given_up(firm: Firm) -> None:
    made = ingest(firm)
    for _ in range(3):
        assert claim(tenant_id=firm.id, job_id=made.job.id, policy=PATIENT) is not None
        expire_lease(firm, made.job.id)
    assert run(firm, made.job) is RunOutcome.FAILED
    assert document(firm, made.document.id).error_code == "corpus.worker_lost"


def test_a_shutdown_gives_the_job_back(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    made = ingest(firm)
    monkeypatch.setattr("apps.corpus.jobs.read_file", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run(firm, made.job)
    returned = job(firm, made.job.id)
    assert (returned.state, returned.attempts, returned.lease_owner) == (JobState.PENDING, 0, "")


@committed
def test_the_lease_is_prolonged_while_a_worker_computes(firm: Firm, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ingest(firm)
    seen: list[datetime] = []

    def leased_until() -> list[datetime]:
        until = job(firm, made.job.id).lease_until
        return [until] if until else []

    def slow(*args: Any, **kwargs: Any) -> Any:
        seen.extend(leased_until())
        time.sleep(0.5)
        seen.extend(leased_until())
        return read_file(*args, **kwargs)

    monkeypatch.setattr("apps.corpus.jobs.read_file", slow)
    assert run(firm, made.job, RunPolicy(lease_seconds=0.8)) is RunOutcome.SUCCEEDED
    assert seen[1] > seen[0]


# --- on whose behalf ---


def test_a_members_job_runs_with_the_members_grants(firm: Firm) -> None:
    alice = make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    assert run(firm, ingest(firm, principal=alice).job) is RunOutcome.SUCCEEDED


def test_an_api_keys_job_runs_with_the_keys_grants(firm: Firm) -> None:
    key, _ = make_key(firm, Role.ANALYST, scopes=["fund:alpha"])
    assert run(firm, ingest(firm, principal=key).job) is RunOutcome.SUCCEEDED


def test_the_job_of_a_member_who_left_fails_with_a_clear_error(firm: Firm) -> None:
    from apps.tenants.models import Membership

    alice = make_member(firm, "alice", Role.ANALYST)
    made = ingest(firm, principal=alice)
    with open_scope(tenant=firm.id, reason="a test"):
        membership_revoke(Membership.objects.get(user_id=alice.id))
    assert run(firm, made.job) is RunOutcome.FAILED
    failed = document(firm, made.document.id)
    assert (failed.error_code, "may no longer add" in failed.error_detail) == ("corpus.actor_revoked", True)
    # What is kept with the document outlives the person's name.
    assert "alice" not in failed.error_detail
    assert chunks(firm, made.document.id) == []


def test_the_job_of_a_revoked_key_fails(firm: Firm) -> None:
    from apps.tenants.models import ApiKey
    from apps.tenants.services.api_keys import api_key_revoke

    key, _ = make_key(firm, Role.ANALYST)
    made = ingest(firm, principal=key)
    with open_scope(tenant=firm.id, reason="a test"):
        api_key_revoke(ApiKey.objects.get(id=key.id))
    assert run(firm, made.job) is RunOutcome.FAILED
    assert document(firm, made.document.id).error_code == "corpus.actor_revoked"


@committed
def test_a_member_who_lost_the_scope_in_mid_job_writes_nothing_more(firm: Firm, server: ModelServer) -> None:
    from apps.tenants.models import Membership
    from apps.tenants.services.members import grants_set

    alice = make_member(firm, "alice", Role.ANALYST, scopes=["fund:alpha"])
    made = ingest(firm, long_report(), principal=alice)

    def revoke() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            grants_set(membership=Membership.objects.get(user_id=alice.id), scopes=[])

    server.at_request(2, elsewhere(revoke))
    assert run(firm, made.job) is RunOutcome.FAILED
    assert len(vectors(firm, made.document.id)) == 4
    assert job(firm, made.job.id).error_code == "corpus.actor_revoked"
