"""Which web pages of other origins may call the API from a browser: exactly those in GLASSBOX_CORS_ORIGINS.

Such pages send their own key. Cookies are never allowed, so no page of another site can use a member's session. An
origin that is not listed gets no header, and the browser withholds the answer from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import patch_vary_headers

from config.addresses import is_for_programs

# The form in which a browser sends an origin: in lower case, without a path, and without the default port of its
# scheme.
_ORIGIN: Final = re.compile(r"https?://(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?")
_USUAL_PORT: Final = re.compile(r"http:.*:80|https:.*:443")
_METHODS: Final = "GET, HEAD, POST, PUT, PATCH, DELETE"
_ASKED: Final = ", ".join(
    (
        *("Accept", "Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range"),
        *("Mcp-Method", "Mcp-Name", "Mcp-Protocol-Version", "Range", "X-Request-ID"),
    )
)
_TOLD: Final = ", ".join(
    (
        *("Accept-Ranges", "Content-Disposition", "Content-Range", "Deprecation", "ETag", "Glassbox-Repeats-Event"),
        *("Idempotent-Replayed", "Link", "Location", "Repr-Digest", "Retry-After", "Sunset", "WWW-Authenticate"),
        "X-Request-ID",
    )
)
# Two hours, since no browser keeps an answer for longer.
_KEPT_FOR_S: Final = "7200"


def is_origin(text: str) -> bool:
    """Return whether a browser could send this as a trustworthy Origin: no pattern, no path, and not null."""
    return _ORIGIN.fullmatch(text) is not None and _USUAL_PORT.fullmatch(text) is None


class CorsMiddleware:
    """Adds CORS headers. It runs before middleware that may answer, so that a page can read why it was refused."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        origins: Collection[str] = settings.GLASSBOX_CORS_ORIGINS
        if not origins or not is_for_programs(request.path):
            return self.get_response(request)
        origin = request.headers.get("Origin", "")
        is_allowed = origin in origins and is_origin(origin)
        is_preflight = request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers
        response = _preflight() if is_allowed and is_preflight else self.get_response(request)
        # Set this on refusals too, so that no cache gives one origin the answer of another.
        patch_vary_headers(response, ("Origin",))
        if is_allowed:
            response["Access-Control-Allow-Origin"] = origin
            response["Access-Control-Expose-Headers"] = _TOLD
        return response


def _preflight() -> HttpResponse:
    """Answer a preflight request, which a browser sends without the key to ask what the page may send."""
    answer = HttpResponse(status=204)
    answer["Access-Control-Allow-Methods"] = _METHODS
    answer["Access-Control-Allow-Headers"] = _ASKED
    answer["Access-Control-Max-Age"] = _KEPT_FOR_S
    patch_vary_headers(answer, ("Access-Control-Request-Method", "Access-Control-Request-Headers"))
    return answer
