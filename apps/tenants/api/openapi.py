"""Finishing touches to the generated OpenAPI document: what holds for every operation is said once, here."""

from __future__ import annotations

import json
from typing import Any

from apps.tenants.api.examples import EXTENSION, PROBLEMS_EXTENSION
from apps.tenants.api.filtering import MOST_VALUES
from apps.tenants.api.openapi_parts import (
    ETAG,
    IDEMPOTENCY_KEY,
    IDEMPOTENCY_KEY_OF_A_QUESTION,
    IF_MATCH,
    IF_NONE_MATCH,
    LOCATION,
    OF_A_FILE,
    OF_A_PART,
    PROBLEM,
    REPEATS,
    REPLAYED,
    REQUEST_ID,
    RESPONSES,
    RETRY_AFTER,
    WITH_RETRY_AFTER,
    Json,
)
from apps.tenants.api.problems import CONTENT_TYPE

# Where examples run until somebody fetches the document: schema.py puts the address in at which they did.
STAND_IN_BASE = "http://127.0.0.1:8000"

# Their answers are not kept for a replay: see idempotency.py.
_QUESTIONS = ("/query/", "/search/", "/v1/chat/completions", "/v1/responses")
_WRITES = frozenset({"post", "put", "patch", "delete"})
# Addresses of one thing that has an ETag: its view is a TaggedView.
_TAGGED = frozenset(
    {
        "/api/v1/documents/{id}/",
        "/api/v1/jobs/{id}/",
        "/api/v1/keys/{id}/",
        "/api/v1/members/{id}/",
        "/api/v1/policy/versions/{id}/",
        "/api/v1/privacy/requests/{id}/",
        "/api/v1/removals/{id}/",
        "/api/v1/scopes/{id}/",
        "/api/v1/webhooks/{id}/",
    }
)
# Of the library's making: null as a component, which no generator needs a name for.
_NULL: Json = {"$ref": "#/components/schemas/NullEnum"}


def finish_document(result: Json, generator: object, request: object, public: bool) -> Json:
    """A postprocessing hook of drf-spectacular: problems, headers, and examples at STAND_IN_BASE."""
    components: Json = result.setdefault("components", {})
    schemas: Json = components.setdefault("schemas", {})
    schemas["Problem"] = PROBLEM
    for name in sent_schemas(result):
        _finish_request(schemas[name])
    schemas.pop("NullEnum", None)
    _mend_nulls(result)
    components["responses"] = {name: _response(name) for name in RESPONSES}
    result["servers"] = [{"url": STAND_IN_BASE}]
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            _finish_operation(path, method, operation)
            _declare_lists(operation, schemas)
    return result


def sent_schemas(document: Json) -> list[str]:
    """The names of all schemas that a client sends something by."""
    schemas: Json = document["components"]["schemas"]
    bodies = [each.get("requestBody") for path in document["paths"].values() for each in path.values()]
    waiting, found = _references(bodies), set[str]()
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting |= _references(schemas[name])
    return sorted(found)


def _references(node: Any) -> set[str]:
    if isinstance(node, dict):
        own = {node["$ref"].rpartition("/")[2]} if "$ref" in node else set()
        return own.union(*map(_references, node.values()))
    return set().union(*map(_references, node)) if isinstance(node, list) else set()


def _finish_request(schema: Json) -> None:
    if schema.get("type") == "object":
        schema["additionalProperties"] = False
    for field in schema.get("properties", {}).values():
        # Generators take a field with a default for one that is always there, and make the sender give it.
        defaults = [each.pop("default", None) for each in (field, *field.get("oneOf", ()))]
        default = next((each for each in defaults if each is not None), None)
        if default not in (None, "", [], {}):
            told = f"Default: `{json.dumps(default)}`."
            field["description"] = f"{field.get('description', '')} {told}".strip()


