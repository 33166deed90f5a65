"""The OpenAPI document is valid, complete, and shown without asking anybody else."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.staticfiles import finders
from django.test import Client
from drf_spectacular.drainage import GENERATOR_STATS
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.validation import validate_schema

from apps.tenants.api.examples import EXTENSION
from tests.api.client import mismatches, openapi

pytestmark = pytest.mark.django_db

OPERATIONS = [
    pytest.param(method, path, operation, id=operation["operationId"])
    for path, operations in openapi()["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.slow
def test_it_is_valid() -> None:
    validate_schema(openapi())


def test_nothing_had_to_be_guessed(capsys: pytest.CaptureFixture[str]) -> None:
    GENERATOR_STATS.reset()
    SchemaGenerator().get_schema(request=None, public=True)
    assert "Warning" not in (told := capsys.readouterr().err), told


def test_names_for_generated_clients_are_unique_and_plain() -> None:
    names = [parameters.values[2]["operationId"] for parameters in OPERATIONS]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)+", name) for name in names)


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_an_operation_says_what_it_is_and_shows_how(method: str, path: str, operation: dict[str, Any]) -> None:
    assert operation["summary"]
    assert operation["tags"]
    sources = [each["source"] for each in operation[EXTENSION]]
    assert sources
    assert all(source in operation["description"] for source in sources)


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_an_operation_documents_its_problems(method: str, path: str, operation: dict[str, Any]) -> None:
    wanted = {"400", "500", "503"}
    wanted |= {"401", "403", "429"} if operation.get("security") else set()
    wanted |= {"409", "422"} if method in ("post", "put", "patch", "delete") else set()
    wanted |= {"404"} if "{" in path else set()
    assert wanted <= set(operation["responses"])


def test_an_example_of_an_answer_is_what_its_schema_says() -> None:
    shown = [
        (example["value"], content["schema"])
        for parameters in OPERATIONS
        for response in parameters.values[2]["responses"].values()
        for content in response.get("content", {}).values()
        for example in content.get("examples", {}).values()
    ]
    assert shown
    assert [mismatches(value, schema) for value, schema in shown] == [[]] * len(shown)


def test_every_reference_leads_somewhere() -> None:
    document = openapi()
    for reference in set(re.findall(r"'\$ref': '#/([^']+)'", str(document))):
        found: Any = document
        for step in reference.split("/"):
            found = found[step]
        assert found


def test_it_is_served_with_the_address_it_was_asked_at() -> None:
    response = Client().get("/api/v1/openapi.json", headers={"host": "glassbox.example:8443"})
    assert response["Content-Type"] == "application/json"
    assert response.json()["servers"] == [{"url": "http://glassbox.example:8443"}]
    assert "http://glassbox.example:8443/api/v1/query/" in response.content.decode()


def test_a_header_that_can_t_be_had_in_json_is_a_problem() -> None:
    assert Client().get("/api/v1/openapi.json", headers={"accept": "text/html"}).status_code == 406


def test_the_page_asks_nobody_else() -> None:
    page = Client().get("/api/v1/docs/").content.decode()
    [address] = re.findall(r'src="(/api/v1/docs/[^"]*)"', page)
    script = Client().get(address)
    assert script["Content-Type"].startswith("application/javascript")
    assert re.findall(r"https?://[^\s\"'<]+", page + script.content.decode()) == []
    assert "openapi.json" in script.content.decode()


def test_everything_that_the_page_loads_is_here() -> None:
    page = Client().get("/api/v1/docs/").content.decode()
    files = re.findall(r"(?:src|href)=\"/static/([^\"]+)\"", page)
    assert len(files) == 5
    assert all(finders.find(file) for file in files)


def test_a_wrong_parameter_of_the_page_is_a_problem_in_json() -> None:
    response = Client().get("/api/v1/docs/?lang=xx")
    assert (response.status_code, response.json()["code"]) == (400, "api.invalid")
