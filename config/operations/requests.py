"""Around every request: its name, how long it took, one line in the access log."""

from __future__ import annotations

import logging
from collections.abc import Callable
from time import perf_counter
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.operations import metrics, request_id

logger = logging.getLogger("glassbox.access")

# Asked every few seconds by machines: they would drown what people do.
_OWN: Final = frozenset({"/livez", "/readyz", "/metrics", "/version"})


class RequestMiddleware:
    """The route is logged and counted, never the address: one may hold a link's secret, or what was searched for."""

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
    """As urls.py names it. Files and addresses that nobody has are one each: a stranger makes no new series."""
    match = request.resolver_match
    if match is not None:
        return f"/{match.route}"
    return "static" if request.path.startswith("/static/") else "none"
