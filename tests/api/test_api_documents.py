from __future__ import annotations

import uuid
from typing import Any

import pytest
from django.conf import LazySettings
from pytest_django import DjangoAssertNumQueries

from apps.corpus.models import Document, IngestJob
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api
from tests.api.conftest import KeyMaker, ready_document
from tests.corpus.files import BROKEN, lines, pdf
from tests.corpus.ingesting import ingest, run
from tests.factories import Firm

pytestmark = pytest.mark.django_db

PDF_START = b"%PDF-1.7\n1 0 obj\n"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(64)


def test_an_upload_is_taken_in_and_its_job_told(analyst: Api, acme: Firm) -> None:
    response = analyst.upload(
        filename="note.md",
        title="Liquidity note",
        company="Alpha Corp",
        period="Q4 2024",
        document_type="10-Q",
        external_id="dms-7",
        jurisdictions=["US", "EU"],
        published_on="2025-01-31",
        language="en",
    )
    body = response.json()
    assert response.status_code == 202
    assert response["Location"] == f"/api/v1/documents/{body['id']}/"
    told = {name: body[name] for name in ("title", "company", "fiscal_year", "fiscal_quarter", "jurisdictions")}
    assert told == {
        "title": "Liquidity note",
        "company": "Alpha Corp",
        "fiscal_year": 2024,
        "fiscal_quarter": 4,
        "jurisdictions": ["US", "EU"],
    }
    assert (body["status"], body["source_type"], body["external_id"]) == ("received", "official", "dms-7")
    assert (body["job"]["status"], body["job"]["fraction"]) == ("pending", 0.0)


def test_the_same_bytes_are_stored_once(analyst: Api) -> None:
    first, second = analyst.upload(), analyst.upload()
    assert (first.status_code, second.status_code) == (202, 200)
    assert first.json()["id"] == second.json()["id"]


@pytest.mark.parametrize(
    ("sort", "titles"),
    [
        ("title", ["Apples", "Beeches", "Beeches", "Cedars"]),
        ("-title", ["Cedars", "Beeches", "Beeches", "Apples"]),
        ("created_at", ["Cedars", "Beeches", "Apples", "Beeches"]),
        ("-created_at", ["Beeches", "Apples", "Beeches", "Cedars"]),
    ],
)
def test_documents_can_be_sorted_and_followed_from_page_to_page(analyst: Api, sort: str, titles: list[str]) -> None:
    for place, title in enumerate(("Cedars", "Beeches", "Apples", "Beeches")):
        analyst.upload(f"# {place}\n\nText.\n".encode(), title=title, company="Sorted")
    seen: list[str] = []
    link: str | None = f"/api/v1/documents/?company=sorted&page_size=1&sort={sort}"
    while link:
        page = analyst.get(link.removeprefix("http://testserver")).json()
        seen += [each["title"] for each in page["results"]]
        link = page["next"]
    assert seen == titles


DESCRIBED = {"title": "A note on costs", "period": "Q4 2024", "jurisdictions": ["DE"], "external_id": "dms-8"}


def test_the_same_bytes_with_the_same_said_of_them_are_no_news(analyst: Api) -> None:
    first, second = analyst.upload(**DESCRIBED), analyst.upload(**DESCRIBED)
    assert (first.status_code, second.status_code) == (202, 200)
    assert analyst.upload(title="A note on costs").status_code == 200


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", "Another title"),
        ("period", "Q3 2024"),
        ("jurisdictions", ["LU"]),
        ("external_id", "dms-9"),
        ("company", "Alpha Corp"),
        ("published_on", "2024-12-31"),
        ("document_type", "policy"),
        ("language", "fr"),
    ],
)
def test_what_is_said_of_bytes_that_are_there_is_not_lost_in_silence(analyst: Api, field: str, value: Any) -> None:
    there = analyst.upload(**DESCRIBED).json()
    response = analyst.upload(**{**DESCRIBED, field: value})
    problem = response.json()
    assert (response.status_code, problem["code"]) == (409, "corpus.otherwise_described")
    assert problem["data"] == {"document": there["id"], "fields": field}
    assert analyst.get(f"/api/v1/documents/{there['id']}/").json() == there


