"""How the scan reaches what it reads: the server as its administrator, its files (or SQL for them), Redis, folders."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import psycopg
from django.conf import settings

from config import env
from config.secrets import role_password
from config.services import ServiceName, endpoints
from config.services.cluster import programs_directory

BLOCK_BYTES = 4 << 20  # whole pages of PostgreSQL


@dataclass(frozen=True, slots=True, kw_only=True)
class Access:
    """Where this installation's data are.

    Attributes: home: the state folder. folders: others that hold files of ours.
                redis_urls: the databases to read. redis_match: the pattern of their keys that are ours.
                backup_url: what pg_dump connects with, as libpq's variables. pg_dump: the program; empty for none.
                initdb: the program that makes clusters of the server's release; empty for none. baselines: where what
                it made is kept (baseline.py); None: in the state folder.
                embedded: the server is the one in the state folder.
                whole_server: look into the server's other databases too.
    """

    admin_url: str = field(repr=False)
    database: str
    home: Path
    folders: tuple[Path, ...] = ()
    redis_urls: tuple[str, ...] = field(default=(), repr=False)
    redis_match: str = "*"
    backup_url: dict[str, str] = field(default_factory=dict, repr=False)
    pg_dump: str = ""
    initdb: str = ""
    baselines: Path | None = None
    embedded: bool = True
    whole_server: bool = True

    def connect(self) -> psycopg.Connection[Any]:
        """To the database, as the server's administrator."""
        return psycopg.connect(self.admin_url, dbname=self.database, autocommit=True)


def access_from_settings(*, admin_url: str = "", redis_match: str = "*", whole_server: bool = True) -> Access:
    """What the settings say. Raises: EnvironmentVariableError: ADMIN_DATABASE_URL is needed and not set."""
    embedded = ServiceName.POSTGRES in settings.GLASSBOX_EMBEDDED_SERVICES
    if not admin_url:
        admin_url = (
            endpoints(settings.GLASSBOX_HOME).admin_dsn
            if embedded
            else env.url("ADMIN_DATABASE_URL", schemes=("postgresql", "postgres"))
        )
    database = settings.DATABASES["default"]
    # A broker's socket is written in Celery's own way, which redis-py does not read.
    broker = settings.CELERY_BROKER_URL.replace("redis+socket://", "unix://").replace("?virtual_host=", "?db=")
    checkpoints = Path(settings.GLASSBOX_CHECKPOINT_URL)
    media = Path(settings.MEDIA_ROOT) if settings.MEDIA_ROOT else None
    home = Path(settings.GLASSBOX_HOME)
    outside = [path for path in (checkpoints, media) if path and path.is_absolute() and not path.is_relative_to(home)]
    return Access(
        admin_url=admin_url,
        database=database["NAME"],
        home=home,
        folders=tuple(outside),
        redis_urls=tuple(dict.fromkeys((settings.CACHES["default"]["LOCATION"], broker))),
        redis_match=redis_match,
        backup_url={
            "PGHOST": database["HOST"],
            "PGPORT": str(database["PORT"]),
            "PGDATABASE": database["NAME"],
            "PGUSER": "glassbox_backup",
            "PGPASSWORD": role_password(settings.GLASSBOX_DB_PASSWORDS, "glassbox_backup"),
        }
        | ({"PGSSLMODE": database["OPTIONS"]["sslmode"]} if "sslmode" in database["OPTIONS"] else {}),
        pg_dump=str(programs_directory() / "pg_dump") if embedded else shutil.which("pg_dump") or "",
        baselines=home / "baseline",
        initdb=str(programs_directory() / "initdb") if embedded else _initdb(),
        embedded=embedded,
        whole_server=whole_server,
    )


def _initdb() -> str:
    """Of an external server's release, where its programs are installed on this machine."""
    folder: str = settings.GLASSBOX_PG_PROGRAMS
    return shutil.which("initdb", path=folder or None) or ""


class ServerFiles(Protocol):
    """The files of the server's data directory."""

    def walk(self, folder: str = "") -> Iterator[str]:
        """Every file's path, relative to the data directory."""
        ...

    def read(self, path: str) -> Iterator[bytes]:
        """A file in blocks; nothing when it has gone meanwhile, as the server's files do."""
        ...


@dataclass(frozen=True, slots=True)
class LocalFiles:
    root: Path

    def walk(self, folder: str = "") -> Iterator[str]:
        for directory, _, names in os.walk(self.root / folder, followlinks=True):  # tablespaces are links
            for name in names:
                yield str((Path(directory) / name).relative_to(self.root))

    def read(self, path: str) -> Iterator[bytes]:
        return read_file(self.root / path)


@dataclass(frozen=True, slots=True)
class FilesBySql:
    """Through pg_read_binary_file: of a server whose disk is elsewhere, for whoever may call it."""

    access: Access

    def walk(self, folder: str = "") -> Iterator[str]:
        with self.access.connect() as connection:
            folders = [folder]
            while folders:
                here = folders.pop()
                rows = connection.execute(
                    "SELECT name, (pg_stat_file(%(here)s || '/' || name, true)).isdir "
                    "FROM pg_ls_dir(%(here)s, true, false) AS name",
                    {"here": here or "."},
                ).fetchall()
                for name, is_folder in rows:
                    path = f"{here}/{name}" if here else name
                    if is_folder:
                        folders.append(path)
                    elif is_folder is not None:
                        yield path

    def read(self, path: str) -> Iterator[bytes]:
        with self.access.connect() as connection:
            offset = 0
            while True:
                row = connection.execute(
                    "SELECT pg_read_binary_file(%s, %s, %s, true)", [path, offset, BLOCK_BYTES], binary=True
                ).fetchone()
                block = bytes(row[0]) if row and row[0] else b""
                if not block:
                    return
                yield block
                offset += len(block)


def server_files(access: Access) -> ServerFiles | None:
    """The server's files by whichever way there is; None where there is none."""
    with access.connect() as connection:
        row = connection.execute(
            "SELECT CASE WHEN pg_has_role('pg_read_all_settings', 'USAGE') THEN current_setting('data_directory') END, "
            "extract(epoch FROM pg_postmaster_start_time())::bigint, "
            "bool_and(has_function_privilege(p.oid, 'EXECUTE')) FROM pg_proc p "
            "WHERE p.oid::regprocedure::text IN ('pg_read_binary_file(text,bigint,bigint,boolean)', "
            "'pg_ls_dir(text,boolean,boolean)', 'pg_stat_file(text,boolean)')"
        ).fetchone()
    if row is None:
        return None
    directory, started, readable = row
    if directory and _is_ours(Path(directory), started):
        return LocalFiles(Path(directory))
    return FilesBySql(access) if readable else None


def _is_ours(directory: Path, started: int) -> bool:
    """Whether that folder on this machine is the server's, and not one of the same name."""
    try:
        lines = (directory / "postmaster.pid").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    # Its third line is when the postmaster wrote it, a moment before or after the time that the server tells.
    return len(lines) > 2 and lines[2].isdigit() and abs(int(lines[2]) - started) <= 5


def read_file(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            while block := file.read(BLOCK_BYTES):
                yield block
    except FileNotFoundError:
        return
