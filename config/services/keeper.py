"""The keeper: one small process a service that starts it, watches it and stops it when nobody uses it any more.

Every process that uses the service shares a lock on `<service>.users`. The kernel drops it when the process ends,
however it ends, so the keeper needs no count: when it can own that lock, the last user is gone. It stops the service,
then itself. It restarts a server that dies under its users.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import time
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Final, Protocol

from config.locks import FileLock

from .errors import ServiceError, ServiceStartError
from .layout import Durability, Layout, ServiceName
from .postgres import PostgresServer
from .redis import RedisServer
from .state import Phase, ServiceState, failed

POLL_S: Final = 0.1
RESTARTS_MAX: Final = 5
RESTARTS_WINDOW_S: Final = 60.0

logger = logging.getLogger("glassbox.services")


class Server(Protocol):
    """One kind of server on one state folder.

    `start` waits until it answers, `adopt` takes over one that runs already, `stop` ends it, and `clear` removes
    what one that was killed left at work or lying about. `alive` asks the process that was started or adopted,
    `answers` the socket.
    """

    @property
    def pid(self) -> int | None: ...

    def alive(self) -> bool: ...

    def answers(self) -> bool: ...

    def adopt(self) -> bool: ...

    def start(self) -> None: ...

    def stop(self) -> None: ...

    def clear(self) -> None: ...


def make_server(layout: Layout, service: ServiceName, durability: Durability) -> Server:
    if service is ServiceName.POSTGRES:
        return PostgresServer(layout, durability)
    return RedisServer(layout)


@dataclass(slots=True)
class Keeper:
    """Keeps one server; see the module."""

    layout: Layout
    service: ServiceName
    server: Server
    _stop_asked: bool = field(default=False, init=False)
    _restarts: deque[float] = field(default_factory=deque, init=False)

    def run(self, keeper_lock: FileLock) -> int:
        """Start, watch, stop.

        Args:    keeper_lock: held; released when the service has stopped, before the users' lock.
        Returns: exit status: 1 when the service failed.
        """
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, self._ask_stop)
        users = FileLock(self.layout.users_lock(self.service))
        try:
            self._report(Phase.STARTING)
            self.server.start()
            self._report(Phase.READY)
            while not self._stop_asked and not self._is_homeless(keeper_lock) and not self._is_unused(users):
                if not self.server.alive():
                    self._restart()
                time.sleep(POLL_S)
        except (ServiceError, OSError) as error:
            self._fail(error)
            return 1
        else:
            self._finish(keeper_lock)
            return 0
        finally:
            keeper_lock.release()
            users.release()

    def _is_homeless(self, keeper_lock: FileLock) -> bool:
        """Whether the state folder was removed, and with it every way to reach us."""
        return keeper_lock.is_orphaned()

    def _is_unused(self, users: FileLock) -> bool:
        try:
            return users.try_acquire()
        except FileNotFoundError:  # homeless since a moment ago
            return True

    def _fail(self, error: ServiceError | OSError) -> None:
        logger.warning("%s failed: %s", self.service.label, error)
        if isinstance(error, OSError):
            error = ServiceStartError(service=self.service.label, reason=str(error), log=self.layout.keeper_log)
        try:
            failed(error, keeper_pid=os.getpid()).write(self.layout.state(self.service))
        except OSError:
            logger.exception("its failure could not be written down")  # a full disk; whoever waits sees us end
        self.server.stop()

    def _finish(self, keeper_lock: FileLock) -> None:
        if self._is_homeless(keeper_lock):
            logger.warning("%s: the state folder was removed; stopping.", self.service.label)
            # The directory of its socket stays: a new folder at the same place has the same one, and its keeper may
            # have made it ready just now.
            self.server.stop()
            return
        self._report(Phase.STOPPING)
        self.server.stop()
        self.server.clear()
        self.layout.state(self.service).unlink(missing_ok=True)
        logger.info("%s stopped.", self.service.label)

    def _restart(self) -> None:
        now = time.monotonic()
        self._restarts.append(now)
        while now - self._restarts[0] > RESTARTS_WINDOW_S:
            self._restarts.popleft()
        if len(self._restarts) > RESTARTS_MAX:
            raise ServiceStartError(
                service=self.service.label,
                reason=f"it ended {RESTARTS_MAX} times within {RESTARTS_WINDOW_S:.0f} s",
                log=self.layout.log(self.service),
            )
        logger.warning("%s ended unexpectedly; starting it again.", self.service.label)
        self._report(Phase.STARTING)
        self.server.start()
        self._report(Phase.READY)

    def _report(self, phase: Phase) -> None:
        state = ServiceState(phase=phase, pid=self.server.pid, keeper_pid=os.getpid())
        state.write(self.layout.state(self.service))
        logger.info("%s: %s (pid %s)", self.service.label, phase, self.server.pid)

    def _ask_stop(self, number: int, frame: FrameType | None) -> None:
        self._stop_asked = True


def main(arguments: Sequence[str]) -> int:
    """Become the keeper of a service, in the background; started by `ensure_services`, not by hand."""
    parser = argparse.ArgumentParser(prog="config.services", description=__doc__)
    parser.add_argument("service", type=ServiceName)
    parser.add_argument("home", type=Path)
    parser.add_argument("durability", type=Durability)
    options = parser.parse_args(arguments)
    layout = Layout(options.home)
    keeper_lock = FileLock(layout.keeper_lock(options.service))
    if not keeper_lock.try_acquire():
        return 0
    # The parent ends at once, so that whoever started us has no child to wait for; the lock lives on in the child.
    if os.fork():
        os._exit(0)
    os.chdir("/")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s [%(process)d] %(message)s")
    server = make_server(layout, options.service, options.durability)
    return Keeper(layout, options.service, server).run(keeper_lock)
