"""What the addresses of erasure requests share."""

from __future__ import annotations

from typing import Final, TypeVar

from rest_framework.request import Request

from apps.privacy.api.request_serializers import ErasureRequestSerializer
from apps.privacy.models import ErasureRequest
from apps.privacy.requests.selectors import erasure_request
from apps.tenants.api.idempotency import ActResponse
from apps.tenants.api.serializers import StrictSerializer

KEY: Final = '-H "Authorization: Bearer $GLASSBOX_KEY"'
JSON: Final = '-H "Content-Type: application/json"'
BASE: Final = "{base}/api/v1/privacy/requests/"
TAG: Final = ["Privacy"]
# Within an example's single quotes: what the reader of the page has in front of them.
REVISION: Final = '"revision": \'"$REVISION"\''
RUN_REVISION: Final = '"revision": \'"$RUN_REVISION"\''
RUN: Final = '"run_id": "\'"$RUN_ID"\'"'
SerializerT = TypeVar("SerializerT", bound=StrictSerializer)


def said_by(serializer: type[SerializerT], request: Request) -> SerializerT:
    body = serializer(data=request.data)
    body.is_valid(raise_exception=True)
    return body


def answer_of(request: ErasureRequest, *, status: int = 200) -> ActResponse:
    """Numbers, states and dates, as the database has them now: what a day's keeping may hold."""
    now = erasure_request(request.id)
    headers = {"Location": f"/api/v1/privacy/requests/{now.id}/"} if status == 201 else None
    return ActResponse(dict(ErasureRequestSerializer(now).data), status=status, subject_id=now.id, headers=headers)
