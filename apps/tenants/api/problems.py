"""Errors as RFC 9457 problem details: one shape for every failure of the API."""

from __future__ import annotations

import logging
import math
from collections.abc import Mapping
from dataclasses import asdict, is_dataclass
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation, ValidationError
from django.http import Http404
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import set_rollback

from apps.errors import ApplicationError
from apps.tenants.api.errors import RequestRefusedError
from config.operations import request_id

CONTENT_TYPE = "application/problem+json"
# Of what is away, and nobody can say for how long.
RETRY_AFTER_S = 5
AUTHENTICATE = 'Bearer realm="glassbox"'
_TITLES: Mapping[int, str] = {
    400: "The request is not valid",
    401: "Not authenticated",
    403: "Not permitted",
    404: "Not found",
    409: "Conflict",
    413: "Too large",
    422: "Can't be processed",
    429: "Too many requests",
    500: "Something failed on our side",
    503: "Temporarily unavailable",
}

# The page of apps/retrieval/api/problem_types.py.
PROBLEM_TYPES = "/api/v1/problems/"
# What is told by no error of ours, but by the framework or where no view could answer: status, and what to do.
FRAMEWORK_PROBLEMS: Mapping[str, tuple[int, str]] = {
    "api.bad_request": (400, "The request is malformed. Send it as the OpenAPI document describes it."),
    "api.invalid": (
        400,
        "A field, a parameter or a header is not valid, unknown, empty or sent twice. `errors` says which and why. "
        "Correct it and send the request again.",
    ),
    "api.parse_error": (400, "The body does not match its Content-Type. The detail says where reading failed."),
    "api.not_authenticated": (401, "Send an API key in the header `Authorization: Bearer gbx_...`."),
    "api.permission_denied": (
        403,
        "You may not do this. If you are signed in by a browser, a write also needs the CSRF token.",
    ),
    "api.not_found": (404, "There is nothing at this address, or nothing that you may see. Both cases look the same."),
    "api.method_not_allowed": (
        405,
        "The address does not accept this method. The header Allow names the accepted ones.",
    ),
    "api.not_acceptable": (
        406,
        "The Accept header excludes every type that this address can return. Name one of these types.",
    ),
    "api.unsupported_media_type": (
        415,
        "This address does not accept the Content-Type. The detail says what it accepts.",
    ),
    "api.throttled": (429, "Too many requests. Wait for as many seconds as Retry-After says."),
    "api.internal": (
        500,
        "A defect in Glassbox. It was logged. Nothing was changed. A question may have reached a model: see the log.",
    ),
    "api.database_unavailable": (503, "The database can't be reached. Try again after Retry-After."),
    "api.unavailable": (503, "A part that every answer needs does not work; `checks` says which. Try again later."),
}

# Which header an error complains about, on whatever address: by its code.
_OF_HEADERS: Mapping[str, str] = {
    "api.idempotency_key_invalid": "Idempotency-Key",
    "api.precondition_failed": "If-Match",
    "api.range_not_satisfiable": "Range",
}
_OF_A_FIELD = frozenset({HTTPStatus.NOT_FOUND, HTTPStatus.UNSUPPORTED_MEDIA_TYPE, HTTPStatus.UNPROCESSABLE_ENTITY})

logger = logging.getLogger("glassbox.api")


def type_url(code: str) -> str:
    """Where a problem is explained, whatever host the request named: one problem has one type."""
    return f"{settings.GLASSBOX_URL.rstrip('/')}{PROBLEM_TYPES}#{code}"


def title_of(status: int) -> str:
    return _TITLES.get(status) or HTTPStatus(status).phrase


def problem_body(*, status: int, code: str, detail: str, **extensions: Any) -> dict[str, Any]:
    """type, title, status, detail, code, and what the error carries beside them."""
    return {
        "type": type_url(code),
        "title": title_of(status),
        "status": status,
        "detail": detail,
        "code": code,
        # So that whoever asks for help can name it, and whoever helps can find it in the logs.
        **({"request_id": request_id.current()} if request_id.current() else {}),
        **extensions,
    }


