"""Pages of other origins call the API where a setting names them, and only there; never with a cookie."""

from __future__ import annotations

import pytest
from django.http import HttpResponse
from django.test import Client, override_settings

from config.checks import cors_check
from config.cors import is_origin

pytestmark = pytest.mark.django_db

APP = "https://app.example.com"
named = override_settings(GLASSBOX_CORS_ORIGINS=frozenset({APP, "https://other.example.com:8443"}))


def vary(answer: HttpResponse) -> set[str]:
    return {each.strip() for each in answer.get("Vary", "").split(",") if each}


def cors(answer: HttpResponse) -> dict[str, str]:
    return {name: value for name, value in answer.items() if name.startswith("Access-Control-")}


def preflight(path: str = "/api/v1/documents/", origin: str = APP) -> HttpResponse:
    asked = {"origin": origin, "access-control-request-method": "PATCH"}
    return Client().options(path, headers={**asked, "access-control-request-headers": "authorization,if-match"})


def test_by_default_nothing_is_told() -> None:
    answer = Client().get("/api/v1/health/", headers={"origin": APP})
    assert (cors(answer), "Origin" in vary(answer)) == ({}, False)
    assert cors(preflight()) == {}


@named
@pytest.mark.parametrize("path", ["/api/v1/documents/", "/api/v1/query/", "/api/v1/nowhere/"])
def test_a_page_that_is_named_is_told_that_it_may_ask(path: str) -> None:
    answer = preflight(path)
    told = cors(answer)
    assert (answer.status_code, answer.content) == (204, b"")
    assert told["Access-Control-Allow-Origin"] == APP
    assert "PATCH" in told["Access-Control-Allow-Methods"].split(", ")
    assert {"Authorization", "If-Match", "Idempotency-Key"} <= set(told["Access-Control-Allow-Headers"].split(", "))
    assert int(told["Access-Control-Max-Age"]) > 0
    assert {"Origin", "Access-Control-Request-Method"} <= vary(answer)
    assert "Access-Control-Allow-Credentials" not in told


@named
@pytest.mark.parametrize(("path", "status"), [("/api/v1/health/", {200, 503}), ("/api/v1/me/", {401})])
def test_it_reads_the_answer_a_refusal_too(path: str, status: set[int]) -> None:
    answer = Client().get(path, headers={"origin": APP})
    told = cors(answer)
    assert answer.status_code in status
    assert told.keys() == {"Access-Control-Allow-Origin", "Access-Control-Expose-Headers"}
    exposed = set(told["Access-Control-Expose-Headers"].split(", "))
    assert {"ETag", "Retry-After", "X-Request-ID", "Idempotent-Replayed", "Deprecation", "Sunset"} <= exposed
    assert "Origin" in vary(answer)


@named
@pytest.mark.parametrize(
    "origin",
    [
        *("https://evil.example.com", "http://app.example.com", "https://app.example.com:8443", "null", "*"),
        *(f"{APP}.evil.com", f"{APP}/", APP.upper()),
    ],
)
def test_another_gets_no_header(origin: str) -> None:
    answer = Client().get("/api/v1/health/", headers={"origin": origin})
    assert (cors(answer), "Origin" in vary(answer)) == ({}, True)
    assert cors(preflight(origin=origin)) == {}
    assert preflight(origin=origin).status_code == 401


@named
@pytest.mark.parametrize("path", ["/admin/login/", "/livez", "/"])
def test_nothing_but_the_api_is_told(path: str) -> None:
    answer = Client().get(path, headers={"origin": APP})
    assert (cors(answer), "Origin" in vary(answer)) == ({}, False)


@override_settings(GLASSBOX_CORS_ORIGINS=frozenset({"*", "null"}))
@pytest.mark.parametrize("origin", ["*", "null", APP])
def test_a_pattern_lets_nobody_in(origin: str) -> None:
    assert cors(Client().get("/api/v1/health/", headers={"origin": origin})) == {}


@pytest.mark.parametrize(
    ("origin", "is_complained_about"),
    [
        (APP, False),
        ("https://app.example.com:8443", False),
        ("https://[2001:db8::1]:8443", False),
        ("*", True),
        ("https://*.example.com", True),
        ("http://app.example.com", True),
        ("http://localhost:3000", True),
        ("null", True),
        ("app.example.com", True),
        ("https://app.example.com/", True),
        ("https://app.example.com:443", True),
        ("https://App.example.com", True),
    ],
)
def test_the_check_before_deploying_names_what_is_wrong(origin: str, is_complained_about: bool) -> None:
    with override_settings(GLASSBOX_CORS_ORIGINS=frozenset({origin})):
        found = cors_check()
    assert [each.id for each in found] == (["config.E001"] if is_complained_about else [])
    assert all(repr(origin) in str(each.msg) for each in found)


def test_what_a_browser_sends_is_an_origin() -> None:
    assert is_origin("http://localhost:3000")
