"""Which web pages of other origins may call the API from a browser: those that GLASSBOX_CORS_ORIGINS names, exactly.

They send a key of their own. Cookies are never allowed, so nobody's session is used from a page of another site. What
is not named gets no header, and the browser keeps the answer from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

_API: Final = "/api/"
# As a browser sends it: in small letters, without a path, and without the port that its scheme has anyway.
_ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?")
_USUAL_PORT: Final = re.compile(r"http:.*:80|https:.*:443")
_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_ASKED: Final = ", ".join(
    (
        *("Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range"),
        *("Range", "X-Request-ID"),
    )
)
_TOLD: Final = ", ".join(
    (
        *("Accept-Ranges", "Content-Disposition", "Content-Range", "Deprecation", "ETag", "Glassbox-Repeats-Event"),
        *("Idempotent-Replayed", "Link", "Location", "Repr-Digest", "Retry-After", "Sunset", "WWW-Authenticate"),
        "X-Request-ID",
    )
)
# Two hours: no browser keeps an answer for longer.
_KEPT_FOR_S: Final = "7200"


def is_origin(text: str) -> bool:
    """Whether a browser could send this as an Origin that one may trust: no pattern, no path, and not null."""
    return _ORIGIN.fullmatch(text) is not None and _USUAL_PORT.fullmatch(text) is None


class CorsMiddleware:
    """Before whatever answers by itself: a page must be able to read why it was refused, or that it is to wait."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        origins: Collection[str] = settings.GLASSBOX_CORS_ORIGINS
        if not origins or not request.path.startswith(_API):
            return self.get_response(request)
        origin = request.headers.get("Origin", "")
        is_allowed = origin in origins and is_origin(origin)
        is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        response = _preflight() if is_allowed and is_preflight else self.get_response(request)
        # Also of a refused one: no cache gives one origin the other's answer.
        patch_vary_headers(response, ("Origin",))
        if is_allowed:
            response["Access-Control-Allow-Origin"] = origin
            response["Access-Control-Expose-Headers"] = _TOLD
        return response


def _preflight() -> HttpResponse:
    """A browser asks by itself, without the key, whether the page may send what it wants to."""
    answer = HttpResponse(status=204)
    answer["Access-Control-Allow-Methods"] = _METHODS
    answer["Access-Control-Allow-Headers"] = _ASKED
    answer["Access-Control-Max-Age"] = _KEPT_FOR_S
    patch_vary_headers(answer, ("Access-Control-Request-Method", "Access-Control-Request-Headers"))
    return answer
