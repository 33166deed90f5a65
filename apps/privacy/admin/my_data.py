"""What is held about me: everybody takes out their own, and nobody else's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from django.contrib import admin
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_POST, require_safe

from apps.privacy.my_data.contents import CATEGORIES
from apps.privacy.my_data.contracts import Format
from apps.privacy.my_data.in_words import words
from apps.privacy.my_data.services import my_data_export, my_package
from apps.privacy.my_data.wording import ARTICLE_15

_TYPES: Final[Mapping[Format, str]] = {
    Format.ZIP: "application/zip",
    Format.HTML: "text/html; charset=utf-8",
    Format.JSON: "application/json",
}
_TITLE: Final = "What is held about me"


@require_safe
def my_data_view(request: HttpRequest) -> HttpResponse:
    """What the package holds, before it is taken: nothing of it is read for this page but its counts."""
    package = my_package()
    context = {
        **admin.site.each_context(request),
        "title": _TITLE,
        "crumbs": [(_TITLE, "")],
        "package": package,
        "categories": CATEGORIES,
        "recipients": [{**each, "which": words(each["which"])} for each in package.recipients],
        "law": ARTICLE_15.items(),
        "reasons": [each["because"] for each in package.not_included],
    }
    request.__dict__["current_app"] = admin.site.name
    return TemplateResponse(request, "glassbox/my_data.html", context, headers={"Cache-Control": "private, no-store"})


@require_POST
def my_data_download_view(request: HttpRequest) -> StreamingHttpResponse:
    try:
        format = Format(request.POST.get("format", ""))
    except ValueError:
        raise BadRequest("The format is zip, html or json.") from None
    response = StreamingHttpResponse(my_data_export(format), content_type=_TYPES[format])
    name = f"my-data-{timezone.now():%Y%m%d-%H%M%S}.{format.value}"
    # Always a file: the page in it never runs beside the admin's session.
    response["Content-Disposition"] = content_disposition_header(True, name) or "attachment"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response
