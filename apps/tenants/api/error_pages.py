"""What is answered where no view could: Django's own pages for people, problem details at the addresses of programs.

Django calls these (config/urls.py names them) after it has logged the failure; an exception in a middleware, such as
a database that is down, ends here as well.
"""

from __future__ import annotations

import sys
from typing import Any

from django.core.exceptions import RequestDataTooBig
from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.views import defaults

from apps.tenants.api.problems import CONTENT_TYPE, RETRY_AFTER_S, problem_body
from config.addresses import is_for_programs


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_for_programs(request.path):
        return defaults.bad_request(request, exception)
    if isinstance(exception, RequestDataTooBig):
        return problem_response(status=413, code="api.body_too_large", detail="The body is too large.")
    return problem_response(status=400, code="api.bad_request", detail="The request is malformed.")


def permission_denied(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_for_programs(request.path):
        return defaults.permission_denied(request, exception)
    return problem_response(status=403, code="api.permission_denied", detail="This is not permitted.")


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not is_for_programs(request.path):
        return defaults.page_not_found(request, exception)
    return problem_response(
        status=404, code="api.unknown_address", detail="There is no such address. The API is at /api/v1/."
    )


def server_error(request: HttpRequest) -> HttpResponse:
    if isinstance(sys.exc_info()[1], OperationalError | InterfaceError):
        return database_unavailable(request)
    if not is_for_programs(request.path):
        return defaults.server_error(request)
    return problem_response(
        status=500,
        code="api.internal",
        detail="The failure was logged. Nothing was changed. A question may have reached a model: see the log.",
    )


def database_unavailable(request: HttpRequest) -> HttpResponse:
    """A problem for programs, a page for people: neither asks the database for anything."""
    response: HttpResponse
    if is_for_programs(request.path):
        response = problem_response(
            status=503, code="api.database_unavailable", detail="The database can't be reached. Try again in a moment."
        )
    else:
        response = HttpResponse(render_to_string("503.html"), status=503, headers={"Cache-Control": "no-store"})
    response["Retry-After"] = str(RETRY_AFTER_S)
    return response


def problem_response(*, status: int, code: str, detail: str, **extensions: Any) -> HttpResponse:
    """A problem without DRF, whose machinery may be what failed."""
    return JsonResponse(
        problem_body(status=status, code=code, detail=detail, **extensions),
        status=status,
        content_type=CONTENT_TYPE,
        headers={"Cache-Control": "no-store"},
    )
