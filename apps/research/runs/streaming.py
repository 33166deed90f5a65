"""Stream the events of a run for a bounded time, holding no database connection while nothing happens.

A stream ends with its run, where a plan waits to be started, or after less than a minute; its client then resumes after
the last event that it got. So a web process is never held for long, and a person who lost access gets nothing further
than the next look.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from itertools import chain
from threading import BoundedSemaphore
from typing import Final
from uuid import UUID, uuid4

from django.core.cache import cache
from redis.exceptions import RedisError

from apps.errors import ApplicationError
from apps.research.errors import RunError
from apps.research.models import RunState
from apps.research.runs.events import HEARTBEAT, Place, beginning_of, encode, events_of
from apps.research.runs.limits import HEARTBEAT_SECONDS, STREAM_SECONDS, STREAMS_AT_ONCE, STREAMS_OF_PROCESS
from apps.research.runs.showing import ShownRun, shown
from apps.tenants.counting import client
from apps.tenants.ids import TenantId
from apps.tenants.principals import Principal
from apps.tenants.roles import Permission
from apps.tenants.short_scopes import ShortScopes, release_connection

logger = logging.getLogger("glassbox.research")
_KEY: Final = "research:streams:{tenant}"
_EVERY_SECONDS: Final = 0.25
_SLOWEST_SECONDS: Final = 2.0
# Each stream holds a thread of this process.
_PLACES = BoundedSemaphore(STREAMS_OF_PROCESS)


class Stream:
    """The events of one run as bytes, from a place on. The server closes it when the client is gone."""

    def __init__(
        self,
        run_id: UUID,
        principal: Principal,
        after: Place,
        *,
        clock: Callable[[], float] = time.monotonic,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._run_id, self._after = run_id, after
        self._acting = ShortScopes.all_of(principal)
        self._clock, self._wait = clock, wait
        self._slot: str | None = None
        if not _PLACES.acquire(blocking=False):
            raise RunError("research.streams_full")
        self._has_place = True
        try:
            self._slot = _take_slot(principal.tenant_id)
            # What is refused is refused before the stream begins, with its status.
            self._first: ShownRun | None = self._look()
        except BaseException:
            self.close()
            raise

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._events()
        finally:
            self.close()

    def close(self) -> None:
        """Give the places back: that of the process, and that among the tenant's streams."""
        if self._has_place:
            self._has_place = False
            _PLACES.release()
        if self._slot is not None:
            _give_slot(self._acting.tenant_id, self._slot)
            self._slot = None

    def _events(self) -> Iterator[bytes]:
        begun = said = self._clock()
        pause = _EVERY_SECONDS
        while True:
            try:
                looked, self._first = self._first or self._look(), None
            except ApplicationError as error:
                # Access ended while the client listened: the stream ends, and says no more than a request would.
                logger.info("a stream of research %s ended: %s", self._run_id, error.code)
                return
            of_steps = (events_of(looked.row, step) for step in looked.steps)
            told = chain(beginning_of(looked.row), *of_steps)
            pieces = [(place, event) for place, event in told if place > self._after]
            for place, event in pieces:
                yield encode(place, event)
                self._after = place
            now = self._clock()
            if pieces:
                said, pause = now, _EVERY_SECONDS
            # Nothing comes of a plan before its owner has started it.
            if looked.row.has_ended or looked.row.state == RunState.PLANNED or now - begun >= STREAM_SECONDS:
                return
            if now - said >= HEARTBEAT_SECONDS:
                yield HEARTBEAT
                said = now
            self._wait(pause)
            pause = min(pause * 2, _SLOWEST_SECONDS)

    def _look(self) -> ShownRun:
        """Read what is new, with the grants of now, and give the connection back."""
        acting = self._acting.renewed()
        acting.principal.require(Permission.QUESTION_ASK)
        held = ShortScopes(principal=acting.principal, scope_ids=self._acting.scope_ids & acting.principal.scope_ids)
        try:
            with held.open():
                # The step of the last event may have further ones.
                return shown(self._run_id, after=max(0, self._after[0] - 1))
        finally:
            release_connection()


def _take_slot(tenant: TenantId) -> str:
    """Take a place among the tenant's open streams. A process that died gives its places back with their time.

    Raises: RunError: all are taken. RedisError.
    """
    name, slot, now = cache.make_key(_KEY.format(tenant=tenant)), uuid4().hex, time.time()
    with client().pipeline() as pipe:
        pipe.zremrangebyscore(name, 0, now)
        pipe.zadd(name, {slot: now + STREAM_SECONDS + HEARTBEAT_SECONDS})
        pipe.expire(name, round(STREAM_SECONDS * 3))
        pipe.zcard(name)
        taken = pipe.execute()[-1]
    if taken > STREAMS_AT_ONCE:
        _give_slot(tenant, slot)
        raise RunError("research.too_many_streams", limit=STREAMS_AT_ONCE)
    return slot


def _give_slot(tenant: TenantId, slot: str) -> None:
    try:
        client().zrem(cache.make_key(_KEY.format(tenant=tenant)), slot)
    except RedisError as error:
        logger.warning("the place of a stream ends with its time: %s", type(error).__name__)
