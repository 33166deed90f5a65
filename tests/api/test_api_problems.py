"""Every failure is a problem detail: one shape, a stable code, and what to do."""

from __future__ import annotations

import bz2
from collections.abc import Iterator

import pytest
from django.conf import LazySettings
from django.db import OperationalError
from django.test import Client, RequestFactory
from rest_framework.exceptions import ValidationError

from apps.tenants.api import account, error_pages
from apps.tenants.api.problems import field_errors
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.api.views import JSON_BODY_LIMIT_BYTES
from apps.tenants.roles import Role
from tests.api.client import PROBLEM, Api
from tests.api.conftest import KeyMaker
from tests.factories import Firm, make_member

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("path", ["/api/", "/api/v1/", "/api/v1/nothing/", "/api/v2/query/", "/api/v1/documents/7/"])
def test_an_unknown_address_is_a_problem(path: str) -> None:
    response = Api().get(path)
    assert (response.status_code, response.json()["code"]) == (404, "api.unknown_address")


def test_a_missing_slash_is_told_and_not_redirected(analyst: Api) -> None:
    response = analyst.post("/api/v1/query", {"question": "What?"})
    assert response.status_code == 404
    assert "Addresses end with a slash: /api/v1/query/" in response.json()["detail"]


def test_a_page_of_the_admin_keeps_its_own_not_found() -> None:
    assert Client().get("/nothing/")["Content-Type"].startswith("text/html")


def test_a_method_that_is_not_there_names_those_that_are(analyst: Api) -> None:
    response = analyst.client.put("/api/v1/documents/", headers={"authorization": f"Bearer {analyst.key}"})
    assert (response.status_code, response.json()["code"]) == (405, "api.method_not_allowed")
    assert response["Allow"] == "GET, POST, HEAD, OPTIONS"


def test_options_tells_the_methods(analyst: Api) -> None:
    response = analyst.client.options("/api/v1/jobs/", headers={"authorization": f"Bearer {analyst.key}"})
    assert response.json()["allow"] == ["GET", "HEAD", "OPTIONS"]


def test_head_answers_as_get_without_a_body(analyst: Api) -> None:
    response = analyst.client.head("/api/v1/me/", headers={"authorization": f"Bearer {analyst.key}"})
    assert (response.status_code, response.content) == (200, b"")


def test_a_wrong_content_type_names_the_right_one(analyst: Api) -> None:
    response = analyst.client.post(
        "/api/v1/query/", "question=x", content_type="text/plain", headers={"authorization": f"Bearer {analyst.key}"}
    )
    assert (response.status_code, response["Content-Type"]) == (415, PROBLEM)
    assert "Send application/json." in response.json()["detail"]


def test_a_format_that_is_not_spoken_is_refused_in_json(analyst: Api) -> None:
    response = analyst.get("/api/v1/me/", accept="application/xml")
    assert (response.status_code, response["Content-Type"]) == (406, PROBLEM)


@pytest.mark.parametrize(
    "body",
    [
        b"{",
        b"",
        b"[1, 2",
        b'{"question": NaN}',
        b'{"question": "\xff\xfe"}',
        b'{"question": "\\ud800"}',
        b"[" * 100_000,
        b'{"question": ' + b"9" * 5000 + b"}",
        b'{"question": "What?", "question": "Which?"}',
    ],
    ids=["cut", "empty", "cut list", "NaN", "not UTF-8", "half a surrogate", "deep", "long number", "twice"],
)
def test_a_body_that_is_no_json_is_a_problem(analyst: Api, body: bytes) -> None:
    assert _raw(analyst, body) == 400


@pytest.mark.parametrize("body", [b"[]", b'"text"', b"7", b"null"])
def test_a_body_that_is_no_object_is_a_problem(analyst: Api, body: bytes) -> None:
    assert _raw(analyst, body) == 400


@pytest.mark.parametrize("content_type", ["application/json", "multipart/form-data; boundary=x"])
def test_a_charset_that_unpacks_is_not_obeyed(analyst: Api, content_type: str) -> None:
    response = analyst.client.generic(
        "POST",
        "/api/v1/query/" if "json" in content_type else "/api/v1/documents/",
        bz2.compress(b'{"question": "What?"}'),
        content_type=f"{content_type}; charset=bz2_codec",
        headers={"authorization": f"Bearer {analyst.key}"},
    )
    assert response.status_code == 400


def test_a_large_body_is_refused_before_it_is_read(analyst: Api) -> None:
    response = analyst.post("/api/v1/query/", {"question": "x" * JSON_BODY_LIMIT_BYTES})
    assert (response.status_code, response.json()["code"]) == (413, "api.body_too_large")


