"""Restore a backup into a database that is missing or empty. A live database is set aside, never overwritten.

The new database is built beside the others under another name, and gets its name when it is complete. From then on it
must not be served (gate.py) until replay.py has repeated the removals in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final
from uuid import UUID

import psycopg
from django.conf import settings
from django.core.management import call_command
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.utils import timezone
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from apps.audit.log.tombstone_place import tombstone_place
from apps.operations.backup import manifest
from apps.operations.backup.dump import backup_check
from apps.operations.backup.errors import BackupError
from apps.operations.backup.programs import program, run
from apps.tenants.provision import provision
from config.startup import close_connections

_ITEM: Final = "processing data for table"
# Each try waits five seconds for other sessions to end.
_MOST_TRIES: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A restored backup. set_aside: the new name of the database that was replaced; empty if there was none."""

    backup_id: UUID
    made_at: datetime
    database: str
    set_aside: str


def restore(
    folder: Path, *, admin_url: str, database: str, replace: bool, on_table: Callable[[str], None] | None = None
) -> Restored:
    """Restore a backup as `database`. The database is not served before its replay.

    Args:   admin_url: of a server administrator.
            replace: a database of this name that holds tenants is set aside under another name.
    Raises: BackupError: also where the database is not empty, or the backup is of a later release;
            TombstonesUnavailableError. The existing database then stays, under its name.
    """
    values = backup_check(folder)
    _refuse_later_release(values["migrations"])
    with psycopg.connect(admin_url, autocommit=True) as server:
        holds = _holds_tenants(admin_url, server, database)
    if holds and not replace:
        problem = f"the database {database} holds tenants; --into NAME makes another one, --replace sets it aside"
        raise BackupError("audit.restore_refused", problem=problem)
    # From here on no database is taken for the first one, even if the place outside is a new one.
    tombstone_place().found()
    making = f"{database}_restoring"
    close_connections()
    _drop(admin_url, making)
    try:
        provision(
            admin_url=admin_url,
            database=making,
            passwords=settings.GLASSBOX_DB_PASSWORDS,
            keys=settings.GLASSBOX_SCOPE_KEYS,
        )
        _load(folder / manifest.DUMP, admin_url, making, values["server_version"], on_table)
        with _owner_of(making):
            call_command("migrate", interactive=False, verbosity=0)
        set_aside = _swap(admin_url, making, database, holds=holds)
    except BaseException:
        _drop(admin_url, making)
        raise
    made_at = datetime.fromisoformat(values["made_at"])
    return Restored(backup_id=UUID(values["id"]), made_at=made_at, database=database, set_aside=set_aside)


def _refuse_later_release(migrations: list[str]) -> None:
    known = {f"{app}.{name}" for app, name in MigrationLoader(None).disk_migrations}
    unknown = sorted(set(migrations) - known)
    if unknown:
        raise BackupError(
            "audit.restore_refused", problem=f"the backup is of a later release: {unknown[0]} is not known here"
        )


def _holds_tenants(admin_url: str, server: psycopg.Connection, database: str) -> bool | None:
    """Return whether the database holds tenants, or None if there is no such database."""
    if not server.execute("SELECT 1 FROM pg_database WHERE datname = %s", [database]).fetchone():
        return None
    with psycopg.connect(admin_url, dbname=database) as connection:
        # The size of the table tells: row-level security hides its rows from an administrator who is no superuser.
        row = connection.execute(
            "SELECT coalesce(pg_relation_size(to_regclass('public.tenants_tenant')), 0) > 0"
        ).fetchone()
    return bool(row and row[0])


def _load(
    dump: Path, admin_url: str, database: str, server_version: int, on_table: Callable[[str], None] | None
) -> None:
    """Load the dump in one transaction, without what provisioning made already: the schema authz and extensions."""
    given = conninfo_to_dict(admin_url)
    password = str(given.pop("password", "") or "")

    def on_line(line: str) -> None:
        if _ITEM in line and on_table is not None:
            on_table(line.rpartition(" ")[2].strip('"'))

    run(
        [
            program("pg_restore", server_version=server_version),
            "--schema=public",
            "--single-transaction",
            "--exit-on-error",
            "--verbose",
            f"--dbname={make_conninfo('', **{**given, 'dbname': database})}",
            dump,
        ],
        password=password,
        on_line=on_line,
    )


@contextmanager
def _owner_of(database: str) -> Iterator[None]:
    """Direct migrations to this database."""
    owner = connections["owner"]
    name = owner.settings_dict["NAME"]
    owner.close()
    owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = database
    try:
        yield
    finally:
        owner.close()
        owner.settings_dict["NAME"] = settings.DATABASES["owner"]["NAME"] = name


def _swap(admin_url: str, making: str, database: str, *, holds: bool | None) -> str:
    """Give the new database its name. Returns: the name under which the old one is kept, if it is.

    Args: holds: whether the existing database holds tenants; None if there is none, and then none is dropped.
    """
    close_connections()
    if holds:
        return _set_aside(admin_url, making, database)
    with psycopg.connect(admin_url, autocommit=True) as server:
        if holds is False:
            server.execute(_fill_names("DROP DATABASE {} WITH (FORCE)", database))
        server.execute(_fill_names("ALTER DATABASE {} RENAME TO {}", making, database))
    return ""


def _set_aside(admin_url: str, making: str, database: str) -> str:
    """Change both names in one transaction: if it is killed before its end, the live database is still served."""
    aside = f"{database}_replaced_{timezone.now():%Y%m%d%H%M%S}"
    for is_last in (*(False,) * (_MOST_TRIES - 1), True):
        try:
            with psycopg.connect(admin_url) as server:
                # A session that is connected to the database would prevent the renaming, and must not continue with it.
                server.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE datname = %s AND pid <> pg_backend_pid()",
                    [database],
                )
                server.execute(_fill_names("ALTER DATABASE {} RENAME TO {}", database, aside))
                server.execute(_fill_names("ALTER DATABASE {} RENAME TO {}", making, database))
        except psycopg.errors.ObjectInUse:
            # A new session connected between the two statements. Once the name is changing, none can.
            if is_last:
                problem = f"processes go on connecting to {database}; stop web, worker, sealer, eraser and beat first"
                raise BackupError("audit.restore_refused", problem=problem) from None
        else:
            break
    return aside


def _drop(admin_url: str, database: str) -> None:
    with psycopg.connect(admin_url, autocommit=True) as server:
        server.execute(_fill_names("DROP DATABASE IF EXISTS {} WITH (FORCE)", database))


def _fill_names(statement: Any, *names: str) -> sql.Composed:
    return sql.SQL(statement).format(*(sql.Identifier(name) for name in names))
