"""Use the embedded services: join them, leave them, stop them, and ask for their state."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from config import env
from config.locks import FileLock, LockTimeoutError
from config.needs import child_environment

from .account import user_name
from .cluster import require_space
from .errors import HomeNotUsableError, ServiceStartError, ServiceTimeoutError
from .keeper import make_server
from .layout import Durability, Endpoints, Layout, ServiceName
from .state import Phase, ServiceState, read_state

ALL: Final = frozenset(ServiceName)
START_TIMEOUT_S: Final = 330.0
_STOP_TIMEOUT_S: Final = 90.0
_POLL_S: Final = 0.01
_KEEPERS_MAX: Final = 3

# The locks that make this process (and its forks) a user; they live until it ends or leaves.
_joined: dict[tuple[Path, ServiceName], FileLock] = {}


def endpoints(home: Path | None = None) -> Endpoints:
    """Return how the services of a state folder are reached. Pure: it does not check whether they run."""
    return _layout(home).endpoints()


def ensure_services(
    *,
    home: Path | None = None,
    needed: Collection[ServiceName] = ALL,
    durability: Durability = Durability.DURABLE,
) -> Endpoints:
    """Join the services of a state folder, start those that do not run, and wait until they answer.

    They run as long as this process or another user lives, or until `release_services`. Calling it again costs a few
    file locks. The first process to start a service decides on its durability.

    Args:
        home: the state folder; GLASSBOX_HOME or `.glassbox` in the checkout when None.
        needed: which services; those that DATABASE_URL or REDIS_URL replace are not needed.
    Returns: how they are reached.
    Raises:  ServiceError: one can't be started, with what to do.
    """
    layout = _layout(home)
    _prepare(layout)
    joining = [service for service in sorted(needed) if (layout.home, service) not in _joined]
    try:
        with ExitStack() as starts:  # so that two services start at the same time
            for service in sorted(needed):
                _join(layout, service)
                starts.enter_context(_start_lock(layout, service))
                _ensure_keeper(layout, service, durability)
            for service in sorted(needed):
                _wait_until_ready(layout, service, durability)
    except BaseException:
        for service in joining:
            _leave(layout, service)
        raise
    return layout.endpoints()


def release_services(*, home: Path | None = None, wait_s: float = 0.0) -> None:
    """Leave the services, which stop when no other process uses them.

    Args:   wait_s: wait that long for them to stop, if we were the last; returns sooner when they have or when
                others still use them.
    """
    layout = _layout(home)
    left = [service for service in ServiceName if _leave(layout, service)]
    deadline = time.monotonic() + wait_s
    for service in left:
        while time.monotonic() < deadline and _is_kept(layout, service) and not _has_users(layout, service):
            time.sleep(_POLL_S)


def shared_descriptors() -> tuple[int, ...]:
    """Return open files to pass to a child, which then counts as a user too, even after this process was killed."""
    return tuple(lock.descriptor for lock in _joined.values() if lock.descriptor is not None)


def stop_services(*, home: Path | None = None) -> None:
    """Stop the services of a state folder, even if others use them, and wait until they have stopped.

    Raises: ServiceTimeoutError: one did not stop.
    """
    layout = _layout(home)
    for service in ServiceName:
        _leave(layout, service)
    if not layout.run.is_dir():
        return
    for service in ServiceName:
        keeper = read_state(layout.state(service)).keeper_pid
        if _is_kept(layout, service) and keeper is not None:
            os.kill(keeper, signal.SIGTERM)
    for service in ServiceName:
        lock = FileLock(layout.keeper_lock(service))
        try:
            lock.acquire(timeout_s=_STOP_TIMEOUT_S)
        except LockTimeoutError:
            raise ServiceTimeoutError(
                service=service.label, state="stopped", timeout_s=_STOP_TIMEOUT_S, log=layout.log(service)
            ) from None
        with lock:
            server = make_server(layout, service, Durability.DURABLE)
            if server.adopt():  # its keeper was killed
                server.stop()
            server.clear()
            layout.state(service).unlink(missing_ok=True)


def status(*, home: Path | None = None) -> dict[ServiceName, ServiceState]:
    """Return the state of each service of a state folder, without joining or starting it."""
    layout = _layout(home)
    stopped = ServiceState(phase=Phase.STOPPED)
    return {
        service: read_state(layout.state(service)) if _is_kept(layout, service) else stopped for service in ServiceName
    }


def _layout(home: Path | None) -> Layout:
    return Layout(env.home() if home is None else home.resolve())


def _prepare(layout: Layout) -> None:
    try:
        layout.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        owner = layout.home.stat().st_uid
        if owner != os.geteuid():
            raise HomeNotUsableError(home=layout.home, reason=f"it belongs to {user_name(owner)}")
        layout.run.mkdir(mode=0o700, exist_ok=True)
        layout.logs.mkdir(mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=layout.run):
            pass
    except OSError as error:
        raise HomeNotUsableError(home=layout.home, reason=error.strerror or str(error)) from error


def _join(layout: Layout, service: ServiceName) -> None:
    """Become a user of the service, so that its keeper continues."""
    key = (layout.home, service)
    if key in _joined and not _joined[key].is_orphaned():
        return
    users = FileLock(layout.users_lock(service), shared=True)
    try:
        users.acquire(timeout_s=START_TIMEOUT_S)  # a keeper that is stopping the service owns it
    except LockTimeoutError:
        raise _not_ready(layout, service) from None
    _joined[key] = users


@contextmanager
def _start_lock(layout: Layout, service: ServiceName) -> Iterator[None]:
    """Let only one process at a time decide whether there is a keeper, and wait for it to start."""
    lock = FileLock(layout.start_lock(service))
    try:
        lock.acquire(timeout_s=START_TIMEOUT_S)
    except LockTimeoutError:
        raise _not_ready(layout, service) from None
    with lock:
        yield


def _ensure_keeper(layout: Layout, service: ServiceName, durability: Durability) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while _is_kept(layout, service):
        if read_state(layout.state(service)).phase not in (Phase.STOPPING, Phase.FAILED):
            return
        if time.monotonic() > deadline:
            raise _not_ready(layout, service)
        time.sleep(_POLL_S)  # the keeper is about to end
    layout.state(service).unlink(missing_ok=True)
    _spawn_keeper(layout, service, durability)


def _spawn_keeper(layout: Layout, service: ServiceName, durability: Durability) -> None:
    require_space(layout.home, service=service.label)
    with layout.keeper_log.open("ab") as log:
        code = subprocess.run(
            [sys.executable, "-m", "config.services", service, str(layout.home), durability],
            cwd=env.CHECKOUT,
            env=child_environment(None),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            check=False,
        ).returncode
    if code != 0:
        raise ServiceStartError(
            service=service.label, reason=f"its keeper ended with status {code}", log=layout.keeper_log
        )


def _wait_until_ready(layout: Layout, service: ServiceName, durability: Durability) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    server = make_server(layout, service, durability)
    keepers = 1
    while time.monotonic() < deadline:
        kept = _is_kept(layout, service)
        state = read_state(layout.state(service))
        error = state.error()
        if error is not None:
            raise error
        if kept and state.phase is Phase.READY and server.answers():  # the server may have died since it was ready
            return
        if not kept:
            # A killed keeper can hold its lock for a moment longer, and so have been taken for alive.
            if keepers == _KEEPERS_MAX:
                raise ServiceStartError(service=service.label, reason="its keeper ended", log=layout.keeper_log)
            keepers += 1
            _ensure_keeper(layout, service, durability)
        time.sleep(_POLL_S)
    raise _not_ready(layout, service)


def _not_ready(layout: Layout, service: ServiceName) -> ServiceTimeoutError:
    return ServiceTimeoutError(service=service.label, state="ready", timeout_s=START_TIMEOUT_S, log=layout.log(service))


def _leave(layout: Layout, service: ServiceName) -> bool:
    lock = _joined.pop((layout.home, service), None)
    if lock is None:
        return False
    lock.release()
    return True


def _is_kept(layout: Layout, service: ServiceName) -> bool:
    """Return whether a keeper lives, which then owns its lock."""
    return not _is_free(FileLock(layout.keeper_lock(service), shared=True))


def _has_users(layout: Layout, service: ServiceName) -> bool:
    path = layout.users_lock(service)
    # The order matters: a keeper that is stopping owns the lock, and then neither form is free.
    return not _is_free(FileLock(path)) and _is_free(FileLock(path, shared=True))


def _is_free(lock: FileLock) -> bool:
    try:
        return lock.try_acquire()
    except FileNotFoundError:
        return True
    finally:
        lock.release()
