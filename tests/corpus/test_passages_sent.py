"""Which passages leave for an embedding provider while a document is read is in the log before they leave."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.utils import timezone

from apps.audit.models import Outcome
from apps.audit.reporting.contracts import Period, Step
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import JobState
from apps.corpus.providers import recording
from apps.corpus.providers.recording import CALLED, RETURNED
from apps.corpus.services.ingest.reembed import reembed_after_change
from apps.erasure.contracts import Target, TargetType
from apps.retrieval.admin.usage import OF_DOCUMENTS, usage_table
from apps.retrieval.api.usage import usage_json
from apps.retrieval.usage.counting import model_usage
from apps.tenants.context import open_scope
from apps.tenants.models import Membership, Tenant
from apps.tenants.roles import Role
from apps.tenants.services.members import membership_revoke
from tests.corpus.ingesting import PATIENT, change_job, chunks, ingest, job, long_report, run, short_profile
from tests.deciding import document_delete
from tests.factories import Firm, as_, make_firm, make_member
from tests.model_script import Fault
from tests.retrieval.test_embedding_calls import Watched
from tests.retrieval.test_model_calls import told
from tests.retrieval.test_recording import places
from tests.retrieval.twins import approved, erased

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server() -> Iterator[Watched]:
    with Watched() as running:
        yield running


@pytest.fixture
def firm(server: Watched, settings: LazySettings) -> Firm:
    settings.GLASSBOX_EMBEDDING_PROFILES = {
        "local": settings.GLASSBOX_EMBEDDING_PROFILES["local"],
        "remote": short_profile(server, batch_inputs=3, price="0.02 USD"),
        "other": short_profile(server, model="another-model"),
    }
    made = make_firm()
    with open_scope(tenant=made.id, reason="a test"):
        Tenant.objects.filter(id=made.id).update(embedding_profile="remote")
    return made


def inputs(server: Watched) -> list[list[str]]:
    return [request.body["input"] for request in server.requests]


def test_each_request_names_the_passages_that_it_sends(firm: Firm, server: Watched) -> None:
    amy = make_member(firm, "amy", Role.ANALYST)
    made = ingest(firm, long_report(8), principal=amy)
    seen: list[int] = []
    server.once = lambda: seen.append(len(told(firm, CALLED)))
    assert run(firm, made.job) is RunOutcome.SUCCEEDED
    called, ended = told(firm, CALLED), told(firm, RETURNED)
    assert len(called) == len(ended) == len(server.requests) > 2
    # Committed before the request arrived, and nothing was open while it was answered.
    assert seen == [1]
    assert set(server.open) == {0}
    passages = {str(each.id): each for each in chunks(firm, made.document.id)}
    for (event, payload), texts in zip(called, inputs(server), strict=True):
        hits = payload["passages"]["hits"]
        assert payload["core"]["purpose"] == "embed_passages"
        assert payload["core"]["passages"] == len(hits) == len(texts) <= 3
        assert (event.subject_type, event.subject_id, event.actor_id) == ("document", made.document.id, amy.id)
        assert list(event.scope_ids) == [firm.scopes["fund:alpha"].id]
        for hit, text in zip(hits, texts, strict=True):
            assert passages[hit["chunk_id"]].text in text
            assert hit["content_sha256"] == passages[hit["chunk_id"]].content_sha256
            assert hit["document_id"] == str(made.document.id)
    named = [hit["chunk_id"] for _, payload in called for hit in payload["passages"]["hits"]]
    assert sorted(named) == sorted(passages)
    assert [event.subject_id for event, _ in ended] == [event.id for event, _ in called]
    assert all(payload["core"]["cost"] and payload["core"]["input_tokens"] for _, payload in ended)


def test_what_they_cost_is_counted_apart_from_questions(firm: Firm, server: Watched) -> None:
    assert run(firm, ingest(firm, long_report(8)).job) is RunOutcome.SUCCEEDED
    day = datetime.now(UTC).date()
    with as_(make_member(firm, "ada", Role.AUDITOR)):
        usage = model_usage(Period(first=day, last=day, step=Step.DAY, until=timezone.now()))
    ((sort, figures),) = usage.lines
    assert (sort.of_documents, sort.intent, figures.requests) == (True, "", len(server.requests))
    assert set(figures.costs) == {"USD"}
    ((_, _, made_for, profile, *_),) = usage_table(usage).rows
    assert (made_for, profile) == (OF_DOCUMENTS, "remote")
    (line,) = usage_json(usage)["lines"]
    assert (line["of_documents"], line["intent"]) == (True, None)


def test_a_model_within_the_process_is_no_request(firm: Firm, server: Watched) -> None:
    with open_scope(tenant=firm.id, reason="a test"):
        Tenant.objects.filter(id=firm.id).update(embedding_profile="local")
    assert run(firm, ingest(firm).job) is RunOutcome.SUCCEEDED
    assert (told(firm, CALLED), server.requests) == ([], ())


@pytest.mark.parametrize("fault", [Fault.DROPPED, Fault.RATE_LIMITED, Fault.NOT_JSON, Fault.UNAUTHORISED])
def test_a_request_that_fails_has_its_end_and_the_next_attempt_has_events_of_its_own(
    firm: Firm, server: Watched, fault: Fault
) -> None:
    made = ingest(firm)
    server.fail_with(fault, times=1)
    first = run(firm, made.job)
    ((event, payload),) = told(firm, RETURNED)
    assert (event.outcome, bool(payload["core"]["code"]), payload["core"]["cost"]) == (Outcome.FAILED, True, None)
    if first is RunOutcome.WAITING:
        change_job(firm, made.job.id, next_attempt_at=timezone.now())
        assert run(firm, made.job) is RunOutcome.SUCCEEDED
        assert [payload["core"]["attempt"] for _, payload in told(firm, CALLED)][:2] == [1, 2]
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == len(server.requests)


def test_what_can_t_be_recorded_is_not_sent(firm: Firm, server: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    made = ingest(firm)

    def fail(**event: Any) -> None:
        raise OperationalError("the connection is lost")

    monkeypatch.setattr(recording, "record", fail)
    with pytest.raises(OperationalError):
        run(firm, made.job)
    assert (server.requests, told(firm, CALLED)) == ((), [])


def test_who_lost_the_scope_sends_nothing_more(firm: Firm, server: Watched) -> None:
    amy = make_member(firm, "amy", Role.ANALYST)
    made = ingest(firm, long_report(8), principal=amy)

    def end() -> None:
        with open_scope(tenant=firm.id, reason="a test"):
            membership_revoke(Membership.objects.get(user_id=amy.id))

    server.once = end
    assert run(firm, made.job) is RunOutcome.FAILED
    # The first had left already. The system records its end.
    assert len(server.requests) == len(told(firm, CALLED)) == len(told(firm, RETURNED)) == 1


def test_who_is_erased_while_the_provider_works_is_named_nowhere_afterwards(firm: Firm, server: Watched) -> None:
    quirin = make_member(firm, "zaunkoenig", Role.ANALYST)
    made = ingest(firm, long_report(3), principal=quirin)
    assert places("zaunkoenig") != []
    afterwards: list[list[str]] = []

    def erase() -> None:
        erased(firm, [Target(type=TargetType.USER, id=quirin.id)])
        afterwards.append(places("zaunkoenig"))

    server.once = erase
    assert run(firm, made.job) is RunOutcome.FAILED
    assert len(told(firm, CALLED)) == len(told(firm, RETURNED)) == 1
    assert (afterwards, places("zaunkoenig")) == ([[]], [])


def test_no_more_of_a_document_is_sent_once_its_erasure_is_approved(firm: Firm, server: Watched) -> None:
    """Though the system, from which no restriction hides anything, embeds it again."""
    made = ingest(firm, long_report(8))
    assert run(firm, made.job, PATIENT) is RunOutcome.SUCCEEDED
    with open_scope(tenant=firm.id, reason="a test"):
        before = Tenant.objects.get(id=firm.id)
        Tenant.objects.filter(id=firm.id).update(embedding_profile="other")
        reembed_after_change(before, Tenant.objects.get(id=firm.id))
        again = made.document.jobs.exclude(id=made.job.id).get()
    sent = len(server.requests)
    server.once = lambda: approved(firm, [Target(type=TargetType.DOCUMENT, id=made.document.id)])
    assert run(firm, again, PATIENT) is RunOutcome.LOST
    assert len(server.requests) == len(told(firm, CALLED)) == sent + 1


def test_a_document_that_is_removed_meanwhile_sends_nothing_more(firm: Firm, server: Watched) -> None:
    amy = make_member(firm, "amy", Role.ANALYST)
    made = ingest(firm, long_report(8), principal=amy)

    def remove() -> None:
        with as_(amy):
            document_delete(made.document.id)

    server.once = remove
    assert run(firm, made.job) is RunOutcome.LOST
    assert len(server.requests) == len(told(firm, CALLED)) == len(told(firm, RETURNED)) == 1


def test_a_change_of_provider_sends_every_passage_again_and_says_so(firm: Firm, server: Watched) -> None:
    made = ingest(firm, long_report(4))
    assert run(firm, made.job, PATIENT) is RunOutcome.SUCCEEDED
    before = len(server.requests)
    with open_scope(tenant=firm.id, reason="a test"):
        old = Tenant.objects.get(id=firm.id)
        Tenant.objects.filter(id=firm.id).update(embedding_profile="other")
        reembed_after_change(old, Tenant.objects.get(id=firm.id))
        newest = made.document.jobs.exclude(id=made.job.id).first()
    assert newest is not None
    assert run(firm, newest) is RunOutcome.SUCCEEDED
    again = told(firm, CALLED)[before:]
    assert len(again) == len(server.requests) - before > 0
    assert {payload["core"]["model"] for _, payload in again} == {"another-model"}
    named = [hit["chunk_id"] for _, payload in again for hit in payload["passages"]["hits"]]
    assert sorted(named) == sorted(str(each.id) for each in chunks(firm, made.document.id))
    assert job(firm, newest.id).state == JobState.SUCCEEDED
