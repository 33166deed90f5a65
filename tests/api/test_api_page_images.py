"""A page as an image, over the API: for whom the page's text is, in a size within bounds."""

from __future__ import annotations

import struct

import pytest

from apps.corpus.models import Document
from tests.api.client import Api
from tests.api.conftest import ready_document
from tests.corpus.files import PAGE_HEIGHT, PAGE_WIDTH, lines, pdf
from tests.factories import Firm

pytestmark = pytest.mark.django_db


@pytest.fixture
def printed(acme: Firm) -> Document:
    return ready_document(acme, pdf([lines("The fund returned 4.2 per cent.")]), filename="printed.pdf")


@pytest.mark.parametrize(("query", "scale"), [("", 2), ("?scale=1", 1), ("?scale=3", 3)])
def test_a_page_is_drawn_in_the_size_that_was_asked_for(
    analyst: Api, printed: Document, query: str, scale: int
) -> None:
    response = analyst.get(f"/api/v1/documents/{printed.id}/pages/1/image/{query}")
    assert (response.status_code, response["Content-Type"]) == (200, "image/png")
    assert struct.unpack(">II", response.content[16:24]) == (PAGE_WIDTH * scale, PAGE_HEIGHT * scale)
    assert (response["X-Content-Type-Options"], response["Cache-Control"]) == ("nosniff", "no-store")
    assert response["Content-Security-Policy"] == "sandbox; default-src 'none'"


@pytest.mark.parametrize("query", ["scale=0", "scale=4", "scale=2.5", "scale=x", "scale=", "scale=1&scale=2", "zoom=2"])
def test_a_size_that_is_none_is_refused(analyst: Api, printed: Document, query: str) -> None:
    response = analyst.get(f"/api/v1/documents/{printed.id}/pages/1/image/?{query}")
    assert response.status_code == 400
    assert list(response.json()["errors"]) == [query.partition("=")[0]]


@pytest.mark.parametrize("number", [0, 2, 2**31, 2**70])
def test_a_page_that_is_not_there_has_no_image(analyst: Api, printed: Document, number: int) -> None:
    response = analyst.get(f"/api/v1/documents/{printed.id}/pages/{number}/image/")
    assert (response.status_code, response.json()["code"]) == (404, "corpus.page_not_found")


def test_a_page_of_another_format_has_no_image(analyst: Api, report: Document) -> None:
    response = analyst.get(f"/api/v1/documents/{report.id}/pages/1/image/")
    assert (response.status_code, response.json()["code"]) == (404, "corpus.page_without_image")
    assert "only PDF files" in response.json()["detail"]