def test_bytes_that_are_there_replace_nothing(analyst: Api) -> None:
    other = analyst.upload(b"# Another\n\nText.\n").json()
    analyst.upload()
    response = analyst.upload(replaces=other["id"])
    assert (response.status_code, response.json()["data"]["fields"]) == (409, "replaces")


def test_a_next_version_that_is_sent_again_is_no_news(analyst: Api) -> None:
    first = analyst.upload(b"# One\n\nText.\n").json()
    sent = [analyst.upload(b"# Two\n\nText.\n", replaces=first["id"]) for _ in range(2)]
    assert [each.status_code for each in sent] == [202, 200]


def test_another_file_with_the_same_external_id_is_the_next_version(analyst: Api) -> None:
    first = analyst.upload(b"# One\n\nText.", external_id="dms-7").json()
    second = analyst.upload(b"# Two\n\nText.", external_id="dms-7").json()
    versions = analyst.get(f"/api/v1/documents/{first['id']}/versions/").json()["results"]
    assert [(each["version"], each["id"]) for each in versions] == [(2, second["id"]), (1, first["id"])]


@pytest.mark.parametrize(
    ("change", "status", "field"),
    [
        ({"scope": "fund:nowhere"}, 400, "scope"),
        ({"scope": ""}, 400, "scope"),
        ({"scope": "fund:\x00"}, 400, "scope"),
        ({"scope": None}, 400, "scope"),
        ({"kind": "secret"}, 400, "kind"),
        ({"file": None}, 400, "file"),
        ({"file": "text"}, 400, "file"),
        ({"period": "last year"}, 400, "period"),
        ({"published_on": "31.1.2025"}, 400, "published_on"),
        ({"language": "english"}, 400, "language"),
        ({"document_type": "11-K"}, 400, "document_type"),
        ({"title": "x" * 301}, 400, "title"),
        ({"replaces": str(uuid.uuid4())}, 400, "replaces"),
        ({"colour": "blue"}, 400, "colour"),
        ({"content": b""}, 400, "file"),
        ({"content": b" \n\t"}, 400, "file"),
        ({"content": PNG, "filename": "report.pdf"}, 400, "file"),
        ({"content": PNG, "filename": "report.png"}, 400, "file"),
        ({"content": b"just text", "filename": "report.pdf"}, 400, "file"),
        ({"content": PDF_START, "filename": "report.docx"}, 400, "file"),
    ],
)
def test_a_bad_upload_is_refused_beside_its_field(
    analyst: Api, acme: Firm, change: dict[str, Any], status: int, field: str
) -> None:
    response = analyst.upload(**change)
    assert response.status_code == status
    assert list(response.json()["errors"]) == [field]
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (PDF_START + b"cut off here", "corpus.file_truncated"),
        (pdf([lines("A page.")], password="secret"), "corpus.file_encrypted"),
    ],
)
def test_a_file_that_its_format_tells_is_unreadable_is_not_taken_in(
    analyst: Api, acme: Firm, content: bytes, code: str
) -> None:
    response = analyst.upload(content, filename="report.pdf")
    assert (response.status_code, response.json()["code"]) == (400, code)
    assert list(response.json()["errors"]) == ["file"]
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()


def test_a_file_over_the_limit_is_refused(analyst: Api, settings: LazySettings) -> None:
    settings.GLASSBOX_MAX_UPLOAD_BYTES = 1000
    response = analyst.upload(b"# Long\n\n" + b"word " * 1000)
    assert response.status_code == 413
    assert list(response.json()["errors"]) == ["file"]


def test_a_file_that_only_reading_finds_broken_fails_on_its_document(analyst: Api, acme: Firm) -> None:
    uploaded = analyst.upload(BROKEN, filename="report.json")
    assert uploaded.status_code == 202
    with open_scope(tenant=acme.id, reason="a test"):
        job = IngestJob.objects.get()
    run(acme, job)
    document = analyst.get(f"/api/v1/documents/{uploaded.json()['id']}/").json()
    assert document["status"] == "failed"
    assert document["error"]["code"] == document["job"]["error"]["code"] != ""


def test_a_key_of_one_fund_uploads_to_that_fund_alone(key: KeyMaker) -> None:
    api = key(Role.ANALYST, "fund:beta")
    assert api.upload(scope="fund:alpha").status_code == 400
    assert api.upload(scope="fund:beta").status_code == 202


