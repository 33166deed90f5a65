"""Alarms by mail to whoever runs the platform: each once a day, all that are new in one letter."""

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

from apps.tenants.alarms import Alarm, Watched
from apps.tenants.clock import BEAT_PATIENCE_S

logger = logging.getLogger("glassbox.alarms")

_KEY: Final = "alarm:told:{day}:{watched}:{tenant}"
_TOLD_FOR_S: Final = 48 * 3600
# Of more than so many the letter tells the number.
_SHOWN: Final = 20
_BEGAN = time.monotonic()
# What this process has told, for a time without a cache.
_told_here: set[str] = set()


def tell_operators(alarms: Sequence[Alarm]) -> int:
    """Write to GLASSBOX_OPERATORS about those that were not told today. Returns: how many were told.

    It is in the log in any case. A mail server that is down: they count as not told, and are told the next time.
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
    """The same without being waited for: when the schedule is silent, nobody else is left to tell of it."""
    if any(_is_untold(_key(alarm)) for alarm in _lasting(alarms)):
        threading.Thread(target=tell_operators, args=[tuple(alarms)], name="alarms", daemon=True).start()


def _lasting(alarms: Sequence[Alarm]) -> list[Alarm]:
    """Without a schedule that is silent where this process has just begun: the others begin with it."""
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
    """And from now on it is told."""
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
    return "\n\n".join((*parts, "Each of these is told once a day, for as long as it lasts."))
