"""When each task of the schedule last ended well: noted by the worker that ran it, in the cache, by its own clock."""

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
# A task may take long itself, or wait for one of the few that do: for so long nobody is alarmed.
PATIENCE_S: Final = 300.0
# Beat has nothing to wait for.
BEAT: Final = "beat"
BEAT_PATIENCE_S: Final = 300.0
# Beside beat (watchdog.py), and waits for nothing either.
WATCHDOG: Final = "watchdog"
# Of one that is due more seldom, so many runs.
_MISSED: Final = 3


def connect() -> None:
    """Note what the workers of this process do."""
    task_success.connect(_note, dispatch_uid="glassbox.clock")


def _note(sender: Any = None, **_: object) -> None:
    if sender is not None and sender.name in _intervals():
        note(sender.name)


def note(task: str) -> None:
    """That it ended well just now; of beat, that it sent something."""
    try:
        cache.set(_KEY.format(task=task), time.time(), timeout=None)
    except RedisError as error:
        # The broker is the same server: without it nothing runs, and health says so.
        logger.warning("a run of %s can't be noted: %s", task, type(error).__name__)


def last_runs(tasks: Iterable[str]) -> dict[str, float]:
    """By task, seconds since 1970; without those that never ran, and without all where the cache does not answer."""
    try:
        found = cache.get_many([_KEY.format(task=task) for task in tasks])
    except RedisError:
        return {}
    return {
        key.removeprefix(_KEY.format(task="")): float(at) for key, at in found.items() if isinstance(at, int | float)
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """A task that did not end well within its time. ago_s: when it last did; None where it never did."""

    task: str
    every_s: float
    ago_s: float | None

    @property
    def sentence(self) -> str:
        """For an operator: which, since when, and how often it is due."""
        name = self.task.rpartition(".")[2]
        if self.task == BEAT:
            return "beat sent nothing" + ("" if self.ago_s is None else f" for {lasting(self.ago_s)}")
        if self.task == WATCHDOG:
            return "nobody looks after sessions past their limits" + (
                "" if self.ago_s is None else f" for {lasting(self.ago_s)}"
            )
        since = "never ended well" if self.ago_s is None else f"last ended well {lasting(self.ago_s)} ago"
        return f"{name} {since}, and is due every {lasting(self.every_s)}"


def lasting(seconds: float) -> str:
    """Such as `14 minutes`."""
    for unit_s, unit in ((3600, "hour"), (60, "minute")):
        if seconds >= unit_s:
            count = int(seconds // unit_s)
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return f"{int(seconds)} second{'' if int(seconds) == 1 else 's'}"


def late_tasks() -> list[Late]:
    """Beat, its watchdog and tasks of the schedule that did not end well in time. A time to come is no time."""
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
    """Of beat and of each task that has run: how much longer than its interval ago it last ended well."""
    now, intervals = time.time(), {**_intervals(), BEAT: 0.0}
    return {task: max(0.0, now - at - intervals[task]) for task, at in last_runs(intervals).items()}


def _is_fresh(last: float | None, longest_s: float, now: float) -> bool:
    return last is not None and now - longest_s <= last <= now + BEAT_PATIENCE_S


def _intervals() -> dict[str, float]:
    """Names of the tasks, and how many seconds lie between two runs of each."""
    return {str(entry["task"]): float(entry["schedule"]) for entry in settings.CELERY_BEAT_SCHEDULE.values()}
