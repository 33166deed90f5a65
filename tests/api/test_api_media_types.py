"""What the document says an address answers with can be asked for, and is what comes."""

from __future__ import annotations

import pytest

from apps.audit.models import Event
from apps.corpus.models import Document
from apps.tenants.context import open_scope
from tests.api.client import PROBLEM, Api, openapi
from tests.api.conftest import ready_document
from tests.factories import Firm

pytestmark = pytest.mark.django_db

DOCUMENTED = [
    pytest.param(path, media_type, id=f"{operation['operationId']} {media_type}")
    for path, operations in openapi()["paths"].items()
    for method, operation in operations.items()
    if method == "get"
    for status, response in operation["responses"].items()
    if status == "200"
    for media_type in response["content"]
]
NOBODY = "00000000-0000-7000-8000-000000000000"


def address(path: str) -> str:
    return path.replace("{id}", NOBODY).replace("{number}", "1")


@pytest.mark.parametrize(("path", "media_type"), DOCUMENTED)
def test_a_documented_media_type_can_be_asked_for(admin: Api, path: str, media_type: str) -> None:
    assert admin.get(address(path), accept=media_type).status_code != 406


@pytest.mark.parametrize("path", sorted({str(parameters.values[0]) for parameters in DOCUMENTED}))
def test_another_one_can_t(admin: Api, path: str) -> None:
    response = admin.get(address(path), accept="audio/ogg")
    assert (response.status_code, response["Content-Type"]) == (406, PROBLEM)


@pytest.mark.parametrize(
    ("accept", "answered"),
    [
        ("text/markdown", "text/markdown"),
        ("application/octet-stream", "application/octet-stream"),
        ("text/*", "text/markdown"),
        ("*/*", "text/markdown"),
        ("application/pdf, application/octet-stream;q=0.5", "application/octet-stream"),
        ("application/problem+json, text/markdown", "text/markdown"),
    ],
)
def test_a_download_comes_as_what_was_asked_for(analyst: Api, report: Document, accept: str, answered: str) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/content/", accept=accept)
    assert (response.status_code, response["Content-Type"]) == (200, answered)
    assert "Accept" in response["Vary"].split(", ")


def test_what_the_document_is_not_is_refused_and_nothing_taken_out(analyst: Api, acme: Firm, report: Document) -> None:
    with open_scope(tenant=acme.id, reason="a test"):
        before = Event.objects.count()
    response = analyst.get(f"/api/v1/documents/{report.id}/content/", accept="application/pdf")
    assert (response.status_code, response["Content-Type"]) == (406, PROBLEM)
    assert "text/markdown" in response.json()["detail"]
    with open_scope(tenant=acme.id, reason="a test"):
        assert Event.objects.count() == before


@pytest.mark.parametrize(
    ("content", "filename", "media_type"),
    [
        (b"# A\n\nText.", "a.md", "text/markdown"),
        (b"Text, and more of it.", "a.txt", "text/plain"),
        (b"a,b\n1,2\n", "a.csv", "text/csv"),
        (b"<html><body><p>Text.</p></body></html>", "a.html", "application/octet-stream"),
    ],
)
def test_a_download_s_type_is_documented(
    analyst: Api, acme: Firm, content: bytes, filename: str, media_type: str
) -> None:
    document = ready_document(acme, content, filename=filename)
    response = analyst.get(f"/api/v1/documents/{document.id}/content/")
    assert response["Content-Type"] == media_type
    documented = openapi()["paths"]["/api/v1/documents/{id}/content/"]["get"]["responses"]["200"]["content"]
    assert media_type in documented
