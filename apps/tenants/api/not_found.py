"""The fallback for addresses that the API does not have."""

from __future__ import annotations

from typing import Any

from django.urls import Resolver404, resolve
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from apps.tenants.api.errors import RequestRefusedError
from apps.tenants.api.views import ApiView


@extend_schema(exclude=True)
class UnknownAddressView(ApiView):
    """Takes part in the URLs, so that a missing slash is told here rather than redirected: a POST that is redirected
    arrives as a GET, without its body.
    """

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        self.format_kwarg = None
        request.accepted_renderer, request.accepted_media_type = self.perform_content_negotiation(request, force=True)
        raise RequestRefusedError("api.unknown_address", path=request.path[:200], hint=_hint(request.path))


def _hint(path: str) -> str:
    with_slash = f"{path}/"
    if not path.endswith("/") and _exists(with_slash):
        return f"Addresses end with a slash: {with_slash[:200]}"
    return "All of them are listed at /api/v1/docs/."


def _exists(path: str) -> bool:
    try:
        return getattr(resolve(path).func, "cls", None) is not UnknownAddressView
    except Resolver404:
        return False
