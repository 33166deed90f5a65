"""The addresses that are for a supervisor, a load balancer and a monitoring system.

First of all middleware: they are asked by a machine on the inside, by whatever name and without TLS, and answered
without a session, a cookie and a redirect. Only HEAD and GET.
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
    """This process takes requests and answers them. It asks nobody: a restart would bring no database back."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


def ready(request: HttpRequest) -> HttpResponse:
    """Whether requests should be sent here. Without Redis they should: questions are answered without it."""
    found = readiness()
    checks = {part.value: PartState.OK if works else PartState.FAILED for part, works in found.items()}
    if is_ready(found):
        return JsonResponse({"status": "ready", "checks": checks})
    return JsonResponse({"status": "not ready", "checks": checks}, status=503, headers={"Retry-After": _RETRY_AFTER_S})


def release(request: HttpRequest) -> HttpResponse:
    """Which release answers, and whether the database's tables are its own."""
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
        # As Django's own middleware, which comes later, does for everything else.
        response["Content-Length"] = str(len(response.content))
        return response
