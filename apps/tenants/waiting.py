"""What sweeps do, and how much work waits for a worker, and since when. The sweeps note it; health shows it.

The figures are in the cache. They do not say whose work it is, and reading them costs no query.
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
# A figure is dropped if no sweep has written it anew for this long. That the sweep is late is reported by clock.py.
_TOLD_FOR_S: Final = 600
# A wait of this many seconds raises an alarm. Even a large upload should not keep its last document waiting so long.
LONG_S: Final = 1_800


class Sweep(StrEnum):
    """What the schedule does for one tenant after another, in words for the log and for people."""

    REQUESTS = "forget expired requests"
    DOCUMENTS = "send due documents again"
    POLICIES = "put approved policies in force"
    IMPACTS = "send due impact previews again"
    SEAL = "seal the log"
    CHECKPOINTS = "sign and export checkpoints"
    ATTESTATIONS = "have checkpoints attested"
    VERIFY = "verify the log once a night"
    COUNT = "count what is due by the retention rules"
    LETTERS = "send letters that are due"
    SEARCHES = "send due searches for people again"
    PACKAGES = "remove expired packages"
    REMOVALS = "carry out approved removals"
    LEFTOVERS = "remove what the log authorises"
    WEBHOOKS = "tell webhooks of events"
    CERTIFICATES = "issue certificates of erasures"


class Work(StrEnum):
    """The kinds of work that wait for a worker, with the names that health uses."""

    DOCUMENTS = "documents"
    SEARCHES = "searches"
    PREVIEWS = "previews"

    @property
    def label(self) -> str:
        return _LABELS[self]

    @property
    def process(self) -> str:
        """The process that does this work, by its name for `manage.py serve`."""
        return "ingest" if self is Work.DOCUMENTS else "worker"


_LABELS: Final = {
    Work.DOCUMENTS: "documents to be read",
    Work.SEARCHES: "searches for people",
    Work.PREVIEWS: "previews of policies",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """What waits of one kind of work.

    count: how many items wait, over all tenants. oldest_s: seconds that the oldest has waited; 0 if none waits.
    """

    count: int
    oldest_s: int


class Count:
    """A counter of the waiting work that a sweep sees, tenant by tenant. `note` writes the total into the cache."""

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
    """Return what waits, by kind of work.

    Kinds that no sweep has looked at lately are missing. If the cache does not answer, the result is empty.
    """
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
