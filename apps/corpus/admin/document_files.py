"""The original file, as it came."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from apps.corpus.models import Document
from apps.corpus.services.documents import document_export
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.roles import Permission


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
