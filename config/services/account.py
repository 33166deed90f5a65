"""The operating-system account that the services run as.

It is our own account, except under root, as which PostgreSQL refuses to run. Then it is an account that every system
has, and nothing is created; GLASSBOX_SERVICE_ACCOUNT names another one.
"""

from __future__ import annotations

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from config import env

from .errors import AccountError, UnreachableError

_CANDIDATES: Final = ("postgres", "nobody")


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The account of the services. Attributes: switch: whether a process must change to it, because we are root."""

    name: str
    uid: int
    gid: int
    switch: bool

    def own(self, directory: Path) -> None:
        """Give `directory` to this account, with mode 0700, and create it if it is missing."""
        directory.mkdir(mode=0o700, exist_ok=True)
        if self.switch:
            os.chown(directory, self.uid, self.gid)

    def make_reachable(self, path: Path) -> None:
        """Let the account pass through the directories above `path`.

        Under root, checkouts in /root or in a private temporary directory are closed to every other account. Only
        passing (x) is granted, never listing, and only on directories that belong to root.

        Raises: UnreachableError: a closed directory belongs to another user, who must decide about it.
        """
        if not self.switch:
            return
        for directory in reversed(path.parents):
            status = directory.stat()
            if status.st_mode & stat.S_IXOTH or status.st_uid == self.uid:
                continue
            if status.st_uid != 0:
                raise UnreachableError(
                    account=self.name, path=path, directory=directory, owner=user_name(status.st_uid)
                )
            directory.chmod(stat.S_IMODE(status.st_mode) | stat.S_IXOTH)

    def make_readable(self, directory: Path) -> None:
        """Let the account read a tree of installed programs (which a strict umask closes) and pass to it.

        Raises: UnreachableError: see `make_reachable`.
        """
        if not self.switch:
            return
        self.make_reachable(directory)
        for path in (directory, *directory.rglob("*")):
            status = path.stat()
            readable = stat.S_IROTH | (stat.S_IXOTH if status.st_mode & stat.S_IXUSR else 0)
            if status.st_mode & readable != readable:
                path.chmod(stat.S_IMODE(status.st_mode) | readable)


def service_account(directory: Path) -> Account:
    """Return the account for the service that keeps its data in `directory`, which need not exist yet.

    Raises: AccountError: we are root, and there is no other account to run it as.
    """
    uid = os.geteuid()
    if uid != 0:
        return Account(name=user_name(uid), uid=uid, gid=os.getegid(), switch=False)
    for entry in _candidates(directory):
        if entry.pw_uid != 0:
            return Account(name=entry.pw_name, uid=entry.pw_uid, gid=entry.pw_gid, switch=True)
    raise AccountError(reason=f"there is no account to run it as (looked for {', '.join(_CANDIDATES)})")


def _candidates(directory: Path) -> Iterator[pwd.struct_passwd]:
    """Yield the owner of existing data, then the account that GLASSBOX_SERVICE_ACCOUNT names, or the usual ones."""
    if directory.exists():
        with suppress(KeyError):
            yield pwd.getpwuid(directory.stat().st_uid)
    wanted = env.text("GLASSBOX_SERVICE_ACCOUNT", default="")
    for name in (wanted,) if wanted else _CANDIDATES:
        with suppress(KeyError):
            yield pwd.getpwnam(name)


def user_name(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
