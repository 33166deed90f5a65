"""The middleware around every request: its name, its duration, one line in the access log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.operations import metrics, request_id

logger = logging.getLogger("glassbox.access")

# Machines request these every few seconds, which would hide people's requests in the log.
_OWN: Final = frozenset({"/livez", "/readyz", "/metrics", "/version"})


class RequestMiddleware:
    """Names, measures and logs each request.

    It logs and counts the route and never the address, which may contain a link's secret or a search term.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        name = request_id.accepted(request.headers.get(request_id.HEADER))
        with request_id.named(name):
            response = self.get_response(request) if request.path in _OWN else self._measured(request)
        response[request_id.HEADER] = name
        return response

    def _measured(self, request: HttpRequest) -> HttpResponseBase:
        began = perf_counter()
        with metrics.in_flight():
            response = self.get_response(request)
        took_s = perf_counter() - began
        route = _route(request)
        metrics.answered(method=request.method or "", route=route, status=response.status_code, seconds=took_s)
        logger.info(
            "%s %s %d in %.0f ms",
            request.method,
            route,
            response.status_code,
            took_s * 1000,
            extra={
                "method": request.method,
                "route": route,
                "status": response.status_code,
                "duration_ms": round(took_s * 1000, 1),
            },
        )
        return response


def _route(request: HttpRequest) -> str:
    """Return the route as urls.py names it.

    Static files count as one route and unknown addresses as another, so that a stranger can't create new time series.
    """
    match = request.resolver_match
    if match is not None:
        return f"/{match.route}"
    return "static" if request.path.startswith("/static/") else "none"
