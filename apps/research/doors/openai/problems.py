"""A problem, with the error of the OpenAI API in it: clients of either find what they look for."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any, Final

from rest_framework.response import Response

from apps.tenants.api.problems import problem_handler

_TYPES: Final[Mapping[int, str]] = {
    HTTPStatus.UNAUTHORIZED: "authentication_error",
    HTTPStatus.FORBIDDEN: "permission_error",
    HTTPStatus.CONFLICT: "conflict_error",
    HTTPStatus.TOO_MANY_REQUESTS: "rate_limit_error",
}
# Names that clients of that API look for, in the place of ours. The problem around it has ours.
_CODES: Final[Mapping[str, str]] = {
    "tenants.invalid_api_key": "invalid_api_key",
    "api.not_authenticated": "invalid_api_key",
    "api.throttled": "rate_limit_exceeded",
    "research.model_unknown": "model_not_found",
}


def error_of(problem: Mapping[str, Any]) -> dict[str, Any]:
    """Return the problem as `{message, type, param, code}`."""
    status, code = int(problem["status"]), str(problem["code"])
    fallback = "server_error" if status >= HTTPStatus.INTERNAL_SERVER_ERROR else "invalid_request_error"
    return {
        "message": problem["detail"],
        "type": _TYPES.get(status, fallback),
        "param": next(iter(problem.get("errors", {})), "model" if code == "research.model_unknown" else None),
        "code": _CODES.get(code, code),
    }


def compatible_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler of these addresses. Returns: as problem_handler, with `error` beside the problem."""
    response = problem_handler(error, context)
    if response is not None:
        response.data["error"] = error_of(response.data)
    return response