def test_an_unknown_parameter_is_refused_with_the_known_ones(analyst: Api) -> None:
    response = analyst.get("/api/v1/jobs/?stauts=failed")
    assert response.status_code == 400
    assert response.json()["errors"] == {
        "stauts": ["Unknown parameter. Known: cursor, document, page_size, status, updated_since."],
    }


def test_an_unknown_field_is_refused_with_the_known_ones(analyst: Api) -> None:
    response = analyst.post("/api/v1/query/", {"question": "What?", "scope": "fund:alpha"})
    known = "question, scopes, documents, companies, periods, kinds, as_of, trace, earlier_questions"
    assert response.json()["errors"] == {"scope": [f"Unknown field. Known: {known}."]}


def test_messages_are_in_one_language(analyst: Api) -> None:
    response = analyst.post("/api/v1/query/", {}, **{"Accept-Language": "de"})
    assert response.json()["errors"] == {"question": ["This field is required."]}


def test_a_refusal_names_the_roles_that_would_do(auditor: Api) -> None:
    response = auditor.post("/api/v1/query/", {"question": "What?"})
    assert (response.status_code, response.json()["code"]) == (403, "tenants.permission_denied")
    assert response.json()["data"] == {
        "permission": "question.ask",
        "roles": "Analyst, Compliance officer, Reviewer, Tenant administrator",
    }


@pytest.fixture
def two_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PrincipalThrottle, "rate", "2/min", raising=False)


def test_too_many_requests_are_told_when_to_come_back(two_a_minute: None, key: KeyMaker) -> None:
    api = key()
    answers = [api.get("/api/v1/me/") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert 1 <= int(answers[-1]["Retry-After"]) <= 60


def test_one_key_does_not_use_up_the_rate_of_another(two_a_minute: None, key: KeyMaker) -> None:
    first, second = key(), key()
    for _ in range(3):
        first.get("/api/v1/me/")
    assert second.get("/api/v1/me/").status_code == 200


def test_without_redis_the_api_goes_on(key: KeyMaker, settings: LazySettings) -> None:
    api = key()
    settings.CACHES = {**settings.CACHES, "default": {**settings.CACHES["default"], "LOCATION": "unix:///nowhere"}}
    assert api.get("/api/v1/me/").status_code == 200


@pytest.fixture
def broken(monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Exception]]:
    class BrokenError(Exception):
        pass

    def fail() -> None:
        raise BrokenError("a secret of ours")

    monkeypatch.setattr(account, "current_tenant", fail)
    return BrokenError


def test_a_defect_is_a_problem_that_tells_nothing_of_it(broken: type[Exception], analyst: Api) -> None:
    response = analyst.get("/api/v1/me/")
    assert (response.status_code, response.json()["code"]) == (500, "api.internal")
    assert b"secret" not in response.content


def test_a_lost_database_is_temporary(monkeypatch: pytest.MonkeyPatch, analyst: Api) -> None:
    def fail() -> None:
        raise OperationalError("server closed the connection")

    monkeypatch.setattr(account, "current_tenant", fail)
    response = analyst.get("/api/v1/me/")
    assert (response.status_code, response.json()["code"]) == (503, "api.database_unavailable")
    assert response["Retry-After"] == "5"


def test_a_malformed_request_below_the_api_is_a_problem() -> None:
    response = error_pages.bad_request(RequestFactory().get("/api/v1/me/"), ValueError())
    assert (response.status_code, response["Content-Type"]) == (400, PROBLEM)


def test_a_member_needs_the_csrf_token_to_write(acme: Firm) -> None:
    make_member(acme, "alice", Role.ANALYST, password="correct horse battery")
    browser = Client(enforce_csrf_checks=True)
    assert browser.login(username="alice", password="correct horse battery")
    assert browser.get("/api/v1/me/").json()["label"] == "alice"
    response = browser.post("/api/v1/query/", {"question": "What?"}, content_type="application/json")
    assert (response.status_code, response["Content-Type"]) == (403, PROBLEM)
    assert "CSRF" in response.json()["detail"]


def test_nested_errors_are_flat() -> None:
    detail = ValidationError({"scopes": {1: ["Too long."]}, "kind": ["Unknown."]}).detail
    assert field_errors(detail) == {"scopes.1": ["Too long."], "kind": ["Unknown."]}


def _raw(api: Api, body: bytes) -> int:
    response = api.client.post(
        "/api/v1/query/", body, content_type="application/json", headers={"authorization": f"Bearer {api.key}"}
    )
    assert response["Content-Type"] == PROBLEM
    return response.status_code
