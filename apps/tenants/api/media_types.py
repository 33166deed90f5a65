"""What a view answers with where that is not JSON: bytes that were made elsewhere and only pass through."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework.exceptions import NotAcceptable
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

ANY_BYTES = "application/octet-stream"


@cache
def bytes_as(media_type: str) -> type[BaseRenderer]:
    """A renderer that stands for a media type in the negotiation; the view makes the answer itself."""

    def render(
        self: BaseRenderer,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> bytes:
        return bytes(data or b"")

    about = {"media_type": media_type, "format": media_type, "charset": None, "render": render}
    return type("Bytes", (BaseRenderer,), about)


def bytes_responses(*media_types: str, description: str, status: int = 200) -> dict[tuple[int, str], OpenApiResponse]:
    """For the OpenAPI document: bytes of each of these types."""
    return {(status, name): OpenApiResponse(OpenApiTypes.BINARY, description=description) for name in media_types}


def preferred(request: Request, offered: Sequence[str]) -> str:
    """Which of these the client would rather have; the first of those that it would as gladly.

    Raises: NotAcceptable, which names what there is.
    """
    found: str | None = request._request.get_preferred_type(offered)
    if found is None:
        raise NotAcceptable(f"This is available as {' or '.join(dict.fromkeys(offered))}.")
    return found
