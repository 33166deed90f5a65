"""The OpenAPI document and the page that shows it, served from here: no browser asks anybody else."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.http import HttpResponse
from django.utils.decorators import method_decorator
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.renderers import TemplateHTMLRenderer
from rest_framework.request import Request

from apps.tenants.api.openapi import STAND_IN_BASE
from apps.tenants.api.views import ApiView

if TYPE_CHECKING:
    # The library registers subclasses in a function without types.
    class OpenApiAuthenticationExtension: ...
else:
    from drf_spectacular.extensions import OpenApiAuthenticationExtension


@method_decorator(transaction.non_atomic_requests, name="dispatch")
@extend_schema(exclude=True)
class OpenApiView(ApiView):
    """The document, with the address that the reader fetched it from: there its examples run as they stand."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()

    def get(self, request: Request) -> HttpResponse:
        base = request.build_absolute_uri("/").rstrip("/")
        return HttpResponse(_document().replace(STAND_IN_BASE, base), content_type="application/json")


@lru_cache(maxsize=1)
def _document() -> str:
    # Anybody may ask, and generating it takes a third of a second. Any: the library's functions have no types.
    generator: Any = SchemaGenerator
    return json.dumps(generator().get_schema(request=None, public=True))


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class DocsView(ApiView, SpectacularSwaggerSplitView):
    """The page, and with `?script` what starts it, as a file of its own: no script stands within the page."""

    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renderer_classes = [TemplateHTMLRenderer]
    url_name = "openapi"
    flags = frozenset({"script"})


class ApiKeyScheme(OpenApiAuthenticationExtension):
    target_class = "apps.tenants.api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "gbx_<prefix>_<secret>",
            "description": (
                "An API key. A tenant's key, made under Administration, API keys, acts for itself. A personal key, "
                "made under Administration, My keys, acts in that person's name within one of their roles. Steps "
                "that belong to a person, such as writing and approving policy versions, need a personal key."
            ),
        }


class SessionScheme(OpenApiAuthenticationExtension):
    target_class = "apps.tenants.api.authentication.MemberSessionAuthentication"
    name = "session"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "apiKey",
            "in": "cookie",
            "name": "sessionid",
            "description": "Signed in to the admin, in the tenant chosen there. Writes need the CSRF header too.",
        }
