"""Alarms by mail to the operators: each alarm once a day, and all new ones in one letter."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from datetime import UTC
from smtplib import SMTPException
from typing import Final

from django.conf import settings
from django.core.cache import cache
from django.core.mail import EmailMessage
from django.utils import timezone
from redis.exceptions import RedisError

from apps.tenants.clock import BEAT_PATIENCE_S
from apps.tenants.registry import Alarm, Watched

logger = logging.getLogger("glassbox.alarms")

_KEY: Final = "alarm:told:{day}:{watched}:{tenant}"
_TOLD_FOR_S: Final = 48 * 3600
# The letter shows this many alarms, and says how many more there are.
_SHOWN: Final = 20
_BEGAN = time.monotonic()
# Keys of the alarms that this process has reported, for when the cache can't be reached.
_told_here: set[str] = set()


def tell_operators(alarms: Sequence[Alarm]) -> int:
    """Log the alarms that were not reported today, and mail them to GLASSBOX_OPERATORS in one letter.

    If the mail server is down, the alarms count as not reported and are reported the next time.

    Returns: how many were reported; without GLASSBOX_OPERATORS, how many were logged.
    """
    new = {key: alarm for alarm in _lasting(alarms) if (key := _key(alarm)) and _is_new(key)}
    if not new:
        return 0
    for alarm in new.values():
        logger.error("%s %s (tenant: %s)", alarm.what, alarm.operators, alarm.tenant_id or "all")
    if not settings.GLASSBOX_OPERATORS:
        logger.error("nobody is told of alarms by mail: GLASSBOX_OPERATORS is not set")
        return len(new)
    try:
        EmailMessage(_subject(len(new)), _body([*new.values()]), to=[*settings.GLASSBOX_OPERATORS]).send()
    except (SMTPException, OSError) as error:
        logger.error("the operators were not told of %d alarms: %s", len(new), type(error).__name__)  # noqa: TRY400
        for key in new:
            _forget(key)
        return 0
    return len(new)


def tell_operators_beside(alarms: Sequence[Alarm]) -> None:
    """Do the same in a thread, so that the caller does not wait.

    A scheduled task normally sends the alarms. If the schedule itself stands still, only the callers of this function
    are left to send them.
    """
    if any(_is_untold(_key(alarm)) for alarm in _lasting(alarms)):
        threading.Thread(target=tell_operators, args=[tuple(alarms)], name="alarms", daemon=True).start()


def _lasting(alarms: Sequence[Alarm]) -> list[Alarm]:
    """Return the alarms without the platform's schedule alarm if this process has just started.

    The other processes usually start at the same time, and the schedule needs a moment.
    """
    is_young = time.monotonic() - _BEGAN < BEAT_PATIENCE_S
    return [alarm for alarm in alarms if not (is_young and alarm.watched is Watched.SCHEDULE and not alarm.tenant_id)]


def _key(alarm: Alarm) -> str:
    day = timezone.now().astimezone(UTC).date()
    return _KEY.format(day=day, watched=alarm.watched.value, tenant=alarm.tenant_id or "all")


def _is_untold(key: str) -> bool:
    try:
        return cache.get(key) is None and key not in _told_here
    except RedisError:
        return key not in _told_here


def _is_new(key: str) -> bool:
    """Whether the alarm was not reported today, and mark it as reported."""
    if key in _told_here:
        return False
    _told_here.add(key)
    try:
        return bool(cache.add(key, True, timeout=_TOLD_FOR_S))
    except RedisError:
        return True


def _forget(key: str) -> None:
    _told_here.discard(key)
    try:
        cache.delete(key)
    except RedisError as error:
        logger.warning("an alarm that was not told may not be told again today: %s", type(error).__name__)


def _subject(count: int) -> str:
    return "Glassbox: something is wrong" if count == 1 else f"Glassbox: {count} things are wrong"


def _body(alarms: Sequence[Alarm]) -> str:
    parts = [
        f"{alarm.what}\n{alarm.operators}\n{f'Tenant: {alarm.tenant_id}' if alarm.tenant_id else 'All tenants'}"
        for alarm in alarms[:_SHOWN]
    ]
    if len(alarms) > _SHOWN:
        parts.append(f"And {len(alarms) - _SHOWN} more: see /api/v1/health/ and the log.")
    return "\n\n".join((*parts, "You receive each of these alarms once a day for as long as it lasts."))
