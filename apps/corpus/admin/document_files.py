"""The original file, as it came."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import content_disposition_header

from apps.corpus.models import SourceFile
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.roles import Permission


def original_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        """Always a download, never shown: an uploaded HTML file must not run in the admin's origin."""
        require(request, Permission.DOCUMENT_VIEW)
        document = model_admin.find(request, str(object_id))
        source = SourceFile.objects.filter(document=document).first()
        if source is None:
            raise Http404("The original file of this document is not kept any more.")
        response = HttpResponse(bytes(source.content), content_type="application/octet-stream")
        response["Content-Disposition"] = content_disposition_header(True, document.filename) or "attachment"
        response["Cache-Control"] = "private, no-store"
        return response

    return view
