"""A client of the API that holds every answer against the OpenAPI document: status, media type, and schema."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from drf_spectacular.generators import SchemaGenerator
from jsonschema import Draft202012Validator

from apps.tenants.models import User
from apps.tenants.principals import Principal

Json = dict[str, Any]
PROBLEM = "application/problem+json"


_OF_A_PROPOSAL = ("take-back", "approve", "send-back", "without-proof", "keep-proof", "agree-without-proof")
_NOBODY = "00000000-0000-7000-8000-000000000000"


class Api:
    """Sends one key with every request; none when it is empty. See also `person`."""

    def __init__(self, key: str = "") -> None:
        self.key = key
        self.client = Client(raise_request_exception=False)

    def get(self, path: str, params: Mapping[str, Any] | None = None, **headers: str) -> HttpResponse:
        return self._checked("get", path, self.client.get(path, params, headers=self._headers(headers)))

    def post(self, path: str, body: Any = None, *, params: str = "", **headers: str) -> HttpResponse:
        response = self.client.post(
            path + params, body, content_type="application/json", headers=self._headers(headers)
        )
        return self._checked("post", path, response)

    def step(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        """A step of what was read in the moment before: its revision, and of a proposal its run, are sent along."""
        address, last = re.fullmatch(r"(.*/[0-9a-f-]{36}/)(?:.*/)?([\w-]+)/", path).groups()  # type: ignore[union-attr]
        shown = self.client.get(address, headers=self._headers({})).json()
        read = {"revision": shown.get("revision", 1)}
        if last.endswith("-proof"):
            read = {"revision": shown.get("run_revision") or 1}
        if "/requests/" in path and last in _OF_A_PROPOSAL:
            read["run_id"] = shown.get("run_id") or _NOBODY
        return self.post(path, {**read, **(body or {})}, **headers)

    def put(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        response = self.client.put(path, body, content_type="application/json", headers=self._headers(headers))
        return self._checked("put", path, response)

    def patch(self, path: str, body: Any = None, **headers: str) -> HttpResponse:
        response = self.client.patch(path, body, content_type="application/json", headers=self._headers(headers))
        return self._checked("patch", path, response)

    def upload(
        self, content: bytes = b"# A note\n\nIt says something.\n", filename: str = "note.md", **fields: Any
    ) -> HttpResponse:
        headers = fields.pop("headers", {})
        form = {"file": SimpleUploadedFile(filename, content), "scope": "fund:alpha", "kind": "run", **fields}
        form = {name: value for name, value in form.items() if value is not None}
        response = self.client.post("/api/v1/documents/", form, headers=self._headers(headers))
        return self._checked("post", "/api/v1/documents/", response)

    def delete(self, path: str, **headers: str) -> HttpResponse:
        return self._checked("delete", path, self.client.delete(path, headers=self._headers(headers)))

    def _headers(self, more: Mapping[str, str]) -> dict[str, str]:
        key = {"authorization": f"Bearer {self.key}"} if self.key else {}
        return {**key, **{name.replace("_", "-"): value for name, value in more.items()}}

    @staticmethod
    def _checked(method: str, path: str, response: HttpResponse) -> HttpResponse:
        conforms(method, path, response)
        return response


def person(principal: Principal) -> Api:
    """A client that is signed in as one of a firm's members."""
    api = Api()
    api.client.force_login(User.objects.get_by_natural_key(principal.label))
    return api


def conforms(method: str, path: str, response: HttpResponse) -> None:
    """Assert that the document describes this answer."""
    assert response["Cache-Control"] == "no-store"
    operation = _operation(method, path)
    if operation is None:
        assert response.status_code in (404, 405)
        assert response["Content-Type"] == PROBLEM
        return
    documented = _resolved(operation["responses"].get(str(response.status_code)))
    assert documented is not None, f"{method} {path} answered {response.status_code}, which is not documented"
    content = documented.get("content")
    if not content:
        assert not response.content
        return
    media_type = response["Content-Type"].partition(";")[0]
    assert media_type in content, f"{method} {path} answered {media_type}, which is not documented"
    if method != "head" and content[media_type]["schema"].get("format") != "binary":
        value = response.content.decode() if media_type == "text/plain" else response.json()
        problems = mismatches(value, content[media_type]["schema"])
        assert not problems, f"{method} {path} {response.status_code} is not what the document says: {problems[:5]}"


def mismatches(value: Any, schema: Json) -> list[str]:
    """Where a value is not what a schema of the document says."""
    return [
        f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"
        for error in _validator(json.dumps(schema, sort_keys=True)).iter_errors(value)
    ]


@lru_cache(maxsize=1)
def openapi() -> Json:
    document: Json = SchemaGenerator().get_schema(request=None, public=True)
    return document


def _operation(method: str, path: str) -> Json | None:
    for template, operations in openapi()["paths"].items():
        if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", template), path.partition("?")[0]):
            operation: Json | None = operations.get(method)
            return operation
    return None


def _resolved(node: Json | None) -> Json | None:
    if node is None or "$ref" not in node:
        return node
    found: Any = openapi()
    for step in node["$ref"].removeprefix("#/").split("/"):
        found = found[step]
    return dict(found)


@lru_cache(maxsize=64)
def _validator(schema: str) -> Draft202012Validator:
    root = {**_strict(json.loads(schema)), "components": {"schemas": _strict(openapi()["components"]["schemas"])}}
    return Draft202012Validator(root, format_checker=Draft202012Validator.FORMAT_CHECKER)


def _strict(node: Any) -> Any:
    """OpenAPI 3.1 is JSON Schema; and fields that the document does not name are mistakes."""
    if isinstance(node, list):
        return [_strict(each) for each in node]
    if not isinstance(node, dict):
        return node
    strict = {name: _strict(value) for name, value in node.items()}
    if "code" not in node.get("properties", {}) and node.get("properties"):
        strict.setdefault("additionalProperties", False)
    return strict
