"""The watchdog ends statements and sessions of limited roles that exceed their time limits.

PostgreSQL's own limits do not suffice, because a role may lift them for itself. The watchdog runs in the process of
beat, in a separate thread with its own connection, so that no waiting or hanging task can stop it. The database decides
what to end, by limits that no runtime role may change (authz.end_overlong).
"""

from __future__ import annotations

import logging
import threading
from typing import Any, Final

from celery.signals import beat_init
from django.core.cache import cache
from django.db import Error, connection
from redis.exceptions import RedisError

from apps.tenants.clock import WATCHDOG, note

logger = logging.getLogger("glassbox.watchdog")

EVERY_S: Final = 10.0
# How long health stays red after something was ended.
TOLD_FOR_S: Final = 3_600
_KEY: Final = "watchdog:ended"


def connect() -> None:
    """Start the watchdog when beat starts, if this process is beat."""
    beat_init.connect(_start, dispatch_uid="glassbox.watchdog")


def _start(**_: Any) -> None:
    threading.Thread(target=keep_looking, args=[threading.Event()], name="watchdog", daemon=True).start()


def keep_looking(stop: threading.Event, *, every_s: float = EVERY_S) -> None:
    """Call `look` at intervals until `stop` is set. After an error it tries again with a new connection.

    If the watchdog stops calling, clock.py reports it as late, which raises an alarm.
    """
    while not stop.is_set():
        try:
            look()
        except Error as error:
            # Do not log the error's message: a database's message may quote a row.
            logger.error("sessions can't be held to their limits: %s", type(error).__name__)  # noqa: TRY400
            connection.close()
        stop.wait(every_s)
    connection.close()


def look() -> int:
    """End what takes too long now. Returns: how many statements and sessions were ended. Costs: one query."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT role, what, seconds, ended FROM authz.end_overlong()")
        ended = cursor.fetchall()
    for role, what, seconds, how in ended:
        logger.error("%s of %s: %d s, past the limit; its %s was ended", what, role, seconds, how)
    if ended:
        _tell(sorted({role for role, *_ in ended}))
    note(WATCHDOG)
    return len(ended)


def lately() -> list[str]:
    """Return the roles of which something was ended within the last hour; empty if the cache does not answer."""
    try:
        return list(cache.get(_KEY) or [])
    except RedisError:
        return []


def _tell(roles: list[str]) -> None:
    try:
        cache.set(_KEY, sorted({*lately(), *roles}), timeout=TOLD_FOR_S)
    except RedisError as error:
        logger.warning("that sessions were ended can't be shown: %s", type(error).__name__)
