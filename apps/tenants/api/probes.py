"""Is everything there that the platform works with? Asked by anybody, so it costs little and tells names alone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

import psycopg
from celery import current_app
from django.conf import settings
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.exceptions import RedisError

PROBE_TIMEOUT_S = 2
WORKER_TIMEOUT_S = 1.0
# A probe opens a connection; whoever asks a hundred times a second must not open a hundred.
REMEMBERED_S = 2.0


class Part(StrEnum):
    DATABASE = "database"
    MIGRATIONS = "migrations"
    VECTORS = "vectors"
    REDIS = "redis"
    WORKER = "worker"


class PartState(StrEnum):
    OK = "ok"
    FAILED = "failed"


class HealthStatus(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


# Without these nothing is answered. Without the others it is, with less: unthrottled, and uploads wait.
_NEEDED = frozenset({Part.DATABASE, Part.MIGRATIONS, Part.VECTORS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Which parts work."""

    working: frozenset[Part]

    @property
    def status(self) -> HealthStatus:
        if not self.working >= _NEEDED:
            return HealthStatus.UNAVAILABLE
        return HealthStatus.OK if self.working == frozenset(Part) else HealthStatus.DEGRADED

    @property
    def checks(self) -> dict[str, str]:
        return {part.value: PartState.OK if part in self.working else PartState.FAILED for part in Part}


def health() -> Health:
    """Every part, as it was at most two seconds ago. Never raises for a part that is down."""
    return _health(int(time.monotonic() / REMEMBERED_S))


@lru_cache(maxsize=1)
def _health(moment: int) -> Health:
    working = _database()
    if _redis():
        working |= {Part.REDIS}
        if _worker():
            working |= {Part.WORKER}
    return Health(working=frozenset(working))


def _database() -> set[Part]:
    """A connection of its own: a pool waits half a minute before it says that the server is gone."""
    parameters = {**connections["default"].get_connection_params(), "connect_timeout": PROBE_TIMEOUT_S}
    try:
        with psycopg.connect(**parameters) as connection:
            connection.execute(f"SET statement_timeout = '{PROBE_TIMEOUT_S}s'")
            working = {Part.DATABASE}
            row = connection.execute("SELECT to_regtype('halfvec') IS NOT NULL").fetchone()
            if row and row[0]:
                working.add(Part.VECTORS)
            if _known_migrations() <= set(connection.execute("SELECT app, name FROM django_migrations").fetchall()):
                working.add(Part.MIGRATIONS)
            return working
    except psycopg.errors.UndefinedTable:
        # A server that was never migrated: there, and of no use yet.
        return {Part.DATABASE}
    except psycopg.Error:
        return set()


@lru_cache(maxsize=1)
def _known_migrations() -> frozenset[tuple[str, str]]:
    return frozenset(MigrationLoader(None).disk_migrations)


def _redis() -> bool:
    client = Redis.from_url(
        settings.CACHES["default"]["LOCATION"], socket_timeout=PROBE_TIMEOUT_S, socket_connect_timeout=PROBE_TIMEOUT_S
    )
    try:
        return bool(client.ping())
    except RedisError:
        return False
    finally:
        client.close()


def _worker() -> bool:
    """Whether any worker answers. Without one this waits the whole second."""
    try:
        return bool(current_app.control.ping(timeout=WORKER_TIMEOUT_S, limit=1))
    except (BrokerError, RedisError):
        return False
