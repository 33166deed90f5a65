"""ETag, If-None-Match and If-Match: a change to what was read, and to nothing that came since.

The tag is of what a GET of the same address shows, whole. A write with If-Match locks the row first and looks again, so
that nobody else changes it in between; the step's own rules hold all the same.
"""

from __future__ import annotations

import hashlib
from typing import Any, ClassVar, Final
from uuid import UUID

from django.db.models import Model
from django.utils.http import parse_etags
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from apps.tenants.api.errors import RequestRefusedError
from apps.tenants.api.views import ApiView

_READS: Final = ("GET", "HEAD")
_ANY: Final = "*"


class TaggedView(ApiView):
    """One thing, by its id, with a tag that changes whenever what is shown of it does.

    tagged: the model of the row that a write with If-Match locks.
    """

    tagged: ClassVar[type[Model]]

    def require_unchanged(self, request: Request, *args: Any, **kwargs: Any) -> None:
        wanted = request.headers.get("If-Match")
        if wanted is None:
            return
        self._lock(kwargs["id"])
        # Raises what a GET of it would.
        shown: Any = getattr(self, "get")(request, *args, **kwargs)  # noqa: B009 (every tagged view has one)
        if not _names(wanted, etag_of(shown.data)):
            raise RequestRefusedError("api.precondition_failed")

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        if request.method in _READS and response.status_code == 200:
            etag = etag_of(response.data)
            if _names(request.headers.get("If-None-Match", ""), etag):
                response = Response(status=304)
            response["ETag"] = etag
        return super().finalize_response(request, response, *args, **kwargs)

    def _lock(self, id: UUID) -> None:
        self.tagged._default_manager.select_for_update(of=("self",)).filter(pk=id).first()


def etag_of(shown: Any) -> str:
    return f'"{hashlib.sha256(JSONRenderer().render(shown)).hexdigest()[:32]}"'


def _names(header: str, etag: str) -> bool:
    return header.strip() == _ANY or etag in parse_etags(header)
