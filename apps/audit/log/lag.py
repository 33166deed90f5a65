"""How long events wait for their leaf. Until an event has its leaf, nobody outside would notice that it is missing."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from django.core.cache import cache
from django.db import connection
from redis.exceptions import RedisError

from apps.audit.models import Unsealed
from apps.tenants.context import current_scope, open_identity
from apps.tenants.ids import TenantId
from apps.tenants.tokens import Identity

logger = logging.getLogger("glassbox.audit")

ALARM_AFTER: Final = timedelta(seconds=5)
_ALARM_KEY: Final = "audit:lag-alarm:{tenant}"
# While the delay lasts, the alarm is repeated after this time.
_ALARM_LASTS_S: Final = 300
# An event's id contains the time of its recording (RFC 9562, version 7). Its age is measured by the database's clock.
_AGE: Final = "clock_timestamp() - uuid_extract_timestamp(min(event_id::text)::uuid)"


@dataclass(frozen=True, slots=True, kw_only=True)
class SealingLag:
    """How many events of one tenant wait, and how long the oldest of them has waited."""

    waiting: int
    oldest: timedelta

    @property
    def is_late(self) -> bool:
        return self.oldest > ALARM_AFTER


def sealing_lag() -> SealingLag:
    """Return the lag of the open scope's tenant. A lag above five seconds is logged as an error.

    The age counts from the recording, so the events of a long transaction are already old when they begin to wait, and
    are sealed a moment later.

    Costs: one query over the queue, which is short unless something is wrong.
    """
    tenant_id = current_scope().tenant_id
    with connection.cursor() as cursor:
        cursor.execute(
            f"SELECT count(*), {_AGE} FROM {Unsealed._meta.db_table} WHERE tenant_id = %s",  # noqa: S608 (constants)
            [tenant_id],
        )
        waiting, oldest = cursor.fetchone()
    lag = SealingLag(waiting=waiting, oldest=max(oldest or timedelta(), timedelta()))
    _alarm(tenant_id, lag)
    return lag


def alarm_where_late() -> None:
    """Log an error for each tenant whose events have waited too long. Costs: one query over all queues."""
    with open_identity(Identity(all_tenants=True)), connection.cursor() as cursor:
        cursor.execute(
            f"SELECT tenant_id, count(*), {_AGE} FROM {Unsealed._meta.db_table} GROUP BY tenant_id"  # noqa: S608
        )
        found = cursor.fetchall()
    for tenant_id, waiting, oldest in found:
        _alarm(TenantId(tenant_id), SealingLag(waiting=waiting, oldest=oldest or timedelta()))


def _alarm(tenant_id: TenantId, lag: SealingLag) -> None:
    if not lag.is_late:
        return
    try:
        is_new = cache.add(_ALARM_KEY.format(tenant=tenant_id), True, timeout=_ALARM_LASTS_S)
    except RedisError:
        # Without the cache, every alarm counts as the first.
        is_new = True
    if is_new:
        logger.error(
            "%s events of tenant %s have no leaf in the log yet, the oldest for %.0f s: is the sealer running?",
            lag.waiting,
            tenant_id,
            lag.oldest.total_seconds(),
        )
