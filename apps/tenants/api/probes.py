"""Is everything there that the platform works with? Asked by anybody, so it costs little and tells names alone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from threading import Lock
from typing import Any, Final

import psycopg
from celery import current_app
from django.conf import settings
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from kombu.exceptions import OperationalError as BrokerError
from redis import Redis
from redis.exceptions import RedisError

from apps.tenants.alarms import Seen, look
from apps.tenants.registry import Alarm, Watched
from apps.tenants.tokens import IDENTITY_SETTING, Bearer, Identity, identity_token
from apps.tenants.transaction_tokens import signing_key
from config.postgresql.away import CONNECT_TIMEOUT_S
from config.postgresql.connections import DatabaseAwayError, LentConnection
from config.reach import Reach

# Of all that is asked on a connection; and of Redis.
PROBE_TIMEOUT_S = 1.5
WORKER_TIMEOUT_S = 1.0
# A probe opens a connection; whoever asks a hundred times a second must not open a hundred.
REMEMBERED_S = 2.0
_asking: Final = Lock()
_asking_readiness: Final = Lock()
# An event is sealed within seconds.
LONGEST_LAG_S = 5

# Of all tenants together: nobody learns from it whose log it is. It names tables of the floor above, as the sidebar
# names its pages. An id tells when its event was recorded (RFC 9562, version 7).
_LAG = """
    SELECT coalesce(extract(epoch FROM clock_timestamp()
               - uuid_extract_timestamp(min(event_id::text)::uuid)), 0)::bigint AS seconds
      FROM audit_unsealed
"""


class Part(StrEnum):
    DATABASE = "database"
    MIGRATIONS = "migrations"
    VECTORS = "vectors"
    REDIS = "redis"
    WORKER = "worker"
    LOG = "log"
    VERIFICATION = Watched.VERIFICATION.value
    REMOVALS = Watched.REMOVALS.value
    SCHEDULE = Watched.SCHEDULE.value
    SESSIONS = Watched.SESSIONS.value
    QUEUES = Watched.QUEUES.value
    WEBHOOKS = Watched.WEBHOOKS.value


class PartState(StrEnum):
    OK = "ok"
    FAILED = "failed"


class HealthStatus(StrEnum):
    OK = "ok"
    DEGRADED = "degraded"
    UNAVAILABLE = "unavailable"


# Without these nothing is answered. Without the others it is, with less: unthrottled, uploads wait, what is recorded is
# not proved, what was approved is not removed.
_NEEDED = frozenset({Part.DATABASE, Part.MIGRATIONS, Part.VECTORS})


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """Which parts work.

    sealing_lag_s: for how long the oldest event of any tenant has waited for its leaf; verification_age_s: how long ago
    a log was last verified, of the tenant for which that is longest. None where it can't be told.
    alarms: what is wrong, and with whom: for the operators, and for no answer of the API.
    """

    working: frozenset[Part]
    sealing_lag_s: int | None = None
    verification_age_s: int | None = None
    alarms: tuple[Alarm, ...] = ()

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
    # One asks, and whoever comes meanwhile hears the same.
    with _asking:
        return _health(int(time.monotonic() / REMEMBERED_S))


def readiness() -> Mapping[Part, bool]:
    """What a process needs to answer, and Redis, as it was at most a second ago: much less than health asks."""
    with _asking_readiness:
        return _readiness(int(time.monotonic()))


@lru_cache(maxsize=1)
def _readiness(moment: int) -> Mapping[Part, bool]:
    try:
        with _connection() as connection:
            working = _basics(connection)
    except psycopg.Error:
        working = set()
    return {**{part: part in working for part in sorted(_NEEDED)}, Part.REDIS: _redis()}


def is_ready(found: Mapping[Part, bool]) -> bool:
    return all(found[part] for part in _NEEDED)


@lru_cache(maxsize=1)
def _health(moment: int) -> Health:
    working, log = _database()
    if _redis():
        working |= {Part.REDIS}
        if _worker():
            working |= {Part.WORKER}
    if log.seen is None:
        return Health(working=frozenset(working), sealing_lag_s=log.lag_s)
    working |= {Part(each.value) for each in Watched} - {Part(each.watched.value) for each in log.seen.alarms}
    return Health(
        working=frozenset(working),
        sealing_lag_s=log.lag_s,
        verification_age_s=log.seen.ages_s.get(Watched.VERIFICATION),
        alarms=log.seen.alarms,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Log:
    """seen: None where nothing could be asked."""

    lag_s: int | None = None
    seen: Seen | None = None


@contextmanager
def _connection() -> Iterator[psycopg.Connection[Any]]:
    """One of its own, behind no pool, and with an end to every wait that is kept here: a server that hangs keeps none.

    Raises: psycopg.Error: at once where this process knows that the server is away.
    """
    default = connections["default"]
    reach: Reach | None = getattr(default, "reach", None)
    if reach is not None and reach.is_away:
        raise DatabaseAwayError("the database does not answer")
    own = {**default.get_connection_params(), "connect_timeout": CONNECT_TIMEOUT_S}
    with LentConnection.connect(**own) as connection, connection.limited(PROBE_TIMEOUT_S):
        yield connection


def _basics(connection: psycopg.Connection[Any]) -> set[Part]:
    working = {Part.DATABASE}
    row = connection.execute("SELECT to_regtype('halfvec') IS NOT NULL").fetchone()
    if row and row[0]:
        working.add(Part.VECTORS)
    row = connection.execute("SELECT to_regclass('django_migrations') IS NOT NULL").fetchone()
    # A server that was never migrated is there, and of no use yet.
    if row and row[0] and _known_migrations() <= _applied_migrations(connection):
        working.add(Part.MIGRATIONS)
    return working


def _applied_migrations(connection: psycopg.Connection[Any]) -> frozenset[tuple[str, str]]:
    return frozenset(connection.execute("SELECT app, name FROM django_migrations").fetchall())


def _database() -> tuple[set[Part], _Log]:
    try:
        with _connection() as connection:
            working = _basics(connection)
            return working, _log(connection, working)
    except psycopg.Error:
        return set(), _Log()


def _log(connection: psycopg.Connection[Any], working: set[Part]) -> _Log:
    """Adds to `working` whether the log is sealed in time. Last of all: where it fails, nothing more can be asked."""
    try:
        row = _asked(connection, _LAG)[0]
    except psycopg.Error:
        connection.rollback()
        return _Log()
    lag_s: int = row[0]
    if lag_s <= LONGEST_LAG_S:
        working.add(Part.LOG)
    return _Log(lag_s=lag_s, seen=look(lambda statement: _asked(connection, statement)))


def _asked(connection: psycopg.Connection[Any], statement: str) -> list[tuple[Any, ...]]:
    """A statement with all tenants open, in a transaction of its own."""
    with connection.transaction():
        found = connection.execute("SELECT pg_backend_pid(), authz.transaction_mark()").fetchone()
        pid, mark = found or (0, "")
        bearer = Bearer(backend_pid=pid, transaction=mark)
        token = identity_token(key=signing_key(), bearer=bearer, identity=Identity(all_tenants=True))
        connection.execute("SELECT set_config(%s, %s, true)", [IDENTITY_SETTING, token])
        return connection.execute(statement).fetchall()


def seen_now() -> Seen | None:
    """What is wrong, of all tenants; None where the database does not answer. On a connection of its own."""
    return _database()[1].seen


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
