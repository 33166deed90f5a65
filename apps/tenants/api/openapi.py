"""Finishing touches to the generated OpenAPI document: what holds for every operation is said once, here."""

from __future__ import annotations

from typing import Any

from apps.tenants.api.examples import EXTENSION, PROBLEMS_EXTENSION
from apps.tenants.api.idempotency import HEADER, REPEATS_HEADER, REPLAYED_HEADER
from apps.tenants.api.problems import CONTENT_TYPE

Json = dict[str, Any]

# Where examples run until somebody fetches the document: schema.py puts the address in at which they did.
STAND_IN_BASE = "http://127.0.0.1:8000"

PROBLEM: Json = {
    "type": "object",
    "description": "What went wrong (RFC 9457). Decide by `code`, which is stable; show `detail` to people.",
    "required": ["type", "title", "status", "detail", "code"],
    "properties": {
        "type": {"type": "string", "format": "uri", "example": "urn:glassbox:error:api.invalid"},
        "title": {"type": "string", "example": "The request is not valid"},
        "status": {"type": "integer", "example": 400},
        "detail": {"type": "string", "example": "scope: There is no scope 'fund:x' that you may use."},
        "code": {"type": "string", "example": "api.invalid"},
        "errors": {
            "type": "object",
            "description": "By field: what is wrong with it. A place in a list follows a dot, as in scopes.0.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "data": {
            "type": "object",
            "description": "The ids, names and numbers that the detail speaks of.",
            "additionalProperties": True,
        },
    },
}

# name -> status, description
_RESPONSES: dict[str, tuple[int, str]] = {
    "Invalid": (400, "A field, parameter or header is not valid; `errors` says which. Nothing was done."),
    "NotAuthenticated": (401, "No key, or one that is unknown, expired or revoked."),
    "NotPermitted": (403, "The key's roles do not allow it; the detail names those that do."),
    "NotFound": (404, "There is no such thing that you may see. Not there and not yours look alike."),
    "NotAcceptable": (406, "The Accept header rules out what this address answers with."),
    "Conflict": (409, "The state does not allow it now, or the same request is being worked on (see Retry-After)."),
    "Gone": (410, "What the answer is made of was removed for good; the detail says with what."),
    "TooLarge": (413, "The body, the file or the question is too large."),
    "UnsupportedMediaType": (415, "The Content-Type is not the one that this address takes."),
    "KeyReused": (422, "The Idempotency-Key belongs to another request of yours."),
    "Throttled": (429, "Too many requests; wait as long as Retry-After says."),
    "Internal": (500, "A defect of ours. It was logged, and nothing of the request was carried out."),
    "ProviderFailed": (502, "The tenant's embedding provider failed; the detail says how. Nothing was done."),
    "Unavailable": (503, "A part that the answer needs is down. Try again after Retry-After."),
    "ProviderTimeout": (504, "The tenant's embedding provider did not answer in time. Nothing was done."),
}
_WITH_RETRY_AFTER = frozenset({"Conflict", "Throttled", "Unavailable"})
_IDEMPOTENCY_KEY: Json = {
    "name": HEADER,
    "in": "header",
    "required": False,
    "description": (
        "Any text of your own that is new for every new request, such as a UUID. Sent again with the same request "
        f"within 24 hours it acts once, and the first answer comes again with `{REPLAYED_HEADER}: true`."
    ),
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
_IDEMPOTENCY_KEY_OF_A_QUESTION: Json = {
    **_IDEMPOTENCY_KEY,
    "description": (
        "Any text of your own that is new for every new question. Answers are not kept (they may quote what an erasure "
        "must reach), so a question that is sent again is answered and recorded anew, and the response header "
        f"`{REPEATS_HEADER}` names the first one's event. Nothing else happens twice: a question changes nothing."
    ),
}
_WRITES = frozenset({"post", "put", "delete"})


def finish_document(result: Json, generator: object, request: object, public: bool) -> Json:
    """A postprocessing hook of drf-spectacular: problems, headers, and examples at STAND_IN_BASE."""
    components: Json = result.setdefault("components", {})
    schemas: Json = components.setdefault("schemas", {})
    schemas["Problem"] = PROBLEM
    for name in [name for name in schemas if name.endswith("Request")]:
        schemas[name]["additionalProperties"] = False
    components["responses"] = {name: _response(name) for name in _RESPONSES}
    result["servers"] = [{"url": STAND_IN_BASE}]
    for path, operations in result["paths"].items():
        for method, operation in operations.items():
            _finish_operation(path, method, operation)
    return result


def _finish_operation(path: str, method: str, operation: Json) -> None:
    for name in _problems_of(path, method, operation):
        operation["responses"].setdefault(str(_RESPONSES[name][0]), {"$ref": f"#/components/responses/{name}"})
    operation["responses"] = dict(sorted(operation["responses"].items()))
    for response in operation["responses"].values():
        if response.get("description") == "":
            response["description"] = "What was asked for."
    if method in _WRITES:
        parameter = _IDEMPOTENCY_KEY_OF_A_QUESTION if path.endswith("/query/") else _IDEMPOTENCY_KEY
        operation.setdefault("parameters", []).append(parameter)
    # New objects: those that came are the view's own.
    operation[EXTENSION] = [
        {**example, "source": example["source"].replace("{base}", STAND_IN_BASE)}
        for example in operation.get(EXTENSION, [])
    ]
    for example in operation[EXTENSION]:
        # The page of this server shows descriptions and not the extension; other tools show the extension.
        operation["description"] = f"{operation['description']}\n\n```sh\n{example['source']}\n```"


def _problems_of(path: str, method: str, operation: Json) -> list[str]:
    names = ["Invalid", "NotAcceptable", "Internal", "Unavailable"]
    if operation.get("security"):
        names += ["NotAuthenticated", "NotPermitted", "Throttled"]
    if "{" in path:
        names.append("NotFound")
    if method in _WRITES:
        names += ["Conflict", "KeyReused"]
    names += operation.pop(PROBLEMS_EXTENSION, [])
    if operation.get("requestBody"):
        names += ["TooLarge", "UnsupportedMediaType"]
    return names


def _response(name: str) -> Json:
    response: Json = {
        "description": _RESPONSES[name][1],
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    if name in _WITH_RETRY_AFTER:
        response["headers"] = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}}}
    return response
