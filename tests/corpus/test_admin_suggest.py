"""The kind of a file is suggested where it is filed and where it was misfiled; a person chooses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from apps.corpus.models import Document
from apps.intents.fund_house import FundHouse
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.corpus.ingesting import ingest, run, short_profile
from tests.factories import Firm, make_key, make_member
from tests.model_server import ModelServer
from tests.visitor import Page, Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def server(settings: LazySettings) -> Iterator[ModelServer]:
    with ModelServer() as running:
        settings.GLASSBOX_EMBEDDING_PROFILES = {"local": short_profile(running)}
        yield running


PROFILE = b"""# Profile of the Alpha fund

## Objective and benchmark

The bond fund beats its benchmark.

## Share classes and fees

Two share classes; the fees are 1 per cent.

## Dealing

Dealing is on each day. A fact sheet comes out each month.
"""


@pytest.fixture
def analyst(acme: Firm) -> Visitor:
    make_member(acme, "alice", Role.ANALYST)
    return Visitor("alice")


def suggested(visitor: Visitor, filename: str, beginning: bytes = b"") -> Any:
    data: dict[str, Any] = {"filename": filename}
    if beginning:
        data["beginning"] = SimpleUploadedFile("beginning", beginning)
    response = visitor.post(reverse("admin:corpus_document_suggest"), data)
    assert response.status_code == 200, response.content
    return response.json()["suggestions"]


def test_a_file_that_is_chosen_is_told_by_its_name_and_first_words(analyst: Visitor) -> None:
    best = suggested(analyst, "alpha.md", PROFILE)[0]
    assert (best["kind"], best["name"]) == ("fund_profile", "Fund profiles")
    assert "benchmark" in best["why"]
    assert suggested(analyst, "scan.pdf") == []


def test_a_form_without_a_kind_says_what_the_file_looks_like_and_takes_nothing_in(analyst: Visitor, acme: Firm) -> None:
    page = analyst.send(
        "corpus_document_add",
        uploads=SimpleUploadedFile("alpha.md", PROFILE),
        scope=str(acme.root.id),
        document_type="other",
    )
    assert "alpha.md: It looks like Fund profiles: " in page.errors_of("kind")
    with open_scope(tenant=acme.id, reason="a test"):
        assert not Document.objects.exists()


def test_who_may_add_nothing_gets_no_suggestions(acme: Firm) -> None:
    make_member(acme, "dora", Role.AUDITOR)
    assert Visitor("dora").post(reverse("admin:corpus_document_suggest"), {"filename": "a.md"}).status_code == 403


@pytest.mark.parametrize(("kind", "warned"), [(FundHouse.RUN, True), (FundHouse.FUND_PROFILE, False)])
def test_a_document_that_looks_like_another_kind_says_so(
    acme: Firm, analyst: Visitor, server: ModelServer, kind: str, warned: bool
) -> None:
    made = ingest(acme, PROFILE, filename="alpha.md", scope="firm:acme", kind=kind)
    run(acme, made.job)
    page = Page(analyst.get(reverse("admin:corpus_document_change", args=[made.document.id])))
    assert ("it looks like Fund profiles, and it is filed as " in page.text) is warned


def test_the_api_suggests_the_same_and_refuses_what_it_does_not_know(acme: Firm, analyst: Visitor) -> None:
    _, key = make_key(acme)
    headers = {"Authorization": f"Bearer {key}"}
    address = "/api/v1/documents/suggest-kind/"
    said = {"filename": "alpha.md", "beginning": PROFILE.decode()}
    answer = analyst.post(address, said, content_type="application/json", headers=headers)
    assert [each["kind"] for each in answer.json()["suggestions"]] == [
        each["kind"] for each in suggested(analyst, "alpha.md", PROFILE)
    ]
    answer = analyst.post(address, {**said, "kind": "run"}, content_type="application/json", headers=headers)
    assert answer.status_code == 400
