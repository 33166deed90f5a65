"""Start processes in order, restart those that die, and stop them in the reverse order."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import Final

from .child import Child, Emit, ProcessSpec
from .errors import ProcessDiedError, ProcessError, ProcessNotReadyError

READY_TIMEOUT_S: Final = 90.0
POLL_S: Final = 0.05

__all__ = ["Emit", "ProcessSpec", "Supervisor"]


class Supervisor:
    """The parent of a few processes.

    A process that dies is reported and started again: at once, then after 1, 2, 4 ... 30 seconds while it keeps dying
    within a minute. If it dies `deaths_max` times like that, or before it was ever ready, everything is stopped.

    Args:
        specs: in the order of their start; they are stopped in the reverse order.
        emit: gets a name and a line of output; called from several threads, one line at a time. If the output is not
            visible at once, its `where` returns where the output of a name is, and its `notice` gets urgent lines.
        pass_descriptors: open files that the children inherit.
    """

    stable_s: float = 60.0
    pause_first_s: float = 1.0
    pause_max_s: float = 30.0
    deaths_max: int = 6

    def __init__(self, specs: Sequence[ProcessSpec], *, emit: Emit, pass_descriptors: Sequence[int] = ()) -> None:
        self._specs = tuple(specs)
        self._pass_descriptors = tuple(pass_descriptors)
        self._output = emit
        self._where: Callable[[str], str] = getattr(emit, "where", lambda name: "Its last lines say why.")
        self._notice: Callable[[str], None] = getattr(emit, "notice", lambda line: None)
        self._output_lock = threading.Lock()
        self._children: dict[str, Child] = {}
        self._deaths: dict[str, int] = {}
        self._due: dict[str, float] = {}
        self._stopping = threading.Event()
        self._hurry = threading.Event()
        self._watcher: threading.Thread | None = None
        self.failure: ProcessError | None = None

    def pid(self, name: str) -> int:
        """Return the process id of a running child."""
        return self._children[name].pid

    def start(self, *, timeout_s: float = READY_TIMEOUT_S) -> None:
        """Start everything, wait until everything is ready, and then watch it.

        Raises: ProcessDiedError, ProcessNotReadyError: everything has been stopped again.
        """
        try:
            for spec in self._specs:
                self._launch(spec)
            deadline = time.monotonic() + timeout_s
            for spec in self._specs:
                self._wait_until_ready(spec, deadline, timeout_s)
        except BaseException:
            self.stop()
            raise
        self._watcher = threading.Thread(target=self._watch, name="supervisor", daemon=True)
        self._watcher.start()

    def serve(self) -> None:
        """Block until Ctrl-C or SIGTERM, then stop everything. A second Ctrl-C stops it without waiting for its work.

        Raises: ProcessError: a process kept dying; everything has been stopped.
        """
        with self._handling_signals():
            while not self._stopping.wait(POLL_S):
                pass
            self.stop()
        if self.failure is not None:
            raise self.failure

    def stop(self) -> None:
        """Stop everything in the reverse order of its start, each process after it has finished its current work."""
        self._stopping.set()
        if self._watcher is not None and self._watcher is not threading.current_thread():
            self._watcher.join()
        for spec in reversed(self._specs):
            child = self._children.pop(spec.name, None)
            if child is None:
                continue
            if child.returncode() is None:
                self.emit(spec.name, "stopping ...")
            child.ask_to_stop()
            child.wait_until_stopped(hurry=self._hurry.is_set)

    def emit(self, name: str, line: str) -> None:
        with self._output_lock:
            self._output(name, line)

    def _launch(self, spec: ProcessSpec) -> None:
        self._children[spec.name] = Child(spec, emit=self.emit, pass_descriptors=self._pass_descriptors)

    def _wait_until_ready(self, spec: ProcessSpec, deadline: float, timeout_s: float) -> None:
        while not self._stopping.is_set():
            self._require_alive()
            if spec.ready():
                return
            if time.monotonic() > deadline:
                raise ProcessNotReadyError(name=spec.name, timeout_s=f"{timeout_s:.0f}", where=self._where(spec.name))
            time.sleep(POLL_S)

    def _require_alive(self) -> None:
        for name, child in self._children.items():
            code = child.returncode()
            if code is not None:
                raise ProcessDiedError(
                    name=name, how=_ending(code), times="before it was ready", where=self._where(name)
                )

    def _watch(self) -> None:
        while not self._stopping.wait(POLL_S):
            for spec in self._specs:
                code = self._children[spec.name].returncode()
                if code is None:
                    continue
                if spec.name not in self._due:
                    self._note_death(spec, code)
                elif time.monotonic() >= self._due[spec.name]:
                    del self._due[spec.name]
                    self._launch(spec)
            if self.failure is not None:
                self._stopping.set()

    def _note_death(self, spec: ProcessSpec, code: int) -> None:
        stable = self._children[spec.name].lived_s >= self.stable_s
        deaths = 1 if stable else self._deaths.get(spec.name, 0) + 1
        self._deaths[spec.name] = deaths
        if deaths >= self.deaths_max:
            self.failure = ProcessDiedError(
                name=spec.name,
                how=_ending(code),
                times=f"the {deaths}th time in a row",
                where=self._where(spec.name),
            )
            return
        pause_s = 0.0 if deaths == 1 else min(self.pause_max_s, self.pause_first_s * 2 ** (deaths - 2))
        self._due[spec.name] = time.monotonic() + pause_s
        when = f"in {pause_s:.0f} s" if pause_s else "at once"
        ended = f"ended {_ending(code)}; starting it again {when}."
        self.emit(spec.name, ended)
        self._notice(f"{spec.name} {ended} {self._where(spec.name)}")

    @contextmanager
    def _handling_signals(self) -> Iterator[None]:
        numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        before: dict[signal.Signals, Callable[[int, FrameType | None], object] | int | None] = {
            number: signal.getsignal(number) for number in numbers
        }
        for number in numbers:
            signal.signal(number, self._on_signal)
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        if self._stopping.is_set():
            self._hurry.set()
        self._stopping.set()


def _ending(code: int) -> str:
    return f"by signal {signal.Signals(-code).name}" if code < 0 else f"with status {code}"
