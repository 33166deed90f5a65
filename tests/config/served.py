"""A platform of its own: `manage.py up` on servers that nobody else uses, so that they may be stopped."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

import httpx
import psutil
import pytest
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker

from config import env
from config.processes import Platform, start_platform
from config.services import ServiceName, status

START_S = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    home: Path
    base_url: str
    process: subprocess.Popen[bytes]

    def get(self, path: str, **options: object) -> httpx.Response:
        """Whatever hangs ends the test, and not the suite."""
        return httpx.get(f"{self.base_url}{path}", **{"timeout": 25.0, **options})  # type: ignore[arg-type]

    def server(self, service: ServiceName) -> psutil.Process:
        pid = status(home=self.home)[service].pid
        assert pid is not None
        return psutil.Process(pid)

    def keeper(self, service: ServiceName) -> psutil.Process:
        pid = status(home=self.home)[service].keeper_pid
        assert pid is not None
        return psutil.Process(pid)

    @contextmanager
    def paused(self, service: ServiceName, *, whole: bool = True) -> Iterator[None]:
        """The server is there and says nothing; `whole`: nor do those that it forked, who serve open connections."""
        server = self.server(service)
        stopped = [server, *(server.children(recursive=True) if whole else ())]
        try:
            for each in stopped:
                with suppress(psutil.NoSuchProcess):
                    each.suspend()
            yield
        finally:
            for each in reversed(stopped):
                with suppress(psutil.NoSuchProcess):
                    each.resume()

    @contextmanager
    def ended(self, service: ServiceName) -> Iterator[None]:
        """The server is gone; its keeper, which would start it again, does so at the end."""
        keeper, server = self.keeper(service), self.server(service)
        keeper.suspend()
        try:
            server.send_signal(signal.SIGINT)
            until(lambda: not server.is_running() or server.status() == psutil.STATUS_ZOMBIE, within_s=60)
            yield
        finally:
            keeper.resume()


def until(holds: Callable[[], bool], *, within_s: float) -> float:
    """Returns: after how many seconds it held. Generous: a machine that is busy is no failure."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < within_s, f"it did not come to hold within {within_s:.0f} s"
        time.sleep(0.05)
    return time.monotonic() - began


def free_port() -> int:
    """Return a port that nobody uses. Two runs on one machine that began to search at one number would both find it."""
    with socket.create_server(("127.0.0.1", 0)) as found:
        port: int = found.getsockname()[1]
        return port


@contextmanager
def served_platform(home: Path, **variables: str) -> Iterator[Served]:
    """`manage.py up`, as an operator starts it."""
    port = free_port()
    log = home.with_name(f"{home.name}.log")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("GLASSBOX_", "DJANGO_"))}
    environment = kept | {
        "GLASSBOX_HOME": str(home),
        "GLASSBOX_NO_BOOTSTRAP": "1",
        "GLASSBOX_WARM_UP": "0",
        **variables,
    }
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up", "--port", str(port), "--web", "1"],
            cwd=env.CHECKOUT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            served = Served(home=home, base_url=f"http://127.0.0.1:{port}", process=process)
            until(lambda: _is_up(log, process), within_s=START_S)
            yield served
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(timeout=90)
            process.kill()
            log.unlink(missing_ok=True)


def _is_up(log: Path, process: subprocess.Popen[bytes]) -> bool:
    said = log.read_text(encoding="utf-8", errors="replace")
    assert process.poll() is None, said[-4000:]
    return "Glassbox is up" in said


@contextmanager
def suite_platform(blocker: DjangoDbBlocker, **variables: str) -> Iterator[tuple[Platform, list[str]]]:
    """Every process of the platform on the suite's own servers, and the lines that they write."""
    lines: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"DJANGO_SETTINGS_MODULE": "config.settings.test", **variables}.items():
            patch.setenv(name, value)
        started = start_platform(port=free_port(), emit=lambda name, line: lines.append(line), web_processes=2)
    try:
        # Ours is only one of the suite's many uses of the services: the others go on.
        yield replace(started, leaves_services=False), lines
    finally:
        started.supervisor.stop()
        with blocker.unblock():
            TransactionTestCase._fixture_teardown(TransactionTestCase())
