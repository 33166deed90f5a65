"""Find and run PostgreSQL's pg_dump and pg_restore, of the server's release or a later one."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import psycopg
from django.conf import settings

from apps.operations.backup.errors import BackupError
from config.needs import program_environment
from config.services import ServiceName
from config.services.cluster import programs_directory

_LAST_LINES: Final = 5


def program(name: str, *, server_version: int) -> Path:
    """Return the program for a server of this version (as psycopg gives it, such as 180006).

    Raises: BackupError: it is missing, or too old.
    """
    if settings.GLASSBOX_PG_PROGRAMS:
        path = Path(settings.GLASSBOX_PG_PROGRAMS) / name
    elif ServiceName.POSTGRES in settings.GLASSBOX_EMBEDDED_SERVICES:
        path = programs_directory() / name
    else:
        found = shutil.which(name)
        if found is None:
            raise BackupError(
                "audit.backup_program",
                program=name,
                problem="it is not on PATH; install PostgreSQL's client, or set GLASSBOX_PG_PROGRAMS",
            )
        path = Path(found)
    try:
        said = subprocess.run(
            [path, "--version"], env=program_environment(), capture_output=True, text=True, check=True
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BackupError(
            "audit.backup_program", program=path, problem=f"it does not run ({type(error).__name__})"
        ) from None
    major = re.search(r"\) (\d+)", said)
    if major is None or int(major[1]) < server_version // 10_000:
        problem = f"the server is PostgreSQL {server_version // 10_000}, and it is older; set GLASSBOX_PG_PROGRAMS"
        raise BackupError("audit.backup_program", program=path, problem=problem)
    return path


def run(command: Sequence[str | Path], *, password: str = "", on_line: Callable[[str], None] | None = None) -> str:
    """Run a program to its end. Returns: what it printed.

    Args:   password: for the server, passed in the environment, where a list of processes does not show it.
            on_line: called with each line that the program prints.
    Raises: BackupError: it failed; with its last lines, which name tables and not their content.
    """
    variables = program_environment(LC_ALL="C", **({"PGPASSWORD": password} if password else {}))
    lines: list[str] = []
    try:
        with subprocess.Popen(
            command, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
        ) as process:
            for line in process.stdout or ():
                lines.append(line.rstrip("\n"))
                if on_line is not None:
                    on_line(lines[-1])
    except OSError as error:
        raise BackupError(
            "audit.backup_program", program=command[0], problem=error.strerror or type(error).__name__
        ) from None
    if process.returncode:
        said = [line for line in lines if "error:" in line or "fatal" in line.lower()] or lines
        raise BackupError(
            "audit.backup_program",
            program=Path(command[0]).name,
            problem=" / ".join(said[-_LAST_LINES:]) or "it failed",
        )
    return "\n".join(lines)


def parameters(configured: dict[str, Any], *, role: str, database: str) -> dict[str, str]:
    """Return libpq's parameters for a role, from Django's settings of any connection to the server.

    They do not include the password.
    """
    given = {"host": configured["HOST"], "port": str(configured["PORT"] or ""), "user": role, "dbname": database}
    given |= {name: value for name, value in configured["OPTIONS"].items() if name.startswith("ssl")}
    return {name: value for name, value in given.items() if value}


def conninfo(given: dict[str, str]) -> str:
    return psycopg.conninfo.make_conninfo(**given)
