"""One supervised process and its output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from config.env import CHECKOUT
from config.needs import Process, child_environment

Emit = Callable[[str, str], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessSpec:
    """One process of the platform.

    Attributes:
        command: its first part is a path.
        process: its purpose, which decides which of our secrets it gets; None for none.
        environment: added to that.
        descriptors: open files that it inherits, such as the socket that it listens on.
        ready: whether it does its work; called repeatedly until it does. It must return within seconds.
        stop_timeout_s: how long it may take to finish its current work after SIGTERM.
    """

    name: str
    command: Sequence[str]
    process: Process | None = None
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: Sequence[int] = ()
    ready: Callable[[], bool] = lambda: True
    stop_timeout_s: float = 30.0


class Child:
    """A running process of a spec."""

    def __init__(self, spec: ProcessSpec, *, emit: Emit, pass_descriptors: Sequence[int] = ()) -> None:
        """Start the process.

        Args:
            emit: gets its name and each line of its output, on a separate thread.
            pass_descriptors: open files that it inherits.
        """
        self.spec = spec
        self.began = time.monotonic()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "config.processes.lifeline", str(os.getpid()), *spec.command],
            cwd=CHECKOUT,
            env=child_environment(spec.process) | {"PYTHONUNBUFFERED": "1"} | dict(spec.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            # The child is detached from our terminal, so that a Ctrl-C reaches only us and we stop the children in
            # order.
            start_new_session=True,
            pass_fds=(*pass_descriptors, *spec.descriptors),
            text=True,
            encoding="utf-8",
            errors="replace",
        )
        self._reader = threading.Thread(target=self._read, args=(emit,), name=f"output of {spec.name}", daemon=True)
        self._reader.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def lived_s(self) -> float:
        return time.monotonic() - self.began

    def returncode(self) -> int | None:
        return self._process.poll()

    def ask_to_stop(self) -> None:
        self._signal(signal.SIGTERM)

    def wait_until_stopped(self, *, hurry: Callable[[], bool]) -> None:
        """Wait for the end that was asked for. Force it after the spec's time, or when `hurry` returns true."""
        deadline = time.monotonic() + self.spec.stop_timeout_s
        while self.returncode() is None and time.monotonic() < deadline and not hurry():
            time.sleep(0.02)
        if self.returncode() is None:
            self._signal(signal.SIGQUIT)  # Celery gives its tasks back; gunicorn ends at once
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._signal(signal.SIGKILL, group=True)
                self._process.wait()
        self._reader.join(timeout=2)

    def _signal(self, number: signal.Signals, *, group: bool = False) -> None:
        if self.returncode() is not None:
            return
        if group:
            os.killpg(self.pid, number)
        else:
            self._process.send_signal(number)

    def _read(self, emit: Emit) -> None:
        stream = self._process.stdout
        if stream is not None:
            with stream:
                for line in stream:
                    emit(self.spec.name, line.rstrip("\n"))
