"""Finishing touches to the generated OpenAPI document: what holds for every operation is said once, here."""

from __future__ import annotations

import json
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
        "type": {
            "type": "string",
            "format": "uri",
            "description": "A link to the explanation and what to do.",
            "example": "https://glassbox.example/api/v1/problems/#api.invalid",
        },
        "title": {"type": "string", "example": "The request is not valid"},
        "status": {"type": "integer", "example": 400},
        "detail": {"type": "string", "example": "scope: There is no scope 'fund:x' that you may use."},
        "code": {"type": "string", "example": "api.invalid"},
        "request_id": {
            "type": "string",
            "description": "The same as in the header X-Request-ID. Include it when you ask for help.",
        },
        "errors": {
            "type": "object",
            "description": "What is wrong, by field. A position in a list follows a dot, as in scopes.0.",
            "additionalProperties": {"type": "array", "items": {"type": "string"}},
        },
        "data": {
            "type": "object",
            "description": "The ids, names and numbers that the detail mentions.",
            "additionalProperties": True,
        },
    },
}

# name -> status, description
_RESPONSES: dict[str, tuple[int, str]] = {
    "Invalid": (400, "A field, parameter or header is not valid; `errors` says which. Nothing was done."),
    "NotAuthenticated": (401, "No key, or one that is unknown, expired or revoked."),
    "NotPermitted": (403, "The key's roles do not allow it; the detail names those that do."),
    "NotFound": (404, "The item does not exist, or you may not see it. Both cases look the same."),
    "NotAcceptable": (406, "The Accept header excludes every type that this address can return."),
    "Conflict": (409, "The current state does not allow it, or the same request is being processed (see Retry-After)."),
    "Gone": (410, "The data for the answer was removed for good; the detail says with what."),
    "PreconditionFailed": (412, "It has changed since you read it. Nothing was done; get it again."),
    "TooLarge": (413, "The body, the file or the question is too large."),
    "UnsupportedMediaType": (415, "This address does not accept the Content-Type."),
    "RangeNotSatisfiable": (416, "The Range begins after the last byte."),
    "KeyReused": (422, "You used the Idempotency-Key for a different request."),
    "Throttled": (429, "Too many requests; wait as long as Retry-After says."),
    "Internal": (
        500,
        "A defect in Glassbox. It was logged. Nothing was changed. A question may have reached a model: see the log.",
    ),
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
        "A text that you choose, different for every new request, such as a UUID. If you repeat the request with the "
        "same key within 24 hours, it is carried out only once, and you get the first answer again with "
        f"`{REPLAYED_HEADER}: true`."
    ),
    "schema": {"type": "string", "minLength": 1, "maxLength": 255},
}
# Their answers are not kept for a replay: see idempotency.py.
_QUESTIONS = ("/query/", "/search/")
_IDEMPOTENCY_KEY_OF_A_QUESTION: Json = {
    **_IDEMPOTENCY_KEY,
    "description": (
        "A text that you choose, different for every new question. Answers are not kept, because they may quote what "
        "an erasure must reach. So a repeated question is answered and recorded again, and the response header "
        f"`{REPEATS_HEADER}` names the event of the first one. Nothing else happens twice, because a question "
        "changes nothing."
    ),
}
_WRITES = frozenset({"post", "put", "patch", "delete"})
_REQUEST_ID: Json = {
    "X-Request-ID": {
        "description": "Names this request in our logs. Quote it when you report something.",
        "schema": {"type": "string"},
    }
}
_RETRY_AFTER: Json = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}},
}
_LOCATION: Json = {
    "Location": {
        "description": "The address of what was made.",
        "schema": {"type": "string", "format": "uri-reference"},
    }
}
_REPLAYED: Json = {
    REPLAYED_HEADER: {
        "description": "true if this is the answer to an earlier request with the same Idempotency-Key.",
        "schema": {"type": "string", "enum": ["true"]},
    }
}
_REPEATS: Json = {
    REPEATS_HEADER: {
        "description": "The event of the question that was first asked with this Idempotency-Key.",
        "schema": {"type": "string", "format": "uuid"},
    }
}
_OF_A_PART: Json = {
    "Content-Range": {"description": "Which bytes these are, out of how many.", "schema": {"type": "string"}},
}
_OF_A_FILE: Json = {
    "Content-Disposition": {"description": "attachment, with the filename.", "schema": {"type": "string"}},
}
_ETAG: Json = {
    "ETag": {
        "description": "The ETag of the answer; send it with If-Match or If-None-Match.",
        "schema": {"type": "string"},
    }
}
_IF_NONE_MATCH: Json = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "An ETag. If it still matches, the answer is 304 without a body.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 1000},
}
_IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag that you read. If it no longer matches, nothing is done and the answer is 412.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 1000},
}
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
    components["responses"] = {name: _response(name) for name in _RESPONSES}
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
        operation["responses"].setdefault(str(_RESPONSES[name][0]), {"$ref": f"#/components/responses/{name}"})
    operation["responses"] = dict(sorted(operation["responses"].items()))
    for response in operation["responses"].values():
        if response.get("description") == "":
            response["description"] = "What was asked for."
    if path in _TAGGED:
        operation.setdefault("parameters", []).append(_IF_MATCH if method in _WRITES else _IF_NONE_MATCH)
        if method not in _WRITES:
            operation["responses"]["304"] = {"description": "It is what you have."}
    for status, response in operation["responses"].items():
        if "$ref" not in response:
            response["headers"] = {**response.get("headers", {}), **_headers_of(path, method, int(status), response)}
    if method in _WRITES:
        parameter = _IDEMPOTENCY_KEY_OF_A_QUESTION if path.endswith(_QUESTIONS) else _IDEMPOTENCY_KEY
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
    headers = dict(_REQUEST_ID)
    if method in _WRITES:
        headers |= _REPEATS if path.endswith(_QUESTIONS) else _REPLAYED
    if path in _TAGGED and method not in _WRITES:
        headers |= _ETAG
    if status in (201, 202):
        headers |= _LOCATION
    if any(content["schema"].get("format") == "binary" for content in response.get("content", {}).values()):
        headers |= _OF_A_FILE
    if path.endswith("/documents/{id}/content/") and status < 300:
        headers |= _ETAG | (_OF_A_PART if status == 206 else {})
    return headers


def _declare_lists(operation: Json, schemas: Json) -> None:
    """How a list is sent in a form: its name repeated. In an address it is one of choices, each named once."""
    for parameter in operation.get("parameters", []):
        if "enum" in parameter["schema"].get("items", {}):
            parameter["schema"] |= {"uniqueItems": True, "maxItems": len(parameter["schema"]["items"]["enum"])}
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
        "description": _RESPONSES[name][1],
        "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    response["headers"] = {**_REQUEST_ID, **(_RETRY_AFTER if name in _WITH_RETRY_AFTER else {})}
    return response
