"""The OpenAPI document as a generator of clients reads it: valid, with bounds, and without traps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator, validate

from apps.tenants.api.openapi import sent_schemas
from tests.api.client import openapi

Json = dict[str, Any]
WRITES = ("post", "put", "patch", "delete")
OPERATIONS = [
    pytest.param(method, path, operation, id=operation["operationId"])
    for path, operations in openapi()["paths"].items()
    for method, operation in operations.items()
]


@pytest.mark.slow
def test_it_is_valid_as_openapi_3_1() -> None:
    assert openapi()["openapi"].startswith("3.1.")
    validate(openapi(), cls=OpenAPIV31SpecValidator)


def test_nothing_of_openapi_3_0_is_left() -> None:
    assert [where for where, node in walk(openapi(), "") if "nullable" in node] == []


def test_null_is_said_where_it_may_be_sent() -> None:
    """A choice that may be null loses it easily: its values are a component of their own."""
    chosen = openapi()["components"]["schemas"]["ChosenRequest"]["properties"]
    assert {"type": "null"} in chosen["quoting"]["oneOf"]
    assert {"type": "null"} in chosen["seen"]["oneOf"]


def test_a_default_makes_no_field_required() -> None:
    """Generators take a field of a request with a default for one that must be sent."""
    with_default = [
        f"{name}.{field}"
        for name in sent_schemas(openapi())
        for field, about in openapi()["components"]["schemas"][name].get("properties", {}).items()
        if "default" in about
    ]
    assert with_default == []
    assert openapi()["components"]["schemas"]["QueryRequest"]["required"] == ["question"]


def test_what_is_sent_has_bounds() -> None:
    """A text has a length, a pattern, a format or its choices; a number its least and its most; a list its length."""
    schemas = openapi()["components"]["schemas"]
    sent = {name: schemas[name] for name in sent_schemas(openapi())}
    for _, _, operation in (parameters.values for parameters in OPERATIONS):
        for each in operation.get("parameters", []):
            if each["in"] != "path":
                sent[f"{operation['operationId']} {each['name']}"] = each["schema"]
    assert [where for name, schema in sent.items() for where, node in walk(schema, name) if unbounded(node)] == []


def unbounded(node: Json) -> bool:
    kinds = node.get("type")
    kinds = kinds if isinstance(kinds, list) else [kinds]
    if "enum" in node:
        return False
    if "string" in kinds:
        return not {"maxLength", "format", "pattern"} & set(node)
    if "integer" in kinds or "number" in kinds:
        return not ({"minimum", "exclusiveMinimum"} & set(node) and {"maximum", "exclusiveMaximum"} & set(node))
    return "array" in kinds and "maxItems" not in node


def walk(node: Any, where: str) -> Iterator[tuple[str, Json]]:
    if isinstance(node, dict):
        yield where, node
        for name, inner in node.items():
            if name not in ("example", "examples", "x-codeSamples"):
                yield from walk(inner, f"{where}.{name}")
    elif isinstance(node, list):
        for place, inner in enumerate(node):
            yield from walk(inner, f"{where}.{place}")


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_lists_say_how_they_are_sent(method: str, path: str, operation: Json) -> None:
    lists = [each for each in operation.get("parameters", []) if each["schema"].get("type") == "array"]
    assert all((each["style"], each["explode"]) == ("form", True) for each in lists)
    for media_type, content in operation.get("requestBody", {}).get("content", {}).items():
        if media_type == "multipart/form-data":
            fields = resolved(content["schema"])["properties"]
            repeated = {name for name, field in fields.items() if field.get("type") == "array"}
            assert repeated == {"file" if operation["operationId"] == "upload_documents" else "jurisdictions"}
            assert content["encoding"] == {name: {"style": "form", "explode": True} for name in repeated}


@pytest.mark.parametrize(("method", "path", "operation"), OPERATIONS)
def test_headers_are_declared(method: str, path: str, operation: Json) -> None:
    sent = {each["name"] for each in operation.get("parameters", []) if each["in"] == "header"}
    assert ("Idempotency-Key" in sent) == (method in WRITES)
    for status, response in operation["responses"].items():
        headers = resolved(response).get("headers", {})
        assert "X-Request-ID" in headers, status
        # A request that changes nothing is never turned away because it is being processed already.
        if status in ("429", "503") or (status == "409" and method in WRITES):
            assert "Retry-After" in headers, status
        if method in WRITES and status.startswith("2"):
            asks = path.endswith(("/query/", "/search/", "/v1/chat/completions", "/v1/responses"))
            repeated = "Glassbox-Repeats-Event" if asks else "Idempotent-Replayed"
            assert repeated in headers
    if method in WRITES:
        assert {"413", "415"} <= set(operation["responses"])


def resolved(node: Json) -> Json:
    found: Any = openapi()
    if "$ref" not in node:
        return node
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)
