"""What OPTIONS answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rest_framework.metadata import BaseMetadata
from rest_framework.request import Request

if TYPE_CHECKING:
    # At run time DRF's views import this module.
    from rest_framework.views import APIView


class MethodsMetadata(BaseMetadata):
    """The methods, as in the Allow header; everything else is in the OpenAPI document."""

    def determine_metadata(self, request: Request, view: APIView) -> dict[str, Any]:
        return {"allow": view.allowed_methods, "documentation": "/api/v1/docs/"}
