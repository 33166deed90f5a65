"""Private directories for sockets, at a place where another user could have created one before us."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from pathlib import Path

from .account import Account
from .errors import SocketDirectoryError


def prepare_socket_directory(path: Path, *, account: Account, service: str) -> None:
    """Make `path` a directory that only the account (and root) can enter.

    Raises: SocketDirectoryError: something else is at that path, or the directory can't be made.
    """
    try:
        path.mkdir(mode=0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise SocketDirectoryError(service=service, path=path, reason=str(error.strerror)) from error
    status = path.lstat()
    if not stat.S_ISDIR(status.st_mode):
        raise SocketDirectoryError(service=service, path=path, reason="it is not a directory")
    if status.st_uid not in (account.uid, os.geteuid()):
        raise SocketDirectoryError(service=service, path=path, reason=f"it belongs to uid {status.st_uid}")
    account.own(path)
    path.chmod(0o700)


def listening(path: Path) -> bool:
    """Return whether a process accepts connections on the socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(path))
        except OSError:
            return False
    return True


def remove_socket_directory(path: Path, *, account: Account) -> None:
    """Remove our directory and the sockets that a killed server left in it. What is not ours is left alone."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        return
    if stat.S_ISDIR(status.st_mode) and status.st_uid == account.uid:
        shutil.rmtree(path)
