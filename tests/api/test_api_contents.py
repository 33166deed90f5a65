from __future__ import annotations

import hashlib
from base64 import b64decode

import pytest
from pytest_django import DjangoAssertNumQueries

from apps.audit.models import Event
from apps.corpus.jobs import RunOutcome
from apps.corpus.models import Document, IngestJob
from apps.corpus.services import documents
from apps.tenants.context import open_scope
from tests.api.client import Api
from tests.api.conftest import ready_document
from tests.corpus.files import lines, pdf
from tests.corpus.ingesting import REPORT, ingest, long_report, run
from tests.corpus.scanned import Scanner, mixed
from tests.factories import Firm

pytestmark = pytest.mark.django_db

PAGE = b"<html><body><script>alert(1)</script><p>Text.</p></body></html>"


def test_passages_come_in_order_and_are_the_page_s_text(analyst: Api, report: Document) -> None:
    passages = analyst.get(f"/api/v1/documents/{report.id}/chunks/").json()["results"]
    page = analyst.get(f"/api/v1/documents/{report.id}/pages/1/").json()["text"]
    assert [each["number"] for each in passages] == list(range(1, report.chunk_count + 1))
    assert all(page[each["char_start"] : each["char_end"]] == each["text"] for each in passages)
    assert not any(each["is_parent"] for each in passages)


def test_the_wider_passages_are_shown_when_asked_for(analyst: Api, acme: Firm) -> None:
    document = ready_document(acme, long_report(12))
    passages = analyst.get(f"/api/v1/documents/{document.id}/chunks/?parents=true").json()["results"]
    assert passages
    assert all(each["is_parent"] for each in passages)


def test_passages_of_one_page(analyst: Api, acme: Firm) -> None:
    document = ready_document(acme, long_report(12))
    assert document.page_count > 1
    passages = analyst.get(f"/api/v1/documents/{document.id}/chunks/?page=2").json()["results"]
    assert passages
    assert all(each["page_start"] <= 2 <= each["page_end"] for each in passages)


def test_passages_are_paged_by_their_number(analyst: Api, acme: Firm) -> None:
    document = ready_document(acme, long_report(12))
    seen: list[int] = []
    link: str | None = f"/api/v1/documents/{document.id}/chunks/?page_size=5"
    while link:
        page = analyst.get(link.removeprefix("http://testserver")).json()
        seen += [each["number"] for each in page["results"]]
        link = page["next"]
    assert seen == list(range(1, document.chunk_count + 1))


@pytest.mark.parametrize("query", ["page=first", "page=-1", "page=0", "parents=perhaps", "cursor=cD14"])
def test_a_bad_parameter_of_a_list_of_passages(analyst: Api, report: Document, query: str) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/chunks/?{query}")
    assert list(response.json()["errors"]) == [query.partition("=")[0]]


def test_a_page_beyond_the_document_has_no_passages(analyst: Api, report: Document) -> None:
    assert analyst.get(f"/api/v1/documents/{report.id}/chunks/?page=1000").json()["results"] == []
    assert analyst.get(f"/api/v1/documents/{report.id}/chunks/?page={10**20}").status_code == 400


@pytest.mark.parametrize("number", [0, 2, 2**31, 2**70])
def test_a_page_that_is_not_there(analyst: Api, report: Document, number: int) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/pages/{number}/")
    assert (response.status_code, response.json()["code"]) == (404, "corpus.page_not_found")
    assert response.json()["data"]["pages"] == 1


def test_the_original_comes_back_byte_for_byte(analyst: Api, report: Document) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/content/")
    assert response.getvalue() == REPORT
    digest = b64decode(response["Repr-Digest"].removeprefix("sha-256=:").rstrip(":"))
    assert digest == hashlib.sha256(REPORT).digest()


@pytest.mark.parametrize(
    ("asked", "start", "stop"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=5-14", 5, 15),
        ("bytes=20-", 20, len(REPORT)),
        ("bytes=-7", len(REPORT) - 7, len(REPORT)),
        ("bytes=-100000", 0, len(REPORT)),
        ("bytes=3-100000", 3, len(REPORT)),
        ("Bytes=0-0", 0, 1),
    ],
)
def test_a_download_goes_on_where_it_stopped(
    analyst: Api, acme: Firm, report: Document, monkeypatch: pytest.MonkeyPatch, asked: str, start: int, stop: int
) -> None:
    monkeypatch.setattr(documents, "PART_BYTES", 4)
    response = analyst.get(f"/api/v1/documents/{report.id}/content/", range=asked)
    assert (response.status_code, response.getvalue()) == (206, REPORT[start:stop])
    assert response["Content-Range"] == f"bytes {start}-{stop - 1}/{len(REPORT)}"
    assert response["Content-Length"] == str(stop - start)
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.latest("occurred_at").action == "corpus.document.exported"


@pytest.mark.parametrize("asked", ["bytes=0-1,3-4", "bytes=-", "bytes=5-4", "lines=1-2", "bytes=x-", ""])
def test_a_range_that_can_t_be_read_brings_all_of_it(analyst: Api, report: Document, asked: str) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/content/", range=asked)
    assert (response.status_code, response.getvalue()) == (200, REPORT)


