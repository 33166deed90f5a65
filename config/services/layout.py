"""Where the embedded services keep their files, and how they are reached. Pure: starts and creates nothing."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

POSTGRES_PORT: Final = 5432  # only a part of the socket's name: no TCP port is opened
SUPERUSER: Final = "postgres"

# Not under XDG_RUNTIME_DIR, which differs between a login, cron and sudo, and vanishes at logout. Not in the state
# folder, whose path may be longer than the 107 bytes of a socket's address or lie on a mount that has no sockets.
_SOCKETS: Final = Path("/tmp")  # noqa: S108 (a private directory in it, whose owner is checked)


class ServiceName(StrEnum):
    POSTGRES = "postgres"
    REDIS = "redis"

    @property
    def label(self) -> str:
        return "PostgreSQL" if self is ServiceName.POSTGRES else "Redis"


class Durability(StrEnum):
    """Whether writes wait for the disk.

    DISPOSABLE never waits: several times faster, but a power cut may destroy the data. For tests.
    """

    DURABLE = "durable"
    DISPOSABLE = "disposable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoints:
    """How the services of one state folder are reached.

    Attributes:
        admin_dsn: libpq string for the superuser in database `postgres`; the kernel confirms the operating-system
            user, so it holds no password. Every other role logs in with its password (SCRAM).
        postgres_host: directory of the socket, which libpq takes as host.
        redis_url: for redis-py, `unix://...`, database 1 (the broker has 0).
        broker_url: for Celery, `redis+socket://...`.
    """

    admin_dsn: str
    postgres_host: str
    postgres_port: int
    redis_url: str
    broker_url: str


@dataclass(frozen=True, slots=True)
class Layout:
    """The paths of one state folder. Several folders on one machine share none of them."""

    home: Path

    @property
    def logs(self) -> Path:
        return self.home / "log"

    @property
    def run(self) -> Path:
        return self.home / "run"

    def directory(self, service: ServiceName) -> Path:
        """Return the folder of the service's data; it belongs to the account that the service runs as."""
        return self.home / service

    def log(self, service: ServiceName) -> Path:
        return self.logs / f"{service}.log"

    @property
    def keeper_log(self) -> Path:
        return self.logs / "services.log"

    def state(self, service: ServiceName) -> Path:
        return self.run / f"{service}.json"

    def users_lock(self, service: ServiceName) -> Path:
        """Return the lock that every process that uses the service shares."""
        return self.run / f"{service}.users"

    def keeper_lock(self, service: ServiceName) -> Path:
        """Return the lock that the keeper owns as long as it lives."""
        return self.run / f"{service}.keeper"

    def start_lock(self, service: ServiceName) -> Path:
        """Return the lock that is owned by the process that waits for a keeper to start."""
        return self.run / f"{service}.start"

    def sockets(self, service: ServiceName) -> Path:
        digest = hashlib.sha256(os.fsencode(self.home)).hexdigest()[:12]
        return _SOCKETS / f"glassbox-{os.geteuid()}-{digest}-{service}"

    @property
    def redis_socket(self) -> Path:
        return self.sockets(ServiceName.REDIS) / "redis.sock"

    @property
    def postgres_socket(self) -> Path:
        return self.sockets(ServiceName.POSTGRES) / f".s.PGSQL.{POSTGRES_PORT}"

    def endpoints(self) -> Endpoints:
        host = self.sockets(ServiceName.POSTGRES)
        return Endpoints(
            admin_dsn=f"host={host} port={POSTGRES_PORT} user={SUPERUSER} dbname=postgres",
            postgres_host=str(host),
            postgres_port=POSTGRES_PORT,
            redis_url=f"unix://{self.redis_socket}?db=1",
            broker_url=f"redis+socket://{self.redis_socket}?virtual_host=0",
        )
