"""Make a backup: the whole database as glassbox_backup sees it, in one snapshot, with a manifest.

The originals of documents are in the database, so there are no other files to back up. The backup leaves out data that
must not return: the keys of scope tokens, which the environment provides again; what a restore may remove
(repeating.py); and sessions, which would be signed in again.

Key-encryption keys are in no table, so that a backup alone opens no payload of the log. It holds everything else in the
clear: it is as confidential as the database, and only the owner of its files can read them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
from django.conf import settings
from django.db import connections
from django.utils import timezone
from psycopg import IsolationLevel

from apps.audit.services import record
from apps.operations.backup import manifest
from apps.operations.backup.errors import BackupError
from apps.operations.backup.programs import conninfo, parameters, program, run
from apps.tenants.context import open_scope
from apps.tenants.ids import TenantId
from config.files import write_atomically
from config.secrets import role_password

ROLE: Final = "glassbox_backup"
NOT_KEPT: Final = ("authz.signing_key", "authz.repeated_removal", "public.tenants_session")
_DUMPING: Final = "dumping contents of table"

_TABLES: Final = "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
_SCHEMA: Final = """
    SELECT string_agg(c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod), E'\\n'
                      ORDER BY c.relname, a.attname)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
"""
_LOGS: Final = """
    SELECT t.id::text, (SELECT coalesce(max(l.index) + 1, 0) FROM audit_leaf l WHERE l.tenant_id = t.id),
           (SELECT c.note FROM audit_checkpoint c WHERE c.tenant_id = t.id ORDER BY c.size DESC LIMIT 1)
      FROM tenants_tenant t ORDER BY t.id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Backup:
    """A backup that was made. leaves: how many leaves of each tenant's log are in it."""

    id: UUID
    path: Path
    byte_size: int
    leaves: dict[TenantId, int]


Progress = Callable[[int, int], None]
"""(tables done, tables in all)"""


def backup_write(output: Path, *, progress: Progress | None = None) -> Backup:
    """Write a backup of the configured database, and record in every tenant's log that it was made.

    Args:   output: a directory that must not exist. When this returns, it is there and complete; when this raises, it
            is not there.
    Raises: BackupError.
    """
    if output.exists():
        raise BackupError("audit.backup_target", path=output, problem="it exists")
    partial = output.with_name(f".{output.name}.{os.getpid()}.partial")
    made = timezone.now()
    try:
        output.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        partial.mkdir(mode=0o700)
        about = _write_dump(partial / manifest.DUMP, progress)
        about["files"] = {manifest.DUMP: manifest.describe_file(partial / manifest.DUMP)}
        id = uuid4()
        text = manifest.manifest_text({**about, "id": str(id), "made_at": made.isoformat()})
        write_atomically(partial / manifest.NAME, text)
        partial.rename(output)
    except OSError as error:
        raise BackupError("audit.backup_target", path=output, problem=error.strerror or type(error).__name__) from None
    finally:
        shutil.rmtree(partial, ignore_errors=True)
    backup = Backup(
        id=id,
        path=output,
        byte_size=about["files"][manifest.DUMP]["bytes"],
        leaves={TenantId(UUID(each["id"])): each["leaves"] for each in about["tenants"]},
    )
    _record(backup)
    return backup


def backup_check(folder: Path) -> dict[str, Any]:
    """Return the manifest after checking that all files are as written and that pg_restore can read the dump.

    Raises: BackupError.
    """
    values = manifest.read_manifest(folder)
    run([program("pg_restore", server_version=values["server_version"]), "--list", folder / manifest.DUMP])
    return values


def _write_dump(path: Path, progress: Progress | None) -> dict[str, Any]:
    """Write the dump. Returns: the description of its content, read from the same snapshot."""
    configured = connections["default"].settings_dict
    given = parameters(configured, role=ROLE, database=configured["NAME"])
    password = role_password(settings.GLASSBOX_DB_PASSWORDS, ROLE)
    try:
        connection = psycopg.connect(conninfo(given), password=password)
    except psycopg.OperationalError as error:
        raise BackupError(
            "audit.backup_program", program=ROLE, problem=f"it can't log in ({type(error).__name__})"
        ) from None
    with connection:
        connection.isolation_level, connection.read_only = IsolationLevel.REPEATABLE_READ, True
        snapshot = _one(connection, "SELECT pg_export_snapshot()")
        tables = int(_one(connection, _TABLES)) - sum(name.startswith("public.") for name in NOT_KEPT)
        tool = program("pg_dump", server_version=connection.info.server_version)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
        done = 0

        def on_line(line: str) -> None:
            nonlocal done
            if _DUMPING in line and progress is not None:
                done += 1
                progress(min(done, tables), tables)

        run(
            [
                tool,
                "--format=custom",
                f"--snapshot={snapshot}",
                "--verbose",
                f"--file={path}",
                *(f"--exclude-table-data={name}" for name in NOT_KEPT),
                f"--dbname={conninfo(given)}",
            ],
            password=password,
            on_line=on_line,
        )
        descriptor = os.open(path, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        schema = _one(connection, _SCHEMA)
        return {
            "database": configured["NAME"],
            "server_version": connection.info.server_version,
            "schema_sha256": hashlib.sha256(schema.encode()).hexdigest(),
            "migrations": [
                f"{app}.{name}"
                for app, name in connection.execute("SELECT app, name FROM django_migrations ORDER BY 1, 2").fetchall()
            ],
            "tombstones": _one(connection, "SELECT coalesce(max(number), 0) FROM audit_tombstonemark"),
            "tenants": [
                {"id": id, "leaves": leaves, "checkpoint": note}
                for id, leaves, note in connection.execute(_LOGS).fetchall()
            ],
        }


def _one(connection: psycopg.Connection, query: str) -> Any:
    row = connection.execute(query.encode()).fetchone()
    return None if row is None else row[0]


def _record(backup: Backup) -> None:
    """Record the backup in every log, so that each tenant's log shows that a copy of its data exists."""
    for tenant_id, leaves in backup.leaves.items():
        with open_scope(tenant=tenant_id, reason="manage.py backup"):
            record(
                action="audit.backup.made",
                core={"backup_id": str(backup.id), "leaves": leaves, "byte_size": backup.byte_size},
                subject_type="backup",
                subject_id=backup.id,
            )
