"""How many jobs wait for a worker, and since when. The sweep, which sees every tenant, notes it; health shows it.

The figures are in the cache. They do not say whose jobs they are, and reading them costs no query.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

from apps.tenants.models.leased_job import LeasedJob

logger = logging.getLogger("glassbox.sweep")

_KEY: Final = "waiting:{kind}"
# A figure is dropped if no sweep has written it anew for this long. That the sweep is late is reported by clock.py.
_TOLD_FOR_S: Final = 600
# A wait of this many seconds raises an alarm. Even a large upload should not keep its last document waiting so long.
LONG_S: Final = 1_800


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waits of one kind of job.

    count: how many jobs wait, over all tenants. oldest_s: seconds that the oldest has waited; 0 if none waits.
    """

    count: int
    oldest_s: int


class Count:
    """A counter of the waiting jobs that the sweep sees, tenant by tenant. `note` writes the total into the cache."""

    def __init__(self, kind: type[LeasedJob]) -> None:
        self._kind = kind
        self._times: list[datetime] = []

    def add(self, times: Iterable[datetime]) -> None:
        self._times += times

    def note(self) -> None:
        oldest = min(self._times, default=None)
        told = [len(self._times), None if oldest is None else oldest.timestamp()]
        try:
            cache.set(_key(self._kind), told, timeout=_TOLD_FOR_S)
        except RedisError as error:
            logger.warning("what waits can't be noted: %s", type(error).__name__)


def counted_kinds() -> list[type[LeasedJob]]:
    """Return the kinds of job whose waiting jobs health shows."""
    return [kind for kind in LeasedJob.kinds() if kind.counted_as]


def waiting_now() -> dict[type[LeasedJob], Waiting]:
    """Return what waits, by kind of job.

    Kinds that the sweep has not looked at lately are missing. If the cache does not answer, the result is empty.
    """
    keys = {_key(kind): kind for kind in counted_kinds()}
    try:
        found = cache.get_many(keys)
    except RedisError:
        return {}
    now = timezone.now().timestamp()
    return {
        keys[key]: Waiting(count=count, oldest_s=0 if since is None else max(0, int(now - since)))
        for key, (count, since) in found.items()
    }


def _key(kind: type[LeasedJob]) -> str:
    return _KEY.format(kind=kind.counted_as)
