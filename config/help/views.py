"""Serve the built handbook under Help to signed-in users."""

from __future__ import annotations

import mimetypes
import re
from pathlib import Path
from typing import Final

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.http import http_date

from apps.errors import ApplicationError
from config.files import OutsideFolderError, inside
from config.help.building import DOCS, SITE

# For files whose names contain a digest of their content.
_FOR_EVER: Final = "private, max-age=31536000, immutable"
_ASK_AGAIN: Final = "private, no-cache"
_NAMED_BY_CONTENT: Final = re.compile(r"\.[0-9a-f]{8}\.(min\.)?(css|js)$")


class HandbookNotBuiltError(ApplicationError):
    code = "help.not_built"
    status = 503
    message = "The handbook is not built here. Run: python3 manage.py docs"


def handbook(request: HttpRequest, path: str = "") -> HttpResponse:
    """Return a page of the handbook, or a file that belongs to one."""
    if not (SITE / "index.html").exists():
        raise HandbookNotBuiltError
    file = _file(path)
    modified = http_date(int(file.stat().st_mtime))
    if request.headers.get("If-Modified-Since") == modified:
        return HttpResponse(status=304)
    content_type = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    response = HttpResponse(file.read_bytes(), content_type=content_type)
    response["Last-Modified"] = modified
    response["Cache-Control"] = _FOR_EVER if _NAMED_BY_CONTENT.search(file.name) else _ASK_AGAIN
    return response


def _file(path: str) -> Path:
    """Return the file of a path. Pictures lie in docs/ only, everything else in the built site."""
    name = f"{path}index.html" if not path or path.endswith("/") else path
    folder = DOCS / "images" if name.startswith("images/") else SITE
    try:
        file = inside(folder, name.removeprefix("images/"))
    except (OutsideFolderError, ValueError, OSError):
        raise Http404 from None
    if not file.is_file():
        raise Http404
    return file
