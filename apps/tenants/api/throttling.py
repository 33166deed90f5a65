"""A rate per key of the tenant or per person, kept in Redis. Without Redis the API goes on, and says so in the log."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from redis.exceptions import RedisError
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from apps.tenants.counting import slide
from apps.tenants.principals import Principal

if TYPE_CHECKING:
    # DRF imports its default classes while it defines APIView.
    from rest_framework.views import APIView

logger = logging.getLogger("glassbox.api")


class PrincipalThrottle(SimpleRateThrottle):
    """A person's keys and session share one count: everybody makes their own, and more keys are no more rate."""

    scope = "principal"
    num_requests: int
    duration: int

    def get_cache_key(self, request: Request, view: APIView) -> str | None:
        return key_of(request.user) if isinstance(request.user, Principal) else None

    def allow_request(self, request: Request, view: APIView) -> bool:
        """Within any window that long no more than the rate are let through, of requests at one moment too."""
        key = self.get_cache_key(request, view)
        return key is None or self.count(key)

    def count(self, key: str) -> bool:
        """Return whether one more is let through, and count it if so."""
        try:
            self.wait_s = slide(key, most=self.num_requests, window_s=self.duration)
        except RedisError as error:
            # Without the traceback: an outage would write one for every request.
            logger.error("rate limits are not enforced: Redis can't be reached (%s)", type(error).__name__)  # noqa: TRY400
            return True
        return self.wait_s == 0

    def wait(self) -> float:
        """The seconds until one more request is let through, for Retry-After."""
        return self.wait_s


def key_of(principal: Principal) -> str:
    # The tenant is in the key: no counter is shared across tenants.
    return f"throttle:{principal.tenant_id}:{principal.kind}:{principal.id}"


def let_through(principal: Principal) -> bool:
    """Return whether the principal's rate lets one more request through, and count it if so.

    For what one request does many times over, and what would count each time if it were asked for by itself.
    """
    return PrincipalThrottle().count(key_of(principal))