def test_a_range_of_another_file_brings_all_of_this_one(analyst: Api, report: Document) -> None:
    address = f"/api/v1/documents/{report.id}/content/"
    tag = analyst.get(address)["ETag"]
    assert analyst.get(address, range="bytes=5-", if_range=tag).status_code == 206
    assert analyst.get(address, range="bytes=5-", if_range='"another"').getvalue() == REPORT


@pytest.mark.parametrize("asked", [f"bytes={len(REPORT)}-", "bytes=100000-100001", "bytes=-0"])
def test_a_range_after_the_end_is_refused_and_nothing_taken_out(
    analyst: Api, acme: Firm, report: Document, asked: str
) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/content/", range=asked)
    assert (response.status_code, response.json()["code"]) == (416, "api.range_not_satisfiable")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action="corpus.document.exported").exists()


@pytest.mark.parametrize("part_bytes", [100, len(REPORT) - 1, len(REPORT), len(REPORT) + 1])
def test_the_original_comes_in_parts(
    analyst: Api, report: Document, monkeypatch: pytest.MonkeyPatch, part_bytes: int
) -> None:
    monkeypatch.setattr(documents, "PART_BYTES", part_bytes)
    parts = list(analyst.get(f"/api/v1/documents/{report.id}/content/"))
    assert {len(part) for part in parts[:-1]} <= {part_bytes}
    assert 0 < len(parts[-1]) <= part_bytes
    assert b"".join(parts) == REPORT


def test_a_part_costs_few_queries(
    analyst: Api, report: Document, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/content/")
    with django_assert_max_num_queries(35):
        assert response.getvalue() == REPORT


def test_the_original_is_an_attachment_that_no_browser_runs(analyst: Api, acme: Firm) -> None:
    document = ready_document(acme, PAGE, filename="überblick.html")
    response = analyst.get(f"/api/v1/documents/{document.id}/content/")
    assert response["Content-Type"] == "application/octet-stream"
    assert response["Content-Disposition"].startswith("attachment; filename*=utf-8''%C3%BCberblick.html")
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"


def test_a_filename_can_t_break_the_header(analyst: Api, acme: Firm) -> None:
    document = ingest(acme, b"# X\n\nText.", filename='a";\r\nSet-Cookie: x=1.md').document
    response = analyst.get(f"/api/v1/documents/{document.id}/content/")
    assert "Set-Cookie" not in response.headers
    assert "\n" not in response["Content-Disposition"]


def test_a_download_is_recorded(analyst: Api, acme: Firm, report: Document) -> None:
    analyst.get(f"/api/v1/documents/{report.id}/content/")
    with open_scope(tenant=acme.id, reason="a test"):
        event = Event.objects.latest("occurred_at")
    assert (event.action, event.subject_id) == ("corpus.document.exported", report.id)


def test_head_of_the_original_hands_nothing_out_and_records_nothing(analyst: Api, acme: Firm, report: Document) -> None:
    response = analyst.client.head(
        f"/api/v1/documents/{report.id}/content/", headers={"authorization": f"Bearer {analyst.key}"}
    )
    assert response["Content-Length"] == str(len(REPORT))
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Event.objects.filter(action="corpus.document.exported").exists()


def test_passages_cost_the_same_queries_however_many(
    analyst: Api, acme: Firm, report: Document, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    long = ready_document(acme, long_report(12))
    analyst.get("/api/v1/me/")
    with django_assert_max_num_queries(100) as few:
        analyst.get(f"/api/v1/documents/{report.id}/chunks/")
    with django_assert_max_num_queries(100) as many:
        analyst.get(f"/api/v1/documents/{long.id}/chunks/")
    assert len(many) == len(few)


def test_a_scan_is_uploaded_read_and_answered_with_its_page_and_quote(analyst: Api, acme: Firm) -> None:
    said = "The maximum drawdown of the Gamma Fund in the fourth quarter was 8.75 %, and it lasted for five weeks."
    file = mixed(pdf([lines("A printed page that tells nothing of the matter.")]), Scanner().scan(pdf([lines(said)])))
    uploaded = analyst.upload(file, filename="gamma.pdf", title="Gamma report")
    assert uploaded.status_code == 202
    held = uploaded.json()["id"]
    with open_scope(tenant=acme.id, reason="a test"):
        job = IngestJob.objects.get(document_id=held)
    assert run(acme, job) is RunOutcome.SUCCEEDED
    printed, scanned = (analyst.get(f"/api/v1/documents/{held}/pages/{number}/").json() for number in (1, 2))
    assert (printed["how_read"], printed["ocr_confidence"], printed["extracted"]) == ("text", None, True)
    assert (scanned["how_read"], scanned["extracted"], scanned["text"]) == ("ocr", True, said)
    assert 0.9 < scanned["ocr_confidence"] <= 1
    question = "What was the maximum drawdown of the Gamma Fund in the fourth quarter?"
    answer = analyst.post("/api/v1/query/", {"question": question}).json()
    (citation, *_) = [each for each in answer["citations"] if each["document"]["id"] == held]
    assert citation["page"] == 2
    assert scanned["text"][citation["char_start"] : citation["char_end"]] == citation["quote"]
    assert "8.75 %" in citation["quote"]
