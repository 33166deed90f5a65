"""The original file, as it came, and its pages as images."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from apps.corpus.errors import DocumentNotFoundError, PageNotFoundError, PageWithoutImageError
from apps.corpus.models import Document
from apps.corpus.services.documents import document_export
from apps.corpus.services.page_images import page_image
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.requests import principal_of
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, opens_own_scopes


def original_view(model_admin: TenantModelAdmin) -> Callable[..., Any]:
    def view(request: HttpRequest, object_id: str) -> HttpResponseBase:
        """Always a download, never shown: an uploaded HTML file must not run in the admin's origin."""
        require(request, Permission.DOCUMENT_VIEW)
        document: Document = model_admin.find(request, str(object_id))
        response = StreamingHttpResponse(document_export(document), content_type="application/octet-stream")
        response["Content-Length"] = str(document.byte_size)
        response["Content-Disposition"] = content_disposition_header(True, document.filename) or "attachment"
        response["Cache-Control"] = "private, no-store"
        return response

    return view


def page_image_view(model_admin: TenantModelAdmin) -> Callable[..., Any]:
    @opens_own_scopes
    @require_safe
    def view(request: HttpRequest, object_id: str, number: int) -> HttpResponse:
        """A PNG image that we made ourselves. Its size is bounded (reader/picture.py), and no browser keeps it."""
        require(request, Permission.DOCUMENT_VIEW)
        principal = principal_of(request)
        scopes = ShortScopes(principal=principal, scope_ids=principal.scope_ids)
        with scopes.open():
            document: Document = model_admin.find(request, str(object_id))
        try:
            picture = page_image(document_id=document.id, number=number, scopes=scopes)
        except (DocumentNotFoundError, PageNotFoundError, PageWithoutImageError) as error:
            raise Http404(error.detail) from None
        response = HttpResponse(picture.image, content_type="image/png")
        response["Cache-Control"] = "private, no-store"
        response["X-Content-Type-Options"] = "nosniff"
        return response

    return view
