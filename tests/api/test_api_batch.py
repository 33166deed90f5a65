"""Several files in one request: each is taken in or refused by itself, and a manifest says what is known of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse

from apps.corpus.models import Document
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from tests.api.client import Api, conforms
from tests.api.conftest import KeyMaker
from tests.corpus.files import png
from tests.factories import Firm

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/documents/batch/"


def send(api: Api, *files: tuple[str, bytes], headers: dict[str, str] | None = None, **fields: Any) -> HttpResponse:
    form = {"file": [SimpleUploadedFile(*file) for file in files], "scope": "fund:alpha", "kind": "run", **fields}
    form = {name: value for name, value in form.items() if value is not None}
    response = api.client.post(ADDRESS, form, headers={"authorization": f"Bearer {api.key}", **(headers or {})})
    conforms("post", ADDRESS, response)
    return response


def outcomes(response: HttpResponse) -> list[tuple[str, str]]:
    return [(each["filename"], each["outcome"]) for each in response.json()["files"]]


def titles(firm: Firm) -> list[str]:
    with open_scope(tenant=firm.id, reason="a test"):
        return sorted(Document.objects.values_list("title", flat=True))


def test_each_file_is_taken_in_or_refused_by_itself(analyst: Api, acme: Firm) -> None:
    response = send(analyst, ("a.md", b"One."), ("scan.pdf", png()), ("empty.txt", b""), ("b.md", b"Two."))
    assert response.status_code == 202
    assert outcomes(response) == [
        ("a.md", "received"),
        ("scan.pdf", "refused"),
        ("empty.txt", "refused"),
        ("b.md", "received"),
    ]
    told = response.json()["files"]
    assert [each["error"] and each["error"]["code"] for each in told] == [
        None,
        "corpus.file_lies",
        "corpus.file_empty",
        None,
    ]
    assert told[0]["document"]["job"]["status"] == "pending"
    assert titles(acme) == ["a", "b"]


def test_the_manifest_says_what_is_known_of_each(analyst: Api, acme: Firm) -> None:
    rows = [{"file": "a.md", "title": "Alpha", "company": "Acme"}, {"file": "b.md", "kind": "methodology", "url": "x"}]
    manifest = "\n".join(map(json.dumps, rows))
    response = send(analyst, ("a.md", b"One."), ("b.md", b"Two."), ("c.md", b"Three."), manifest=manifest)
    documents = [each["document"] for each in response.json()["files"]]
    assert [(each["title"], each["company"], each["kind"]) for each in documents] == [
        ("Alpha", "Acme", "run"),
        ("b", "", "methodology"),
        ("c", "", "run"),
    ]
    [line] = response.json()["lines"]
    assert (line["line"], '"url" is not known' in line["detail"]) == (2, True)


def test_a_line_that_can_not_be_used_is_named_and_the_rest_goes_on(analyst: Api, acme: Firm) -> None:
    manifest = "\n".join(
        [
            "[" * 5_000,
            '{"file": "a.md", "title": "A", "title": "B"}',
            '{"file": "nowhere.md"}',
            '{"file": "b.md", "period": "soon"}',
            '{"file": "c.md"}',
            '{"file": "c.md", "title": "C"}',
        ]
    )
    response = send(analyst, ("a.md", b"One."), ("b.md", b"Two."), ("c.md", b"Three."), manifest=manifest)
    assert outcomes(response) == [("a.md", "received"), ("b.md", "refused"), ("c.md", "refused")]
    assert [each["line"] for each in response.json()["lines"]] == [1, 2, 3]
    assert "period" in response.json()["files"][1]["error"]["detail"]
    assert "lines 5 and 6" in response.json()["files"][2]["error"]["detail"]
    assert titles(acme) == ["a"]


def test_what_is_there_already_is_said_and_nothing_new_is_200(analyst: Api, acme: Firm) -> None:
    send(analyst, ("a.md", b"One."))
    response = send(analyst, ("again.md", b"One."), ("empty.txt", b""))
    assert (response.status_code, outcomes(response)) == (200, [("again.md", "present"), ("empty.txt", "refused")])


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"scope": "fund:nowhere"}, "scope"),
        ({"kind": "Top secret"}, "kind"),
        ({"file": None}, "file"),
        ({"colour": "x"}, "colour"),
    ],
)
def test_a_bad_form_is_refused_beside_its_field(analyst: Api, acme: Firm, change: dict[str, Any], field: str) -> None:
    response = send(analyst, ("a.md", b"One."), **change)
    assert (response.status_code, list(response.json()["errors"])) == (400, [field])
    assert titles(acme) == []


def test_a_repeated_request_acts_once(analyst: Api, acme: Firm) -> None:
    headers = {"idempotency-key": "batch-1"}
    first = send(analyst, ("a.md", b"One."), ("b.md", b"Two."), headers=headers)
    again = send(analyst, ("a.md", b"One."), ("b.md", b"Two."), headers=headers)
    assert (again.status_code, again.json()) == (first.status_code, first.json())
    assert again.headers["Idempotent-Replayed"]


def test_a_key_of_one_fund_uploads_to_that_fund_alone(key: KeyMaker, acme: Firm) -> None:
    assert send(key(Role.ANALYST, "fund:beta"), ("a.md", b"One.")).status_code == 400
    assert titles(acme) == []
