"""Is everything there that the platform works with? Asked by anybody, so it costs little and tells names alone."""

from __future__ import annotations

import time
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any

import psycopg
from celery import current_app
from django.conf import settings
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.exceptions import RedisError

from apps.tenants.context import signing_key
from apps.tenants.tokens import IDENTITY_SETTING, Bearer, Identity, identity_token

PROBE_TIMEOUT_S = 2
WORKER_TIMEOUT_S = 1.0
# A probe opens a connection; whoever asks a hundred times a second must not open a hundred.
REMEMBERED_S = 2.0
# An event is sealed within seconds, and a log is verified every night.
LONGEST_LAG_S = 5
LONGEST_UNVERIFIED_S = 26 * 3600

# Of all tenants together: nobody learns from it whose log it is. It names tables of the floor above, as the sidebar
# names its pages. An id tells when its event was recorded (RFC 9562, version 7).
_LOG = """
    SELECT lag.seconds, verified.bad, verified.unverified_s, verified.age_s
      FROM (SELECT coalesce(extract(epoch FROM clock_timestamp()
                       - uuid_extract_timestamp(min(event_id::text)::uuid)), 0)::bigint AS seconds
              FROM audit_unsealed) lag,
           (SELECT count(*) FILTER (WHERE last.state <> 'intact') AS bad,
                   coalesce(extract(epoch FROM clock_timestamp()
                       - min(coalesce(last.finished_at, t.created_at))), 0)::bigint AS unverified_s,
                   extract(epoch FROM clock_timestamp() - min(last.finished_at))::bigint AS age_s
              FROM tenants_tenant t
              LEFT JOIN LATERAL (
                   SELECT v.state, v.finished_at FROM audit_verification v
                    WHERE v.tenant_id = t.id AND v.finished_at IS NOT NULL
                    ORDER BY v.requested_at DESC, v.id DESC LIMIT 1) last ON true
             WHERE t.status = 'active') verified
"""


class Part(StrEnum):
    DATABASE = "database"
    MIGRATIONS = "migrations"
    VECTORS = "vectors"
    REDIS = "redis"
    WORKER = "worker"
    LOG = "log"
    VERIFICATION = "verification"


class PartState(StrEnum):
    OK = "ok"
    FAILED = "failed"


class HealthStatus(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


# Without these nothing is answered. Without the others it is, with less: unthrottled, uploads wait, or what is recorded
# is not proved.
_NEEDED = frozenset({Part.DATABASE, Part.MIGRATIONS, Part.VECTORS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Which parts work.

    sealing_lag_s: for how long the oldest event of any tenant has waited for its leaf; verification_age_s: how long ago
    the last verification of a log ended, of the tenant for which that is longest. None where it can't be told.
    """

    working: frozenset[Part]
    sealing_lag_s: int | None = None
    verification_age_s: int | None = None

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
    working, log = _database()
    if _redis():
        working |= {Part.REDIS}
        if _worker():
            working |= {Part.WORKER}
    return Health(working=frozenset(working), sealing_lag_s=log.lag_s, verification_age_s=log.age_s)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Log:
    lag_s: int | None = None
    age_s: int | None = None


def _database() -> tuple[set[Part], _Log]:
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
            return working, _log(connection, working)
    except psycopg.errors.UndefinedTable:
        # A server that was never migrated: there, and of no use yet.
        return {Part.DATABASE}, _Log()
    except psycopg.Error:
        return set(), _Log()


def _log(connection: psycopg.Connection[Any], working: set[Part]) -> _Log:
    """Adds to `working` what of the log works. Last of all: where it fails, nothing more can be asked."""
    try:
        found = connection.execute("SELECT pg_backend_pid(), authz.transaction_mark()").fetchone()
        pid, mark = found or (0, "")
        bearer = Bearer(backend_pid=pid, transaction=mark)
        token = identity_token(key=signing_key(), bearer=bearer, identity=Identity(all_tenants=True))
        connection.execute("SELECT set_config(%s, %s, true)", [IDENTITY_SETTING, token])
        row = connection.execute(_LOG).fetchone()
    except psycopg.Error:
        connection.rollback()
        return _Log()
    lag_s, bad, unverified_s, age_s = row or (None, 0, 0, None)
    if lag_s is not None and lag_s <= LONGEST_LAG_S:
        working.add(Part.LOG)
    if not bad and unverified_s <= LONGEST_UNVERIFIED_S:
        working.add(Part.VERIFICATION)
    return _Log(lag_s=lag_s, age_s=age_s)


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
