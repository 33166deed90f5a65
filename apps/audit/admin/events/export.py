"""The list of events as a file, as it is filtered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.contrib.admin.views.main import ORDER_VAR, PAGE_VAR, SEARCH_VAR
from django.core.exceptions import BadRequest
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST

from apps.audit.reporting.export import ListFormat, events_export
from apps.tenants.admin.base import TenantModelAdmin, require
from apps.tenants.roles import Permission

_TYPES: Final[Mapping[ListFormat, str]] = {
    ListFormat.CSV: "text/csv; charset=utf-8",
    ListFormat.JSON_LINES: "application/jsonl; charset=utf-8",
    ListFormat.PACKAGE: "application/zip",
}
# The page and the order of the list; the file has all of it, the newest first.
_NOT_FILTERS: Final = (PAGE_VAR, ORDER_VAR)
# What a person types may be a name: the record says that there was a filter, and not which words.
_TYPED: Final = (SEARCH_VAR, "actor")


def export_query(request: HttpRequest) -> str:
    """The list's address, without what does not choose events."""
    query = request.GET.copy()
    for name in _NOT_FILTERS:
        query.pop(name, None)
    return query.urlencode()


def export_view(model_admin: TenantModelAdmin) -> Callable[..., Any]:
    @require_POST
    def view(request: HttpRequest) -> StreamingHttpResponse:
        require(request, Permission.AUDIT_VIEW)
        try:
            format = ListFormat(request.POST.get("format", ""))
        except ValueError:
            raise BadRequest("The format is csv, jsonl or zip.") from None
        listed = model_admin.get_changelist_instance(request)
        parts = events_export(listed.queryset, format=format, filters=_filters(request))
        response = StreamingHttpResponse(parts, content_type=_TYPES[format])
        name = f"events-{timezone.now():%Y%m%d-%H%M%S}.{format.value}"
        response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
        response["Cache-Control"] = "private, no-store"
        return response

    return view


def _filters(request: HttpRequest) -> dict[str, str]:
    return {
        name[:50]: "typed" if name in _TYPED else str(value)[:100]
        for name, value in request.GET.items()
        if value and name not in _NOT_FILTERS
    }
