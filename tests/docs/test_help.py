"""Help in the admin: the built handbook, for whoever is signed in and for nobody else."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from apps.tenants.roles import Role
from config.help import views
from tests.factories import make_firm, make_member
from tests.visitor import Visitor

pytestmark = pytest.mark.django_db


@pytest.fixture
def reader() -> Client:
    make_member(make_firm("acme"), "ada", Role.AUDITOR)
    return Visitor("ada")


def test_everybody_finds_it_in_the_sidebar(reader: Client) -> None:
    page = reader.get("/admin/")
    assert 'href="/admin/help/"' in page.content.decode()


@pytest.mark.parametrize("path", ["", "concepts/", "handbooks/officer/", "glossary/", "extend/table/"])
def test_a_page_is_served(reader: Client, path: str) -> None:
    answer = reader.get(f"/admin/help/{path}")
    assert answer.status_code == 200
    assert answer["Content-Type"] == "text/html"
    assert "Glassbox handbook" in answer.content.decode()
    assert "'unsafe-inline'" not in answer["Content-Security-Policy"]


def test_what_a_page_needs_is_served_and_kept_where_its_name_tells_its_content(reader: Client) -> None:
    style = next((views.SITE / "assets/stylesheets").glob("main.*.css"))
    answer = reader.get(f"/admin/help/assets/stylesheets/{style.name}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/css")
    assert "immutable" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    picture = reader.get("/admin/help/images/way.svg")
    assert (picture.status_code, picture["Content-Type"]) == (200, "image/svg+xml")
    assert picture["Cache-Control"] == "private, no-cache"


def test_what_did_not_change_is_not_sent_again(reader: Client) -> None:
    first = reader.get("/admin/help/concepts/")
    again = reader.get("/admin/help/concepts/", headers={"If-Modified-Since": first["Last-Modified"]})
    assert (again.status_code, again.content) == (304, b"")


def test_who_is_not_signed_in_is_asked_to() -> None:
    for path in ("", "concepts/", "images/way.svg", "search/search_index.json"):
        answer = Client().get(f"/admin/help/{path}")
        assert answer.status_code == 302
        assert answer["Location"].startswith("/admin/login/")


@pytest.mark.parametrize(
    "path",
    [
        "nowhere/",
        "concepts",
        "images/nothing.png",
        "../views.py",
        "..%2fviews.py",
        "images/../../manage.py",
        "/etc/passwd",
        "images/../index.md",
        "images/%00",
        "built.json/",
    ],
)
def test_nothing_beside_it_is_served(reader: Client, path: str) -> None:
    assert reader.get(f"/admin/help/{path}").status_code == 404


def test_where_it_was_not_built_the_page_says_what_to_run(
    reader: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "SITE", tmp_path)
    answer = reader.get("/admin/help/")
    assert answer.status_code == 503
    assert "manage.py docs" in answer.content.decode()
