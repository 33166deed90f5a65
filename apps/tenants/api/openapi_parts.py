"""Parts of the OpenAPI document that many operations share: the problem, its responses, headers and parameters."""

from __future__ import annotations

from typing import Any

from apps.tenants.api.idempotency import HEADER, REPEATS_HEADER, REPLAYED_HEADER

Json = dict[str, Any]

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
RESPONSES: dict[str, tuple[int, str]] = {
    "Invalid": (400, "A field, parameter or header is not valid; `errors` says which. Nothing was done."),
    "NotAuthenticated": (401, "No key, or one that is unknown, expired or revoked."),
    "NotPermitted": (403, "The key's roles do not allow it; the detail names those that do."),
    "NotFound": (404, "The item does not exist, or you may not see it. Both cases look the same."),
    "NotAcceptable": (406, "The Accept header excludes every type that this address can return."),
    "Conflict": (409, "The current state does not allow it, or the same request is being processed (see Retry-After)."),
    "Ambiguous": (409, "Several may be meant; `data` lists them. Ask again for one of them."),
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
WITH_RETRY_AFTER = frozenset({"Conflict", "Throttled", "Unavailable"})
IDEMPOTENCY_KEY: Json = {
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
IDEMPOTENCY_KEY_OF_A_QUESTION: Json = {
    **IDEMPOTENCY_KEY,
    "description": (
        "A text that you choose, different for every new question. Answers are not kept, because they may quote what "
        "an erasure must reach. So a repeated question is answered and recorded again, and the response header "
        f"`{REPEATS_HEADER}` names the event of the first one. Nothing else happens twice, because a question "
        "changes nothing."
    ),
}
REQUEST_ID: Json = {
    "X-Request-ID": {
        "description": "Names this request in our logs. Quote it when you report something.",
        "schema": {"type": "string"},
    }
}
RETRY_AFTER: Json = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 0}},
}
LOCATION: Json = {
    "Location": {
        "description": "The address of what was made.",
        "schema": {"type": "string", "format": "uri-reference"},
    }
}
REPLAYED: Json = {
    REPLAYED_HEADER: {
        "description": "true if this is the answer to an earlier request with the same Idempotency-Key.",
        "schema": {"type": "string", "enum": ["true"]},
    }
}
REPEATS: Json = {
    REPEATS_HEADER: {
        "description": "The event of the question that was first asked with this Idempotency-Key.",
        "schema": {"type": "string", "format": "uuid"},
    }
}
OF_A_PART: Json = {
    "Content-Range": {"description": "Which bytes these are, out of how many.", "schema": {"type": "string"}},
}
OF_A_FILE: Json = {
    "Content-Disposition": {"description": "attachment, with the filename.", "schema": {"type": "string"}},
}
ETAG: Json = {
    "ETag": {
        "description": "The ETag of the answer; send it with If-Match or If-None-Match.",
        "schema": {"type": "string"},
    }
}
IF_NONE_MATCH: Json = {
    "name": "If-None-Match",
    "in": "header",
    "required": False,
    "description": "An ETag. If it still matches, the answer is 304 without a body.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 1000},
}
IF_MATCH: Json = {
    "name": "If-Match",
    "in": "header",
    "required": False,
    "description": "The ETag that you read. If it no longer matches, nothing is done and the answer is 412.",
    "schema": {"type": "string", "minLength": 1, "maxLength": 1000},
}
