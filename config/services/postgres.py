"""The embedded PostgreSQL server: start or adopt, watch, stop."""

from __future__ import annotations

import os
import pwd
import signal
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil

from .account import Account, service_account
from .cluster import Cluster, failure, programs_directory
from .errors import ServiceError, ServiceTimeoutError, SocketInUseError
from .layout import POSTGRES_PORT, Durability, Layout, ServiceName
from .process import ServerProcess, kill_remains, rotate, tail, working_in
from .sockets import listening, prepare_socket_directory, remove_socket_directory

START_TIMEOUT_S: Final = 300.0  # crash recovery replays up to max_wal_size
_PREDECESSOR_TIMEOUT_S: Final = 10.0

_SETTINGS: Final = {
    "listen_addresses": "",
    "port": str(POSTGRES_PORT),
    "unix_socket_permissions": "0700",
    "cluster_name": "glassbox",
    "max_connections": "200",
    "shared_buffers": "256MB",
    "effective_cache_size": "2GB",
    "work_mem": "32MB",
    "maintenance_work_mem": "256MB",
    "max_wal_size": "2GB",
    "wal_compression": "on",
    "random_page_cost": "1.1",
    "jit": "off",  # our statements are short: compiling them costs more than it saves
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m [%p] %q%u@%d ",
    # A statement's text holds questions and tokens, and an error's may quote a value; neither belongs in the log. In
    # PostgreSQL's order of messages, `log` is above `error`: starts, ends and crashes are still written.
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
}
_DISPOSABLE: Final = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
}


@dataclass(slots=True)
class PostgresServer:
    """PostgreSQL on the data directory of one state folder; only the folder's keeper has one."""

    layout: Layout
    durability: Durability = Durability.DURABLE
    name: ServiceName = field(default=ServiceName.POSTGRES, init=False)
    _process: ServerProcess | None = field(default=None, init=False)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    @property
    def data_directory(self) -> Path:
        return self.layout.directory(self.name) / "data"

    def alive(self) -> bool:
        return self._process is not None and self._process.alive() and self.layout.postgres_socket.is_socket()

    def answers(self) -> bool:
        return listening(self.layout.postgres_socket)

    def adopt(self) -> bool:
        """Take over a server that runs on our data directory although its keeper has ended.

        Returns: whether there is one.
        """
        pid = self._recorded_pid()
        if pid is None or pid not in working_in(self.data_directory, name="postgres"):
            return False
        self._process = ServerProcess(pid)
        return True

    def start(self) -> None:
        """Start the server and wait until it answers, including crash recovery.

        Raises: ServiceError: with what to do.
        """
        account = service_account(self.layout.directory(self.name))
        programs = programs_directory()
        account.make_readable(programs.parent)
        account.make_reachable(self.layout.directory(self.name))
        if self.adopt():
            if self._listens_here() and self._wait_until_ready(log_start=0) is None:
                return
            self.stop()
        cluster = Cluster(path=self.data_directory, account=account, programs=programs, log=self.layout.log(self.name))
        cluster.prepare(durability=self.durability, user=pwd.getpwuid(os.geteuid()).pw_name)
        self.clear()
        prepare_socket_directory(self.layout.sockets(self.name), account=account, service=self.name.label)
        self._launch(account, programs)

    def stop(self) -> None:
        """Shut down fast, which rolls open transactions back; use stronger signals only if that fails."""
        if self._process is not None:
            self._process.stop((signal.SIGINT, 60.0), (signal.SIGQUIT, 10.0), (signal.SIGKILL, 5.0))
            self._process = None

    def _launch(self, account: Account, programs: Path) -> None:
        log = self.layout.log(self.name)
        start = rotate(log)
        settings = _SETTINGS | {"dynamic_shared_memory_type": _shared_memory_type()}
        if self.durability is Durability.DISPOSABLE:
            settings |= _DISPOSABLE
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        sockets = self.layout.sockets(self.name)
        self._process = ServerProcess.launch(
            [programs / "postgres", "-D", self.data_directory, "-k", sockets, *options], account=account, log=log
        )
        error = self._wait_until_ready(log_start=start)
        if error is not None:
            self.stop()
            raise error

    def _wait_until_ready(self, *, log_start: int) -> ServiceError | None:
        log = self.layout.log(self.name)
        deadline = time.monotonic() + START_TIMEOUT_S
        while time.monotonic() < deadline:
            if self._process is None or not self._process.alive():
                lines = tail(log, log_start)
                return failure(lines, fallback="it ended at once", path=self.data_directory, log=log)
            if self._is_ready():
                return None
            time.sleep(0.02)
        return ServiceTimeoutError(service="PostgreSQL", state="ready", timeout_s=START_TIMEOUT_S, log=log)

    def _is_ready(self) -> bool:
        lines = self._pid_file_lines()
        # The postmaster writes this file as it starts: line 1 is its pid, line 5 the socket directory, line 8 the
        # state.
        return (
            len(lines) >= 8
            and self._process is not None
            and lines[0].strip() == str(self._process.pid)
            and lines[7].strip() == "ready"
        )

    def _listens_here(self) -> bool:
        """Return whether an adopted server's socket is at its place; it is not after its state folder was moved."""
        lines = self._pid_file_lines()
        return len(lines) >= 5 and lines[4].strip() == str(self.layout.sockets(self.name))

    def _recorded_pid(self) -> int | None:
        lines = self._pid_file_lines()
        return int(lines[0]) if lines and lines[0].strip().isdigit() else None

    def _pid_file_lines(self) -> list[str]:
        try:
            return (self.data_directory / "postmaster.pid").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []

    def clear(self) -> None:
        """Remove what a killed postmaster leaves behind.

        These are backends that still work, whose shared memory keeps the next server from starting, and lock files,
        whose process id may belong to another process by now.

        Raises: SocketInUseError: an earlier server does not end.
        """
        left = kill_remains(self.data_directory, name="postgres")
        if left:
            raise SocketInUseError(
                service="PostgreSQL", path=self.data_directory, reason=f"processes {left} of an earlier server hold it"
            )
        deadline = time.monotonic() + _PREDECESSOR_TIMEOUT_S
        while (pid := self._socket_holder()) is not None:
            if time.monotonic() > deadline:
                raise SocketInUseError(
                    service="PostgreSQL", path=self.layout.postgres_socket, reason=f"process {pid} listens there"
                )
            time.sleep(0.05)
        (self.data_directory / "postmaster.pid").unlink(missing_ok=True)
        account = service_account(self.layout.directory(self.name))
        remove_socket_directory(self.layout.sockets(self.name), account=account)

    def _socket_holder(self) -> int | None:
        """Return the postmaster that listens on our socket, which soon ends if its state folder was removed."""
        lock = self.layout.postgres_socket.with_name(self.layout.postgres_socket.name + ".lock")
        try:
            pid = int(lock.read_text(encoding="utf-8").split("\n", 1)[0])
            return pid if psutil.Process(pid).name().startswith("postgres") else None
        except (OSError, ValueError, psutil.NoSuchProcess):
            return None


def _shared_memory_type() -> str:
    """Return POSIX shared memory, or files if /dev/shm is small: a container's 64 MB end a parallel index build."""
    try:
        status = os.statvfs("/dev/shm")  # noqa: S108 (asked about, not written to)
    except FileNotFoundError:
        return "mmap"
    return "posix" if status.f_blocks * status.f_frsize >= 512 * 1024 * 1024 else "mmap"
