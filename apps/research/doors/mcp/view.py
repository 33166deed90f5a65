"""MCP over streamable HTTP, without state: each message is a request with a key, and has its answer as JSON.

Streams from the server are not offered (405 for GET), so a client that is idle costs nothing here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import APIException, PermissionDenied
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from apps.research.doors.mcp.asking import OwnApi
from apps.research.doors.mcp.exchange import exchange
from apps.research.doors.mcp.server import make_server
from apps.retrieval.api.progress import EVENT_STREAM
from apps.tenants.api.authentication import ApiKeyAuthentication
from apps.tenants.api.media_types import bytes_as
from apps.tenants.api.throttling import PrincipalThrottle
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import release_connection
from config.addresses import MCP

_READ: Final = ("Accept", "Content-Type")
_OF_MCP: Final = "Mcp-"


@extend_schema(exclude=True)
class McpView(ApiView):
    """Programs alone come here: a browser's cookie opens nothing."""

    authentication_classes = (ApiKeyAuthentication,)
    # A message counts once: with the request that its tool makes, or by `_count` if it makes none.
    throttle_classes = ()
    opens_own_scopes = True
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"POST": None}

    def get_renderers(self) -> list[BaseRenderer]:
        return [JSONRenderer(), bytes_as(EVENT_STREAM)()]

    def post(self, request: Request) -> HttpResponse:
        self._refuse_foreign_pages(request)
        body = request._request.body
        try:
            # For its checks: what a reader would not take for one message is refused.
            self._read = request.data
        except APIException:
            self._count(request)
            raise
        api = OwnApi(settings.GLASSBOX_URL, request.headers["Authorization"], request.META)
        headers = {name: value for name, value in request.headers.items() if name in _READ or name.startswith(_OF_MCP)}
        # The tool's request has a connection of its own.
        release_connection()
        sent = exchange(make_server(api), path=MCP, headers={**headers, "Host": "localhost"}, body=body)
        if not api.count:
            self._count(request)
        return HttpResponse(
            sent.body,
            status=sent.status,
            content_type=sent.headers.get("content-type", "application/json"),
            headers={"Cache-Control": "no-store"},
        )

    def _count(self, request: Request) -> None:
        """Raises: Throttled."""
        throttle = PrincipalThrottle()
        if not throttle.allow_request(request, self):
            self.throttled(request, throttle.wait())

    @staticmethod
    def _refuse_foreign_pages(request: Request) -> None:
        """Raises: PermissionDenied: a page of another site asks, as after DNS rebinding."""
        origin: Any = request.headers.get("Origin")
        own = f"{request.scheme}://{request.get_host()}"
        if origin is not None and origin != own and origin not in settings.GLASSBOX_CORS_ORIGINS:
            raise PermissionDenied("The origin of this page is not one that may call. Set GLASSBOX_CORS_ORIGINS.")
