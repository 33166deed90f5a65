"""The original file, as it came, and removing a document with all that was made of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.utils.http import content_disposition_header

from apps.corpus.models import Document, DocumentStatus
from apps.corpus.services.documents import document_delete, document_export
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.admin.pages import Decision, decision_page
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


def remove_view(model_admin: TenantModelAdmin) -> Callable[..., HttpResponse]:
    def view(request: HttpRequest, object_id: str) -> HttpResponse:
        require(request, Permission.DOCUMENT_DELETE)
        document: Document = model_admin.find(request, str(object_id))

        def act() -> HttpResponse:
            document_delete(document_id=document.id)
            messages.success(request, f"{document.title}, version {document.version}, is removed.")
            return HttpResponseRedirect(model_admin.url("changelist"))

        return decision_page(
            model_admin,
            request,
            Decision(
                question=f"Remove {document.title}, version {document.version}?",
                effects=_effects(document),
                irreversible="The file and everything made of it are gone from this installation; to have it back, "
                "upload it again.",
                action="Remove this version",
            ),
            act,
            crumbs=[(document.title, model_admin.url("change", document.pk)), "Remove"],
            back=model_admin.url("change", document.pk),
        )

    return view


def _effects(document: Document) -> list[str]:
    effects = [
        f"The original file, {document.page_count:,} pages and {document.chunk_count:,} passages with their vectors "
        "and search terms are removed, and its jobs with them.",
        "What the audit log tells of it stays: that it was here, who brought it, which answers drew on it.",
    ]
    if document.status == DocumentStatus.READY:
        effects.insert(1, "Questions no longer find it. An earlier version does not come back by itself.")
    if document.status in (DocumentStatus.RECEIVED, DocumentStatus.PROCESSING):
        effects.insert(1, "It is being read at the moment; the worker stops.")
    return effects
