"""The addresses for a supervisor, a load balancer and a monitoring system.

This is the first of all middleware (but for the naming of requests): machines inside the network call these addresses,
by any host name and without TLS, and are answered without a session, a cookie or a redirect. Only HEAD and GET.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.http.response import HttpResponseBase

from apps.tenants.api.probes import Part, PartState, is_ready, readiness
from config.operations.metrics import metrics_view
from config.release import commit, version

_RETRY_AFTER_S: Final = "2"


def alive(request: HttpRequest) -> HttpResponse:
    """Answer that this process accepts requests. It checks nothing else, because a restart would not bring a database
    back.
    """
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


def ready(request: HttpRequest) -> HttpResponse:
    """Answer whether requests should be sent here. Redis is not required, because questions are answered without it."""
    found = readiness()
    checks = {part.value: PartState.OK if works else PartState.FAILED for part, works in found.items()}
    if is_ready(found):
        return JsonResponse({"status": "ready", "checks": checks})
    return JsonResponse({"status": "not ready", "checks": checks}, status=503, headers={"Retry-After": _RETRY_AFTER_S})


def release(request: HttpRequest) -> HttpResponse:
    """Answer which release this is, and whether the database's tables belong to it."""
    found = readiness()
    schema = "unknown" if not found[Part.DATABASE] else "current" if found[Part.MIGRATIONS] else "of another release"
    return JsonResponse({"release": version(), "commit": commit() or None, "schema": schema})


_VIEWS: Final[Mapping[str, Callable[[HttpRequest], HttpResponse]]] = {
    "/livez": alive,
    "/readyz": ready,
    "/version": release,
    "/metrics": metrics_view,
}


class OperationsMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = _VIEWS.get(request.path)
        if view is None:
            return self.get_response(request)
        response = view(request) if request.method in ("GET", "HEAD") else HttpResponseNotAllowed(["GET", "HEAD"])
        response["Cache-Control"] = "no-store"
        # Django's own middleware, which comes later, sets this for all other answers.
        response["Content-Length"] = str(len(response.content))
        return response