def _mend_nulls(node: Any) -> None:
    """null by its own name; and of anything at all nothing else, since null is one of it and must not fit twice."""
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node):
        if inner == _NULL:
            node[key] = {"type": "null"}
        elif isinstance(inner, dict | list):
            _mend_nulls(inner)
    if isinstance(node, dict) and {} in node.get("oneOf", ()):
        del node["oneOf"]


def _finish_operation(path: str, method: str, operation: Json) -> None:
    for name in _problems_of(path, method, operation):
        operation["responses"].setdefault(str(RESPONSES[name][0]), {"$ref": f"#/components/responses/{name}"})
    operation["responses"] = dict(sorted(operation["responses"].items()))
    for response in operation["responses"].values():
        if response.get("description") == "":
            response["description"] = "What was asked for."
    if path in _TAGGED:
        operation.setdefault("parameters", []).append(IF_MATCH if method in _WRITES else IF_NONE_MATCH)
        if method not in _WRITES:
            operation["responses"]["304"] = {"description": "It is what you have."}
    for status, response in operation["responses"].items():
        if "$ref" not in response:
            response["headers"] = {**response.get("headers", {}), **_headers_of(path, method, int(status), response)}
    if method in _WRITES:
        parameter = IDEMPOTENCY_KEY_OF_A_QUESTION if path.endswith(_QUESTIONS) else IDEMPOTENCY_KEY
        operation.setdefault("parameters", []).append(parameter)
    # New objects: those that came are the view's own.
    operation[EXTENSION] = [
        {**example, "source": example["source"].replace("{base}", STAND_IN_BASE)}
        for example in operation.get(EXTENSION, [])
    ]
    for example in operation[EXTENSION]:
        # The page of this server shows descriptions and not the extension; other tools show the extension.
        operation["description"] = f"{operation['description']}\n\n```sh\n{example['source']}\n```"


def _headers_of(path: str, method: str, status: int, response: Json) -> Json:
    headers = dict(REQUEST_ID)
    if method in _WRITES:
        headers |= REPEATS if path.endswith(_QUESTIONS) else REPLAYED
    if path in _TAGGED and method not in _WRITES:
        headers |= ETAG
    if status in (201, 202):
        headers |= LOCATION
    if any(content["schema"].get("format") == "binary" for content in response.get("content", {}).values()):
        headers |= OF_A_FILE
    if path.endswith("/documents/{id}/content/") and status < 300:
        headers |= ETAG | (OF_A_PART if status == 206 else {})
    return headers


def _declare_lists(operation: Json, schemas: Json) -> None:
    """How a list is sent in a form: its name repeated. In an address it is one of choices, each named once."""
    for parameter in operation.get("parameters", []):
        items = parameter["schema"].get("items")
        if items is not None and "maxItems" not in parameter["schema"]:
            most = len(items["enum"]) if "enum" in items else MOST_VALUES
            parameter["schema"] |= {"uniqueItems": True, "maxItems": most}
    content = operation.get("requestBody", {}).get("content", {}).get("multipart/form-data")
    if content:
        fields = schemas[content["schema"]["$ref"].rpartition("/")[2]]["properties"]
        lists = [name for name, field in fields.items() if field.get("type") == "array"]
        content["encoding"] = {name: {"style": "form", "explode": True} for name in lists}


def _problems_of(path: str, method: str, operation: Json) -> list[str]:
    names = ["Invalid", "NotAcceptable", "Internal", "Unavailable"]
    if operation.get("security"):
        names += ["NotAuthenticated", "NotPermitted", "Throttled"]
    if "{" in path:
        names.append("NotFound")
    if path in _TAGGED and method in _WRITES:
        names.append("PreconditionFailed")
    if method in _WRITES:
        # Also where there is no body to send: one that comes all the same is looked at.
        names += ["Conflict", "KeyReused", "TooLarge", "UnsupportedMediaType"]
    names += operation.pop(PROBLEMS_EXTENSION, [])
    return names


def _response(name: str) -> Json:
    response: Json = {
        "description": RESPONSES[name][1],
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    response["headers"] = {**REQUEST_ID, **(RETRY_AFTER if name in WITH_RETRY_AFTER else {})}
    return response
