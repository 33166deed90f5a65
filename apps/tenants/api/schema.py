"""The OpenAPI document and the page that shows it, served from here: no browser asks anybody else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.decorators import method_decorator
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.renderers import OpenApiJsonRenderer2
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
from rest_framework.renderers import TemplateHTMLRenderer

from apps.tenants.api.views import ApiView

if TYPE_CHECKING:
    # The library registers subclasses in a function without types.
    class OpenApiAuthenticationExtension: ...
else:
    from drf_spectacular.extensions import OpenApiAuthenticationExtension


class DocumentRenderer(OpenApiJsonRenderer2):
    """The document as application/json: what every tool asks for."""

    media_type = "application/json"


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class OpenApiView(ApiView, SpectacularAPIView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renderer_classes = [DocumentRenderer]


@method_decorator(transaction.non_atomic_requests, name="dispatch")
class DocsView(ApiView, SpectacularSwaggerView):
    authentication_classes = ()
    permission_classes = ()
    throttle_classes = ()
    renderer_classes = [TemplateHTMLRenderer]
    url_name = "openapi"


class ApiKeyScheme(OpenApiAuthenticationExtension):
    target_class = "apps.tenants.api.authentication.ApiKeyAuthentication"
    name = "apiKey"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, Any]:
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "gbx_<prefix>_<secret>",
            "description": "An API key, made in the admin under Administration, API keys.",
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