def test_a_document_shows_how_far_it_has_come(analyst: Api, acme: Firm) -> None:
    report = ready_document(acme)
    document = analyst.get(f"/api/v1/documents/{report.id}/").json()
    assert (document["status"], document["scope"]) == ("ready", "fund:alpha")
    assert (document["job"]["status"], document["job"]["fraction"]) == ("succeeded", 1.0)
    assert document["job"]["sentence"].startswith("Done, ")


@pytest.mark.parametrize(
    ("filters", "titles"),
    [
        ("", ["Beta plan", "Alpha fees", "Alpha results"]),
        ("?kind=methodology", ["Alpha fees"]),
        ("?scope=fund:beta", ["Beta plan"]),
        ("?q=ALPHA", ["Alpha fees", "Alpha results"]),
        ("?company=alpha corp", ["Alpha results"]),
        ("?fiscal_year=2024", ["Alpha results"]),
        ("?fiscal_year=2024&fiscal_quarter=3", []),
        ("?language=de", ["Beta plan"]),
        ("?document_type=10-K", ["Alpha results"]),
        ("?external_id=dms-1", ["Alpha fees"]),
        ("?status=ready", ["Alpha results"]),
        ("?q=%25", []),
    ],
)
def test_documents_are_filtered(analyst: Api, library: None, filters: str, titles: list[str]) -> None:
    results = analyst.get(f"/api/v1/documents/{filters}").json()["results"]
    assert [each["title"] for each in results] == titles


@pytest.fixture
def library(acme: Firm) -> None:
    ready_document(
        acme, title="Alpha results", company="Alpha Corp", fiscal_year=2024, fiscal_quarter=4, document_type="10-K"
    )
    ingest(acme, b"# Fees\n\nText.", title="Alpha fees", kind="methodology", external_id="dms-1")
    ingest(acme, b"# Plan\n\nText.", title="Beta plan", scope="fund:beta", language="de")


@pytest.mark.parametrize(
    "filters", ["kind=secret", "status=gone", "scope=fund:nowhere", "fiscal_year=soon", "q=%00", "language=%00"]
)
def test_a_filter_value_that_is_none_is_refused(analyst: Api, filters: str) -> None:
    response = analyst.get(f"/api/v1/documents/?{filters}")
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [filters.partition("=")[0]]


def test_pages_cover_the_list_once_and_lead_back(analyst: Api, acme: Firm) -> None:
    for number in range(5):
        ingest(acme, f"# Note {number}\n\nText.".encode(), title=f"Note {number}")
    first = analyst.get("/api/v1/documents/?page_size=2").json()
    second = analyst.get(first["next"].removeprefix("http://testserver")).json()
    third = analyst.get(second["next"].removeprefix("http://testserver")).json()
    assert [each["title"] for page in (first, second, third) for each in page["results"]] == [
        "Note 4",
        "Note 3",
        "Note 2",
        "Note 1",
        "Note 0",
    ]
    assert (first["previous"], third["next"]) == (None, None)
    back = analyst.get(third["previous"].removeprefix("http://testserver")).json()
    assert back["results"] == second["results"]


@pytest.mark.parametrize("cursor", ["nonsense", "cD1ub25zZW5zZQ==", "bz0tMQ==", "é", "cj14"])
def test_a_made_up_cursor_is_refused(analyst: Api, cursor: str) -> None:
    response = analyst.get(f"/api/v1/documents/?cursor={cursor}")
    assert list(response.json()["errors"]) == ["cursor"]


@pytest.mark.parametrize("page_size", ["0", "-1", "201", "many", "1.5", "", "9" * 5000])
def test_a_page_size_out_of_bounds_is_refused(analyst: Api, page_size: str) -> None:
    assert analyst.get(f"/api/v1/documents/?page_size={page_size}").status_code == 400


def test_a_list_costs_the_same_queries_for_one_row_and_for_ten(
    analyst: Api, acme: Firm, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    ingest(acme, b"# First\n\nText.")
    analyst.get("/api/v1/me/")  # the first request of a minute notes the key's use
    with django_assert_max_num_queries(100) as one:
        analyst.get("/api/v1/documents/")
    for number in range(9):
        ingest(acme, f"# Note {number}\n\nText.".encode())
    with django_assert_max_num_queries(100) as ten:
        analyst.get("/api/v1/documents/")
    assert len(ten) == len(one)
