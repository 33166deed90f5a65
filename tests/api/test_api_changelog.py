"""The changelog is of this version, names what changed, and is served beside the API."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from apps.retrieval.api.changelog import changelog, changelog_text
from config.release import version
from tests.api.client import PROBLEM, openapi

pytestmark = pytest.mark.django_db

ADDRESS = "/api/v1/changelog/"


def operations() -> set[str]:
    """`GET /address/` of each operation, and `GET /address/ ?name` of each parameter in an address."""
    found = set[str]()
    for path, methods in openapi()["paths"].items():
        for method, operation in methods.items():
            name = f"{method.upper()} {path}"
            parameters = (each for each in operation.get("parameters", ()) if each["in"] == "query")
            found |= {name, *(f"{name} ?{each['name']}" for each in parameters)}
    return found


def missing(changed: set[str], items: list[str]) -> list[str]:
    """What of these no item names. A parameter is named together with its operation."""
    wanted = ((each, each.replace(" ?", " ").split(" ")) for each in sorted(changed))
    return [
        each
        for each, (method, path, *parameter) in wanted
        if not any(f"`{method} {path}`" in item and all(f"`{name}`" in item for name in parameter) for item in items)
    ]


def test_the_newest_entry_is_of_this_version() -> None:
    assert changelog()[0].version == version()


def test_what_was_added_or_removed_since_the_version_before_is_named() -> None:
    """With a new version, the list is made anew of the one before it: `operations()`, sorted, a line each."""
    newest, before, *_ = changelog()
    known = set((Path(__file__).parent / f"operations-{before.version}.txt").read_text().splitlines())
    items = [item for change in newest.changes for item in change.items]
    changed = known ^ operations()
    # A new operation's parameters are new with it.
    changed = {each for each in changed if each.partition(" ?")[0] == each or each.partition(" ?")[0] in known}
    assert missing(changed, items) == []


def test_what_is_not_named_is_found() -> None:
    items = ["`GET /a/` takes `since`.", "`POST /b/` is new."]
    assert missing({"GET /a/ ?since", "POST /b/"}, items) == []
    assert missing({"GET /a/ ?until", "PUT /b/", "GET /b/ ?since"}, items) == [
        "GET /a/ ?until",
        "GET /b/ ?since",
        "PUT /b/",
    ]


def test_every_version_is_there_once_and_newer_than_the_next() -> None:
    numbers = [tuple(map(int, each.version.split("."))) for each in changelog()]
    days = [each.released_on for each in changelog()]
    assert numbers == sorted(set(numbers), reverse=True)
    assert days == sorted(days, reverse=True)
    assert all(each.changes and all(change.items for change in each.changes) for each in changelog())


def test_it_is_a_page() -> None:
    answer = Client().get(ADDRESS, headers={"accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/html; charset=utf-8")
    assert f'<section id="{version()}">' in answer.content.decode()
    assert "<code>PATCH /api/v1/documents/{id}/</code>" in answer.content.decode()


def test_it_is_had_as_it_is_and_as_json() -> None:
    markdown = Client().get(ADDRESS, headers={"accept": "text/markdown"})
    assert (markdown["Content-Type"], markdown.content.decode()) == ("text/markdown; charset=utf-8", changelog_text())
    told = Client().get(ADDRESS, headers={"accept": "application/json"})
    assert told.json()["versions"][0]["version"] == version()
    assert {"kind", "items"} == told.json()["versions"][0]["changes"][0].keys()
    assert all("Accept" in each["Vary"] for each in (markdown, told))


def test_another_type_is_refused() -> None:
    answer = Client().get(ADDRESS, headers={"accept": "image/png"})
    assert (answer.status_code, answer["Content-Type"]) == (406, PROBLEM)


@pytest.mark.parametrize("address", [ADDRESS, "/api/v1/problems/"])
def test_the_document_leads_there(address: str) -> None:
    assert f"]({address})" in openapi()["info"]["description"]
    assert Client().get(address).status_code == 200
