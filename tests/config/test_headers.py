"""What every answer tells the browser, and that no template of ours needs more than that allows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.test import Client
from django.test.utils import override_settings

from apps.erasure.tombstones.gate import NotServedError
from config.env import CHECKOUT

pytestmark = pytest.mark.django_db

_ADDRESSES = [
    "/admin/login/",
    "/admin/",
    "/nowhere/",
    "/api/v1/docs/",
    "/api/v1/query/",
    "/v1/models",
    "/v1/nowhere",
    "/mcp",
    "/static/glassbox/glassbox.js",
]
# Written to a file that somebody keeps, never shown by us.
_FILES = {"glassbox/certificate_file.html"}


def _policy(header: str) -> dict[str, set[str]]:
    return {name: set(values) for name, *values in (each.split() for each in header.split(";"))}


@pytest.mark.parametrize("address", _ADDRESSES)
def test_every_answer_is_held_to_the_policy(address: str) -> None:
    answer = Client().get(address)
    policy = _policy(answer["Content-Security-Policy"])
    allowed = set().union(*policy.values())
    assert not {each for each in allowed if "unsafe" in each or each in ("*", "http:", "https:", "blob:")}
    assert {name for name, values in policy.items() if "data:" in values} == {"img-src"}
    none = {"'none'"}
    for name in ("default-src", "script-src-attr", "style-src-attr", "frame-ancestors", "base-uri"):
        assert policy[name] == none, name
    assert policy["form-action"] == {"'self'"}
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Referrer-Policy"] == answer["Cross-Origin-Resource-Policy"] == "same-origin"
    assert answer["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "camera=()" in answer["Permissions-Policy"]


def test_each_answer_has_a_nonce_of_its_own() -> None:
    nonces = set()
    for _ in range(3):
        answer = Client().get("/admin/login/")
        [nonce] = set(re.findall(r'nonce="([^"]+)"', answer.content.decode()))
        policy = _policy(answer["Content-Security-Policy"])
        assert f"'nonce-{nonce}'" in policy["style-src"] & policy["script-src"]
        nonces.add(nonce)
    assert len(nonces) == 3


@override_settings(GLASSBOX_REQUIRE_REPLAY=True)
def test_the_page_of_a_closed_installation_has_them_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise NotServedError(reason="a test")

    monkeypatch.setattr("apps.operations.backup.middleware.refuse_unless_served", refuse)
    answer = Client().get("/admin/login/")
    assert answer.status_code == 503
    [nonce] = re.findall(r'<style nonce="([^"]+)">', answer.content.decode())
    assert f"'nonce-{nonce}'" in answer["Content-Security-Policy"]


_REFUSED = {
    "a script within the page": r"<script(?![^>]*\ssrc=)(?![^>]*application/json)",
    "a style without a nonce": r"<style(?![^>]*nonce=)",
    "a style in an attribute": r"\sstyle=[\"']",
    "a program in an attribute": r"\son[a-z]+=[\"']",
    "an address that is a program": r"(?:href|src|action)=[\"']\s*javascript:",
}


@pytest.mark.parametrize("what", _REFUSED)
def test_no_template_of_ours_needs_what_is_refused(what: str) -> None:
    folder = CHECKOUT / "templates"
    texts = {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*.html")}
    assert len(texts) > 100
    assert [name for name, text in texts.items() if re.search(_REFUSED[what], text, re.I) and name not in _FILES] == []


def test_no_script_of_ours_makes_programs_of_texts() -> None:
    own = Path(CHECKOUT / "static/glassbox").glob("*.js")
    found = {path.name: re.findall(r"\beval\(|new Function|setTimeout\(\s*['\"]", path.read_text()) for path in own}
    assert len(found) >= 4
    assert {name for name, calls in found.items() if calls} == set()


def test_alpine_is_the_build_that_does_without_eval() -> None:
    """Ours is found before django-unfold's, and makes no function of a text."""
    from django.contrib.staticfiles import finders

    path = Path(str(finders.find("unfold/js/alpine/alpine.js")))
    assert path.is_relative_to(CHECKOUT / "static")
    text = path.read_text(encoding="utf-8")
    assert "CSP Parser Error" in text
    assert not re.search(r"new (?:Async)?Function\(|\beval\(", text)
