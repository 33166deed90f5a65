from __future__ import annotations

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.corpus.models import IngestJob
from apps.tenants.context import open_scope
from tests.api.client import Api
from tests.corpus.files import BROKEN
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm
from tests.model_server import Fault, ModelServer

pytestmark = pytest.mark.django_db


@pytest.fixture
def failed(acme: Firm) -> IngestJob:
    result = ingest(acme, BROKEN, filename="report.json")
    run(acme, result.job)
    with open_scope(tenant=acme.id, reason="a test"):
        job: IngestJob = IngestJob.objects.select_related("document").get(id=result.job.id)
    assert job.state == "failed"
    return job


def test_a_job_tells_how_far_it_is(analyst: Api, acme: Firm) -> None:
    job = ingest(acme).job
    body = analyst.get(f"/api/v1/jobs/{job.id}/").json()
    assert (body["status"], body["fraction"], body["sentence"]) == ("pending", 0.0, "Waiting for a worker")
    run(acme, job)
    body = analyst.get(f"/api/v1/jobs/{job.id}/").json()
    assert (body["status"], body["fraction"], body["scope"]) == ("succeeded", 1.0, "fund:alpha")


def test_a_job_that_waits_for_the_provider_says_why_and_when(
    analyst: Api, acme: Firm, model_server: ModelServer
) -> None:
    job = ingest(acme).job
    model_server.fail_with(Fault.ERROR_500, times=50)
    run(acme, job)
    model_server.fail_with(None)
    body = analyst.get(f"/api/v1/jobs/{job.id}/").json()
    assert body["status"] == "retry"
    assert body["next_attempt_at"]
    assert body["error"]["code"].startswith("corpus.")


def test_jobs_are_filtered_by_status_and_document(analyst: Api, acme: Firm, failed: IngestJob) -> None:
    waiting = ingest(acme).job
    by_status = analyst.get("/api/v1/jobs/?status=failed").json()["results"]
    by_document = analyst.get(f"/api/v1/jobs/?document={waiting.document_id}").json()["results"]
    assert [each["id"] for each in by_status] == [str(failed.id)]
    assert [each["id"] for each in by_document] == [str(waiting.id)]


@pytest.mark.parametrize("query", ["status=gone", "document=7", "page_size=x"])
def test_a_filter_value_that_is_none_is_refused(analyst: Api, query: str) -> None:
    assert analyst.get(f"/api/v1/jobs/?{query}").status_code == 400


def test_a_failed_job_is_started_again(admin: Api, failed: IngestJob) -> None:
    response = admin.post(f"/api/v1/jobs/{failed.id}/retry/")
    assert (response.status_code, response.json()["status"]) == (202, "pending")
    assert response["Location"] == f"/api/v1/jobs/{failed.id}/"
    assert response.json()["error"] is None


def test_a_job_that_is_done_is_not_started_again(admin: Api, acme: Firm) -> None:
    job = ingest(acme).job
    run(acme, job)
    response = admin.post(f"/api/v1/jobs/{job.id}/retry/")
    assert (response.status_code, response.json()["code"]) == (409, "corpus.job_not_retryable")


def test_a_list_costs_the_same_queries_for_one_row_and_for_ten(
    analyst: Api, acme: Firm, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ingest(acme)
    analyst.get("/api/v1/me/")
    with django_assert_max_num_queries(100) as one:
        analyst.get("/api/v1/jobs/")
    for number in range(9):
        ingest(acme, f"# Note {number}\n\nText.".encode())
    with django_assert_max_num_queries(100) as ten:
        analyst.get("/api/v1/jobs/")
    assert len(ten) == len(one)


def test_a_job_tells_what_was_lost_of_its_document(analyst: Api, acme: Firm) -> None:
    job = ingest(acme, b'{"a": 1}\n{"a": 1, "a": 2}\n', filename="a.jsonl").job
    assert analyst.get(f"/api/v1/jobs/{job.id}/").json()["warnings"] == []
    run(acme, job)
    [warning] = analyst.get(f"/api/v1/jobs/{job.id}/").json()["warnings"]
    assert (warning["code"], warning["row"]) == ("key_repeated", 2)
    [listed] = analyst.get("/api/v1/jobs/").json()["results"]
    assert listed["warnings"] == [warning]
