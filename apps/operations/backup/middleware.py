"""Answer no request from a restored database until later erasures were repeated in it."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus
from typing import Final

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.loader import render_to_string

from apps.erasure.tombstones.gate import refuse_unless_served
from apps.errors import ApplicationError
from apps.tenants.api.error_pages import database_unavailable, problem_response
from config.addresses import is_for_programs

# Monitoring must be able to distinguish a closed installation from one that is down.
_HEALTH: Final = "/api/v1/health/"
_RETRY_AFTER_S: Final = "60"


class ServingMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path != _HEALTH:
            try:
                refuse_unless_served()
            except ApplicationError as error:
                return _refusal(request, error)
            except (OperationalError, InterfaceError):
                # The part that found it out logged it once (config/reach.py), so it is not logged for every request.
                return database_unavailable(request)
        return self.get_response(request)


def _refusal(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    """Return a refusal, as a page without the admin's frame for people, since the frame would query the database."""
    if is_for_programs(request.path):
        response = problem_response(status=HTTPStatus.SERVICE_UNAVAILABLE, code=error.code, detail=error.detail)
    else:
        page = render_to_string(
            "glassbox/not_served.html", {"detail": error.detail, "CSP_NONCE": getattr(request, "csp_nonce", "")}
        )
        response = HttpResponse(page, status=HTTPStatus.SERVICE_UNAVAILABLE, headers={"Cache-Control": "no-store"})
    response["Retry-After"] = _RETRY_AFTER_S
    return response