def problem_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER: undo what the view did, and say what went wrong.

    Returns: None for an exception that nobody foresaw: Django logs it, and error_pages.py answers.
    """
    view = context.get("view")
    response = _of_application(error, view) if isinstance(error, ApplicationError) else _of_framework(error, view)
    # A view that opens its own scopes has left them, and its transactions with them.
    if response is not None and not getattr(view, "opens_own_scopes", False):
        set_rollback()
    return response


def _of_application(error: ApplicationError, view: object) -> Response:
    if error.status == HTTPStatus.INTERNAL_SERVER_ERROR:
        # A defect of ours: its message is for the log, not for a stranger.
        logger.error("%s: %s", error.code, error)
        return _problem(status=500, code=error.code, detail="The failure was logged. Tell your administrator the code.")
    extensions: dict[str, Any] = {}
    status = error.status
    named: Mapping[type[Exception], str] = getattr(view, "field_of_error", {})
    by_code: Mapping[str, str] = {**getattr(view, "field_of_code", {}), **_OF_HEADERS}
    field = by_code.get(error.code) or next((name for kind, name in named.items() if isinstance(error, kind)), "")
    if field:
        extensions["errors"] = {field: [error.detail]}
        # The address is there and the content type is right; it is a field of the request that is not.
        status = 400 if status in _OF_A_FIELD else status
    if error.data:
        extensions["data"] = {name: _plain(value) for name, value in error.data.items()}
    response = _problem(status=status, code=error.code, detail=error.detail, **extensions)
    retry_after = retry_after_seconds(error)
    if retry_after is not None:
        response["Retry-After"] = str(retry_after)
    return response


def retry_after_seconds(error: ApplicationError) -> int | None:
    """What is away now may be back in a moment; how long else one waits, the error says. None: waiting is no help."""
    seconds: float | None = getattr(error, "retry_after_seconds", None)
    if seconds is None:
        return RETRY_AFTER_S if error.status == HTTPStatus.SERVICE_UNAVAILABLE else None
    return math.ceil(seconds)


def _of_framework(error: Exception, view: object) -> Response | None:
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, ValidationError):
        error = exceptions.ValidationError(
            detail=error.message_dict if hasattr(error, "error_dict") else error.messages
        )
    elif isinstance(error, RequestDataTooBig):
        return _of_application(
            RequestRefusedError("api.body_too_large", limit_bytes=settings.DATA_UPLOAD_MAX_MEMORY_SIZE), view
        )
    elif isinstance(error, SuspiciousOperation):
        error = exceptions.ParseError("The request is malformed.")
    if not isinstance(error, exceptions.APIException):
        return None
    code = f"api.{error.default_code}"
    if isinstance(error, exceptions.ValidationError):
        errors = field_errors(error.detail)
        return _problem(status=400, code=code, detail=_summary(errors), errors=errors)
    response = _problem(status=error.status_code, code=code, detail=_advice(error, view))
    wait = getattr(error, "wait", None)
    if wait is not None:
        response["Retry-After"] = str(math.ceil(wait))
    return response


def field_errors(detail: Any, path: str = "") -> dict[str, list[str]]:
    """DRF's nested errors, flat: messages by field, with the place in a list or object after a dot (`scopes.0`)."""
    if isinstance(detail, Mapping):
        found: dict[str, list[str]] = {}
        for name, inner in detail.items():
            found.update(field_errors(inner, f"{path}.{name}" if path else str(name)))
        return found
    if isinstance(detail, list):
        nested = [inner for inner in detail if isinstance(inner, Mapping | list)]
        if nested:
            return field_errors({str(place): inner for place, inner in enumerate(detail) if inner}, path)
        return {path or "non_field_errors": [str(message) for message in detail]}
    return {path or "non_field_errors": [str(detail)]}


def _problem(*, status: int, code: str, detail: str, **extensions: Any) -> Response:
    response = Response(
        problem_body(status=status, code=code, detail=detail, **extensions), status=status, content_type=CONTENT_TYPE
    )
    if status == HTTPStatus.UNAUTHORIZED:
        response["WWW-Authenticate"] = AUTHENTICATE
    return response


def _summary(errors: Mapping[str, list[str]]) -> str:
    """The first complaint in full, so that a log line with nothing but the detail is of use."""
    field, messages = next(iter(errors.items()))
    more = sum(len(each) for each in errors.values()) - 1
    place = "" if field == "non_field_errors" else f"{field}: "
    return f"{place}{messages[0]}" + (f" ({more} more in errors.)" if more else "")


def _advice(error: exceptions.APIException, view: object) -> str:
    """What DRF says, and what to do about it where DRF leaves that open."""
    if isinstance(error, exceptions.NotAuthenticated):
        return "Send an API key in the header `Authorization: Bearer gbx_...`."
    if isinstance(error, exceptions.NotFound) and error.detail == exceptions.NotFound.default_detail:
        return "There is nothing at this address that you may see."
    if isinstance(error, exceptions.UnsupportedMediaType):
        accepted = ", ".join(parser.media_type for parser in getattr(view, "parser_classes", ()))
        return f"{error.detail} Send {accepted}."
    return str(error.detail)


def _plain(value: object) -> Any:
    """As JSON: what is wrong at several places stays a list, and a place an object."""
    if isinstance(value, tuple | list):
        return [_plain(each) for each in value]
    if is_dataclass(value) and not isinstance(value, type):
        return {name: _plain(each) for name, each in asdict(value).items()}
    return value if isinstance(value, str | int | float | bool | None) else str(value)
