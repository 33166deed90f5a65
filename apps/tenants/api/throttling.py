"""A rate per key of the tenant or per person, kept in Redis. Without Redis the API goes on, and says so in the log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from apps.tenants.principals import Principal

if TYPE_CHECKING:
    # DRF imports its default classes while it defines APIView.
    from rest_framework.views import APIView

logger = logging.getLogger("glassbox.api")


class PrincipalThrottle(SimpleRateThrottle):
    """A person's keys and session share one count: everybody makes their own, and more keys are no more rate."""

    scope = "principal"

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        principal = request.user
        if not isinstance(principal, Principal):
            return None
        # The tenant is in the key: no counter is shared across tenants.
        return f"throttle:{principal.tenant_id}:{principal.kind}:{principal.id}"

    def allow_request(self, request: Request, view: APIView) -> bool:
        try:
            return super().allow_request(request, view)
        except RedisError as error:
            # Without the traceback: an outage would write one for every request.
            logger.error("rate limits are not enforced: Redis can't be reached (%s)", type(error).__name__)  # noqa: TRY400
            return True
