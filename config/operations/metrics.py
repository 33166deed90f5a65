"""The /metrics page: counts and times of the whole platform, in Prometheus' format.

The web processes of gunicorn share files in a directory that config/gunicorn.py makes. Workers count in Redis
(apps/tenants/tally.py). No metric names a tenant or a person, or contains text that a person wrote.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Iterator
from contextlib import contextmanager
from ipaddress import ip_address
from typing import Any, Final

from django.conf import settings
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

DIRECTORY: Final = "PROMETHEUS_MULTIPROC_DIR"
_METHODS: Final = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_DURATION: Final = Histogram(
    "glassbox_request_duration_seconds",
    "How long a request took until its answer began.",
    ("method", "route", "status"),
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0),
)
_IN_FLIGHT: Final = Gauge("glassbox_requests_in_flight", "Requests being answered.", multiprocess_mode="livesum")
_POOL: Final = Gauge(
    "glassbox_database_connections", "Of the web processes' pools.", ("state",), multiprocess_mode="livesum"
)


@contextmanager
def in_flight() -> Iterator[None]:
    _IN_FLIGHT.inc()
    try:
        yield
    finally:
        _IN_FLIGHT.dec()


def answered(*, method: str, route: str, status: int, seconds: float) -> None:
    _DURATION.labels(method if method in _METHODS else "other", route, str(status)).observe(seconds)
    pool = getattr(connections["default"], "pool", None)
    if pool is None:
        return
    stats: dict[str, int] = pool.get_stats()
    size, idle = stats.get("pool_size", 0), stats.get("pool_available", 0)
    _POOL.labels("in_use").set(max(0, size - idle))
    _POOL.labels("idle").set(idle)
    _POOL.labels("waited_for").set(stats.get("requests_waiting", 0))


def metrics_view(request: HttpRequest) -> HttpResponse:
    """Answer with the metrics, or with 404 if the caller may not read them."""
    if not _may_ask(request):
        return HttpResponseNotFound("Not found\n", content_type="text/plain; charset=utf-8")
    return HttpResponse(_exposition(), content_type=CONTENT_TYPE_LATEST)


def _may_ask(request: HttpRequest) -> bool:
    """Check the token. Without a configured token, allow only this machine, and only if no proxy is in front."""
    token: str = settings.GLASSBOX_METRICS_TOKEN
    if token:
        scheme, _, given = request.headers.get("Authorization", "").partition(" ")
        return scheme.lower() == "bearer" and hmac.compare_digest(given.strip().encode(), token.encode())
    if settings.GLASSBOX_PROXIES or "X-Forwarded-For" in request.headers or "Forwarded" in request.headers:
        return False
    try:
        return ip_address(request.META.get("REMOTE_ADDR", "")).is_loopback
    except ValueError:
        return False


def _exposition() -> bytes:
    # Imported here because it imports the state of the apps, and this module is loaded with the middleware of every
    # request.
    from config.operations.platform_state import PlatformState

    whole = CollectorRegistry()
    whole.register(PlatformState())
    if os.environ.get(DIRECTORY):
        multiprocess.MultiProcessCollector(whole)  # type: ignore[no-untyped-call]
        return generate_latest(whole)
    own: Any = REGISTRY
    return generate_latest(own) + generate_latest(whole)
