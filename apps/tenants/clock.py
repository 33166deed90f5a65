"""When each task of the schedule last succeeded: the worker that ran it notes the time of its clock in the cache."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from celery.signals import task_success
from django.conf import settings
from django.core.cache import cache
from redis.exceptions import RedisError

logger = logging.getLogger("glassbox.clock")

_KEY: Final = "clock:{task}"
# A task may take long, or wait for another that does. No alarm is raised within this time.
PATIENCE_S: Final = 300.0
# Beat does not wait for tasks.
BEAT: Final = "beat"
BEAT_PATIENCE_S: Final = 300.0
# The watchdog runs in the process of beat (watchdog.py), and does not wait for tasks either.
WATCHDOG: Final = "watchdog"
# A task is late after this many intervals, if that is longer than PATIENCE_S.
_MISSED: Final = 3


def connect() -> None:
    """Note when scheduled tasks of this process succeed."""
    task_success.connect(_note, dispatch_uid="glassbox.clock")


def _note(sender: Any = None, **_: object) -> None:
    if sender is not None and sender.name in _intervals():
        note(sender.name)


def note(task: str) -> None:
    """Note that a task succeeded just now; for BEAT, that it sent something."""
    try:
        cache.set(_KEY.format(task=task), time.time(), timeout=None)
    except RedisError as error:
        # The cache and the broker are the same server: without it no task runs, and health says so.
        logger.warning("a run of %s can't be noted: %s", task, type(error).__name__)


def last_runs(tasks: Iterable[str]) -> dict[str, float]:
    """Return when each task last succeeded, in seconds since 1970.

    Tasks that never ran are missing. If the cache does not answer, the result is empty.
    """
    try:
        found = cache.get_many([_KEY.format(task=task) for task in tasks])
    except RedisError:
        return {}
    return {
        key.removeprefix(_KEY.format(task="")): float(at) for key, at in found.items() if isinstance(at, int | float)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A task that did not succeed in time. ago_s: how many seconds ago it last did; None if it never did."""

    task: str
    every_s: float
    ago_s: float | None

    @property
    def sentence(self) -> str:
        """A sentence for an operator: which task, since when, and how often it is due."""
        name = self.task.rpartition(".")[2]
        if self.task == BEAT:
            return "beat sent nothing" + ("" if self.ago_s is None else f" for {lasting(self.ago_s)}")
        if self.task == WATCHDOG:
            return "nothing ends sessions past their limits" + (
                "" if self.ago_s is None else f" for {lasting(self.ago_s)}"
            )
        since = "never ended well" if self.ago_s is None else f"last ended well {lasting(self.ago_s)} ago"
        return f"{name} {since}, and is due every {lasting(self.every_s)}"


def lasting(seconds: float) -> str:
    """Return a duration as text, such as `14 minutes`."""
    for unit_s, unit in ((3600, "hour"), (60, "minute")):
        if seconds >= unit_s:
            count = int(seconds // unit_s)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{int(seconds)} second{'' if int(seconds) == 1 else 's'}"


def late_tasks() -> list[Late]:
    """Return beat, its watchdog and the scheduled tasks that did not succeed in time.

    A noted time in the future is ignored.
    """
    now, beside = time.time(), dict.fromkeys((BEAT, WATCHDOG), BEAT_PATIENCE_S)
    intervals = {**_intervals(), **beside}
    within = {task: max(PATIENCE_S, _MISSED * every_s) for task, every_s in intervals.items()} | beside
    last = last_runs(within)
    return [
        Late(task=task, every_s=intervals[task], ago_s=_ago(last.get(task), now))
        for task, longest_s in sorted(within.items())
        if not _is_fresh(last.get(task), longest_s, now)
    ]


def silent_tasks() -> list[str]:
    return [late.task for late in late_tasks()]


def _ago(last: float | None, now: float) -> float | None:
    return None if last is None or last > now else now - last


def lateness_s() -> dict[str, float]:
    """Return how many seconds beat and each task that has run are past their interval since their last success."""
    now, intervals = time.time(), {**_intervals(), BEAT: 0.0}
    return {task: max(0.0, now - at - intervals[task]) for task, at in last_runs(intervals).items()}


def _is_fresh(last: float | None, longest_s: float, now: float) -> bool:
    return last is not None and now - longest_s <= last <= now + BEAT_PATIENCE_S


def _intervals() -> dict[str, float]:
    """Return the names of the scheduled tasks, and how many seconds lie between two runs of each."""
    return {str(entry["task"]): float(entry["schedule"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}
