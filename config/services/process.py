"""One server process, which we started, or which still runs after the process that started it was killed."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import psutil

from .account import Account

LOG_MAX_BYTES: Final = 10_000_000


class ServerProcess:
    """A process that may or may not be our child."""

    def __init__(self, pid: int, child: subprocess.Popen[bytes] | None = None) -> None:
        """Watch a process. Raises: psutil.NoSuchProcess: there is none with that id."""
        self.pid = pid
        self._child = child
        self._process = psutil.Process(pid)

    @classmethod
    def launch(cls, command: Sequence[str | Path], *, account: Account, log: Path) -> ServerProcess:
        """Start a server in a separate session, so that a Ctrl-C in our terminal reaches only us.

        Raises: OSError: the program or the log can't be opened.
        """
        with log.open("ab") as output:
            child = spawn(command, account=account, output=output)
        return cls(child.pid, child)

    @property
    def returncode(self) -> int | None:
        """Return the exit code of a child that ended; None for a running one and for one that is not our child."""
        return self._child.poll() if self._child else None

    def alive(self) -> bool:
        if self._child is not None:
            return self._child.poll() is None
        try:
            return bool(self._process.is_running() and self._process.status() != psutil.STATUS_ZOMBIE)
        except psutil.NoSuchProcess:
            return False

    def stop(self, *attempts: tuple[signal.Signals, float]) -> None:
        """Send each signal in turn until the process has ended, waiting the given seconds after each."""
        for number, seconds in attempts:
            try:
                self._process.send_signal(number)
            except psutil.NoSuchProcess:
                return
            deadline = time.monotonic() + seconds
            while time.monotonic() < deadline:
                if not self.alive():
                    return
                time.sleep(0.02)


def spawn(command: Sequence[str | Path], *, account: Account, output: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start a program as the account, in a neutral directory, without our environment."""
    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=output,
        start_new_session=True,
        cwd="/",
        umask=0o077,
        env={"PATH": os.defpath, "LC_ALL": "C", "TZ": "UTC"},
        user=account.uid if account.switch else None,
        group=account.gid if account.switch else None,
        extra_groups=[] if account.switch else None,
    )


def working_in(directory: Path, *, name: str) -> list[int]:
    """Return the ids of processes of that name whose current directory is `directory`, where servers stay."""
    found, home = [], directory.resolve()
    for process in psutil.process_iter(["name"]):
        try:
            if (process.info["name"] or "").startswith(name) and Path(process.cwd()) == home:
                found.append(process.pid)
        except (psutil.NoSuchProcess, psutil.AccessDenied):
            continue
    return found


def kill_remains(directory: Path, *, name: str, timeout_s: float = 10.0) -> list[int]:
    """Kill the processes of an earlier server that still work in `directory`.

    Returns: the ids of those that did not end within `timeout_s`.
    """
    deadline = time.monotonic() + timeout_s
    while (left := working_in(directory, name=name)) and time.monotonic() < deadline:
        for pid in left:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    return left


def rotate(log: Path) -> int:
    """Limit the size of a service's log: rename one above LOG_MAX_BYTES.

    Returns: the present size of the log in bytes, which is where the output of the next start begins.
    """
    try:
        size = log.stat().st_size
    except FileNotFoundError:
        return 0
    if size <= LOG_MAX_BYTES:
        return size
    log.replace(log.with_suffix(".log.1"))
    return 0


def tail(log: Path, start: int, *, max_bytes: int = 20_000) -> list[str]:
    """Return the lines that were written to the log from byte `start` on, at most the last `max_bytes`."""
    with log.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        file.seek(max(start, end - max_bytes))
        return file.read().decode("utf-8", errors="replace").splitlines()
