"""Response headers beside the Content-Security-Policy: they turn off browser features that our pages never use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.http import HttpRequest
from django.http.response import HttpResponseBase

# Features that every current browser knows by these names; a browser warns on each page about a name that it does not
# know.
_UNUSED: Final = (
    "accelerometer",
    "autoplay",
    "camera",
    "display-capture",
    "encrypted-media",
    "fullscreen",
    "geolocation",
    "gyroscope",
    "magnetometer",
    "microphone",
    "midi",
    "payment",
    "picture-in-picture",
    "screen-wake-lock",
    "usb",
    "xr-spatial-tracking",
)
PERMISSIONS: Final = ", ".join(f"{name}=()" for name in _UNUSED)


class BrowserHeadersMiddleware:
    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        answer = self.get_response(request)
        answer.headers.setdefault("Permissions-Policy", PERMISSIONS)
        # No other site may embed what we serve, not even as a picture.
        answer.headers.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        return answer
