"""What waits for a worker, and since when: noted by the sweeps, which see every tenant, and told by health.

It is in the cache: nobody learns from it whose work it is, and what asks costs nothing.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from django.core.cache import cache
from django.utils import timezone
from redis.exceptions import RedisError

logger = logging.getLogger("glassbox.sweep")

_KEY: Final = "waiting:{work}"
# What no sweep has looked at for so long is not told any more: that they are late is (clock.py).
_TOLD_FOR_S: Final = 600
# Longer than a large upload of one tenant should keep its last document waiting.
LONG_S: Final = 1_800


class Work(StrEnum):
    """What is put by for a worker, by kind; health names them."""

    DOCUMENTS = "documents"
    SEARCHES = "searches"
    PREVIEWS = "previews"

    @property
    def label(self) -> str:
        return _LABELS[self]

    @property
    def process(self) -> str:
        """The process that takes it, as `manage.py serve` knows it."""
        return "ingest" if self is Work.DOCUMENTS else "worker"


_LABELS: Final = {
    Work.DOCUMENTS: "documents to be read",
    Work.SEARCHES: "searches for people",
    Work.PREVIEWS: "previews of policies",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """count: over all tenants; oldest_s: for how long the oldest has waited, 0 where none does."""

    count: int
    oldest_s: int


class Count:
    """Adds up what a sweep sees, tenant by tenant; the last note stays where one of them could not be looked at."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._times: list[datetime] = []

    def add(self, times: Iterable[datetime]) -> None:
        self._times += times

    def note(self) -> None:
        oldest = min(self._times, default=None)
        told = [len(self._times), None if oldest is None else oldest.timestamp()]
        try:
            cache.set(_KEY.format(work=self._work.name), told, timeout=_TOLD_FOR_S)
        except RedisError as error:
            logger.warning("what waits can't be noted: %s", type(error).__name__)


def waiting_now() -> dict[Work, Waiting]:
    """By kind; without those that nobody has looked at, and without all where the cache does not answer."""
    keys = {_KEY.format(work=work.name): work for work in Work}
    try:
        found = cache.get_many(keys)
    except RedisError:
        return {}
    now = timezone.now().timestamp()
    return {
        keys[key]: Waiting(count=count, oldest_s=0 if since is None else max(0, int(now - since)))
        for key, (count, since) in found.items()
    }
