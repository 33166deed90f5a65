"""A page as it is printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar
from uuid import UUID

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request

from apps.corpus.services.page_images import SCALES, SHOWN_SCALE, page_image
from apps.tenants.api.examples import sample
from apps.tenants.api.media_types import bytes_responses
from apps.tenants.api.serializers import StrictSerializer
from apps.tenants.api.views import ApiView
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes

_PNG = "image/png"


class ImageParameterSerializer(StrictSerializer):
    scale = serializers.IntegerField(
        default=SHOWN_SCALE,
        min_value=min(SCALES),
        max_value=max(SCALES),
        help_text="Pixels for each point of 1/72 inch. A page too large for that is drawn smaller.",
    )


class PageImageView(ApiView):
    """No transaction is open while the page is drawn."""

    opens_own_scopes = True
    required_permissions: ClassVar[Mapping[str, Permission | None]] = {"GET": Permission.DOCUMENT_VIEW}
    parameters: ClassVar[Mapping[str, type[StrictSerializer]]] = {"GET": ImageParameterSerializer}
    media_types = (_PNG,)

    @extend_schema(
        operation_id="get_document_page_image",
        tags=["Documents"],
        summary="Show a page as it is printed",
        description=(
            "Draws a page of a PDF as a PNG image. A page of another format has none: 404 with "
            "`corpus.page_without_image`; its text is at the address above. A file whose page can't be drawn, or costs "
            "too much, is refused with the reason. Whoever may read the page's text may see its image. As with the "
            "text, it is not recorded."
        ),
        parameters=[ImageParameterSerializer],
        responses=bytes_responses(_PNG, description="The image."),
        extensions=sample(
            'curl -OJ "{base}/api/v1/documents/$PDF_ID/pages/1/image/" -H "Authorization: Bearer $GLASSBOX_KEY"'
        ),
    )
    def get(self, request: Request, id: UUID, number: int) -> HttpResponse:
        scopes = ShortScopes(principal=self.principal, scope_ids=self.principal.scope_ids)
        picture = page_image(document_id=id, number=number, scopes=scopes, scale=self.asked()["scale"])
        response = HttpResponse(picture.image, content_type=_PNG)
        response["Content-Disposition"] = f'inline; filename="page-{number}.png"'
        response["Content-Security-Policy"] = "sandbox; default-src 'none'"
        response["X-Content-Type-Options"] = "nosniff"
        return response
