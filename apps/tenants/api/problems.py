"""Errors as RFC 9457 problem details: one shape for every failure of the API."""

from __future__ import annotations

import logging
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404
from rest_framework import exceptions, status
from rest_framework.response import Response
from rest_framework.views import set_rollback

from apps.errors import ApplicationError

CONTENT_TYPE = "application/problem+json"

logger = logging.getLogger("glassbox.api")


def problem(*, status_code: int, code: str, title: str, detail: str, **extensions: Any) -> Response:
    """A problem response: type, title, status, detail, code, and what the error carries."""
    body = {
        "type": f"urn:glassbox:error:{code}",
        "title": title,
        "status": status_code,
        "detail": detail,
        "code": code,
        **extensions,
    }
    return Response(body, status=status_code, content_type=CONTENT_TYPE)


def problem_handler(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's EXCEPTION_HANDLER. Unknown exceptions stay exceptions: Django logs them and answers 500."""
    set_rollback()
    if isinstance(error, ApplicationError):
        response = problem(
            status_code=error.status,
            code=error.code,
            title=_title(error.status),
            detail=error.detail,
            **({"data": {k: str(v) for k, v in error.data.items()}} if error.data else {}),
        )
        if error.status == status.HTTP_401_UNAUTHORIZED:
            response["WWW-Authenticate"] = 'Bearer realm="glassbox"'
        if error.status >= status.HTTP_500_INTERNAL_SERVER_ERROR:
            logger.error("%s", error.code)
        return response
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    elif isinstance(error, PermissionDenied):
        error = exceptions.PermissionDenied()
    elif isinstance(error, ValidationError):
        error = exceptions.ValidationError(
            detail=error.message_dict if hasattr(error, "error_dict") else error.messages
        )
    if not isinstance(error, exceptions.APIException):
        return None
    return _from_drf(error)


def _from_drf(error: exceptions.APIException) -> Response:
    extensions: dict[str, Any] = {}
    detail = "Some fields are not valid; see errors."
    if isinstance(error, exceptions.ValidationError):
        fields = error.detail if isinstance(error.detail, dict) else {"non_field_errors": error.detail}
        extensions["errors"] = fields
        code = "validation_error"
    else:
        detail = str(error.detail)
        code = str(error.default_code)
    response = problem(
        status_code=error.status_code, code=code, title=_title(error.status_code), detail=detail, **extensions
    )
    if isinstance(error, exceptions.NotAuthenticated | exceptions.AuthenticationFailed):
        response["WWW-Authenticate"] = 'Bearer realm="glassbox"'
    wait = getattr(error, "wait", None)
    if wait:
        response["Retry-After"] = str(int(wait) + 1)
    return response


def _title(status_code: int) -> str:
    titles = {
        400: "The request is not valid",
        401: "Not authenticated",
        403: "Not permitted",
        404: "Not found",
        405: "Method not allowed",
        409: "Conflict",
        413: "Too large",
        415: "Unsupported media type",
        422: "Can't be processed",
        429: "Too many requests",
        503: "Temporarily unavailable",
    }
    return titles.get(status_code, "Error")
