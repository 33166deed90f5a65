"""A problem's type leads to a page that says what it means and what to do."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.test import Client

import apps
from apps.errors import ApplicationError, CodedError, kinds_of
from apps.retrieval.api.problem_types import problem_types
from apps.tenants.api.problems import type_url
from apps.tenants.api.views import ApiView
from tests.api.client import Api, openapi

pytestmark = pytest.mark.django_db


# Told by commands alone, whose modules no server imports.
OF_COMMANDS = {"audit.nothing_to_mend", "corpus.record_file_unusable", "demo.api", "demo.erased", "demo.ingest"}


def page() -> str:
    response = Client().get("/api/v1/problems/")
    assert (response.status_code, response["Content-Type"]) == (200, "text/html; charset=utf-8")
    return response.content.decode()


def anchors() -> set[str]:
    return set(re.findall(r'<section id="([^"]+)">', page()))


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("/api/v1/me/?x=1", "api.invalid"),
        ("/api/v1/nothing/", "api.unknown_address"),
        ("/api/v1/documents/00000000-0000-7000-8000-000000000000/", "corpus.document_not_found"),
    ],
)
def test_a_type_leads_to_its_place(analyst: Api, path: str, code: str) -> None:
    problem = analyst.get(path).json()
    address = urlsplit(problem["type"])
    assert problem["code"] == address.fragment == code
    assert problem["type"].startswith(settings.GLASSBOX_URL)
    assert address.path == "/api/v1/problems/"
    assert address.fragment in anchors()


def test_every_error_that_there_is_has_its_place() -> None:
    """Whatever module it is in, also one that no address imports."""
    assert codes() - anchors() <= OF_COMMANDS


def test_every_code_that_is_raised_is_one_of_its_class() -> None:
    for error in coded():
        raised = set(re.findall(rf'\b{error.__name__}\(\s*"(.+?)"', sources()))
        assert raised <= set(error.kinds), error


def test_every_code_of_a_class_is_told_somewhere() -> None:
    """Raised, or written to a job's row; before a colon stands what is only said of it."""
    for error in coded():
        assert {code for code in error.kinds if not re.search(rf'"{re.escape(code)}"(?!:)', sources())} == set(), error


def test_no_two_classes_have_one_code() -> None:
    counted = Counter(code for error in coded() for code in error.kinds)
    assert [code for code, count in counted.items() if count > 1] == []


def test_every_field_of_a_code_is_of_a_code_that_there_is() -> None:
    """A misspelt one would say nothing about the field, and fail nowhere."""
    fields = {code for view in views_of(ApiView) for code in view.field_of_code}
    assert fields
    assert fields <= codes()


def test_every_code_that_is_told_without_an_error_has_its_place() -> None:
    told = set(re.findall(r'code="([a-z_]+\.[a-z_]+)"', sources()))
    assert {code for code in told if code.startswith("api.")} - anchors() == set()


def test_it_says_what_to_do() -> None:
    shown = page()
    assert "&lt;document&gt;" in shown
    assert all(each.messages and all(each.messages) for each in problem_types())
    # What a defect says of itself is for our log.
    assert "This is a defect of that retriever" not in shown


def test_the_document_s_example_of_a_type_is_of_that_page() -> None:
    example = openapi()["components"]["schemas"]["Problem"]["properties"]["type"]["example"]
    assert urlsplit(example)[2:] == urlsplit(type_url("api.invalid"))[2:]


def classes_of(error: type[ApplicationError]) -> Iterator[type[ApplicationError]]:
    for kind in error.__subclasses__():
        if kind.__module__.startswith("apps."):
            yield kind
        yield from classes_of(kind)


@cache
def import_all() -> None:
    for module in walk_packages(apps.__path__, "apps."):
        if not {"migrations", "__main__"} & set(module.name.split(".")):
            import_module(module.name)


def codes() -> set[str]:
    import_all()
    return {code for error in classes_of(ApplicationError) for code, _, _ in kinds_of(error)}


def coded() -> list[type[CodedError]]:
    import_all()
    return [each for each in classes_of(ApplicationError) if issubclass(each, CodedError)]


def views_of(view: type[ApiView]) -> Iterator[type[ApiView]]:
    for kind in view.__subclasses__():
        yield kind
        yield from views_of(kind)


@cache
def sources() -> str:
    return "".join(path.read_text() for folder in ("apps", "config") for path in Path(folder).rglob("*.py"))
