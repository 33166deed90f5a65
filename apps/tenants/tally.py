"""Counts of how often something happened, over all processes and tenants together. They are in Redis, for /metrics.

The counts name no tenant and no person. Without Redis nothing is counted, and nothing else is lost: /metrics says that
Redis can't be reached, and a monitoring system recognises a count that begins anew.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Final

from django.core.cache import cache
from redis.exceptions import RedisError

from apps.tenants.counting import client

logger = logging.getLogger("glassbox.tally")

_KEY: Final = "tally"
_BETWEEN: Final = "|"


def counted(*what: str, by: int = 1) -> None:
    """Add to a count. Args: what: codes of this platform, such as an action and its outcome."""
    try:
        client().hincrby(cache.make_key(_KEY), _BETWEEN.join(what), by)
    except RedisError as error:
        logger.debug("not counted: %s", type(error).__name__)


def counts() -> Mapping[tuple[str, ...], int]:
    """Return all counts by their codes. Raises: RedisError."""
    found = client().hgetall(cache.make_key(_KEY))
    return {tuple(_text(name).split(_BETWEEN)): int(count) for name, count in found.items()}


def _text(raw: bytes | str) -> str:
    return raw.decode() if isinstance(raw, bytes) else raw
