"""The supervisor with real children: order, restarts, giving up, and what a kill -9 leaves behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from config import env
from config.processes import (
    PortTakenError,
    ProcessDiedError,
    ProcessNotReadyError,
    ProcessSpec,
    Supervisor,
    choose_port,
    take_port,
)
from config.processes.platform import ToFiles

FOREVER = "import time\nprint('up', flush=True)\ntime.sleep(1000)"


class Output:
    """What was emitted, in its order."""

    def __init__(self) -> None:
        self.lines: list[tuple[str, str]] = []

    def __call__(self, name: str, line: str) -> None:
        self.lines.append((name, line))

    def has(self, name: str, part: str) -> bool:
        return any(name == found and part in line for found, line in list(self.lines))


class QuickSupervisor(Supervisor):
    """One that loses no time between the deaths of a child."""

    pause_first_s = 0.02
    deaths_max = 3


def spec(name: str, code: str, *, ready: Callable[[], bool] = lambda: True, stop_timeout_s: float = 5.0) -> ProcessSpec:
    return ProcessSpec(name=name, command=(sys.executable, "-c", code), ready=ready, stop_timeout_s=stop_timeout_s)


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def gone(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.fixture
def output() -> Output:
    return Output()


@pytest.fixture
def supervise(output: Output) -> Iterator[Callable[..., Supervisor]]:
    made: list[Supervisor] = []

    def make(*specs: ProcessSpec) -> Supervisor:
        made.append(QuickSupervisor(specs, emit=output))
        return made[-1]

    yield make
    for supervisor in made:
        supervisor.stop()


class TestStart:
    def test_output_carries_the_name_of_its_process(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        supervise(spec("alice", FOREVER), spec("bob", FOREVER)).start()
        wait_for(lambda: output.has("alice", "up") and output.has("bob", "up"), "both were heard")

    def test_it_waits_until_a_process_is_ready(self, supervise: Callable[..., Supervisor], tmp_path: Path) -> None:
        mark = tmp_path / "ready"
        code = f"import pathlib, time\ntime.sleep(0.3)\npathlib.Path({str(mark)!r}).touch()\ntime.sleep(1000)"
        supervise(spec("alice", code, ready=mark.exists)).start()
        assert mark.exists()

    def test_one_that_is_never_ready_ends_all(self, supervise: Callable[..., Supervisor]) -> None:
        supervisor = supervise(spec("alice", FOREVER), spec("bob", FOREVER, ready=lambda: False))
        with pytest.raises(ProcessNotReadyError, match="bob was not ready"):
            supervisor.start(timeout_s=0.3)

    def test_one_that_dies_at_once_ends_all(self, supervise: Callable[..., Supervisor]) -> None:
        supervisor = supervise(spec("alice", FOREVER), spec("bob", "raise SystemExit(3)", ready=lambda: False))
        with pytest.raises(ProcessDiedError, match="bob ended with status 3, before it was ready"):
            supervisor.start()

    def test_its_last_words_are_heard(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        supervisor = supervise(spec("bob", "raise SystemExit('no database')", ready=lambda: False))
        with pytest.raises(ProcessDiedError):
            supervisor.start()
        assert output.has("bob", "no database")

    def test_the_environment_of_a_spec_reaches_its_process(
        self, supervise: Callable[..., Supervisor], output: Output
    ) -> None:
        code = "import os, time\nprint(os.environ['GLASSBOX_DB_ROLE'], flush=True)\ntime.sleep(1000)"
        role = ProcessSpec(
            name="web", command=(sys.executable, "-c", code), environment={"GLASSBOX_DB_ROLE": "glassbox_api"}
        )
        supervise(role).start()
        wait_for(lambda: output.has("web", "glassbox_api"), "the role")


class TestWatch:
    def test_a_killed_process_is_started_again(self, supervise: Callable[..., Supervisor]) -> None:
        supervisor = supervise(spec("alice", FOREVER))
        supervisor.start()
        killed = supervisor.pid("alice")
        os.kill(killed, signal.SIGKILL)
        wait_for(lambda: supervisor.pid("alice") != killed, "started again")

    def test_its_death_is_reported(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        supervisor = supervise(spec("alice", FOREVER))
        supervisor.start()
        os.kill(supervisor.pid("alice"), signal.SIGKILL)
        wait_for(lambda: output.has("alice", "ended by signal SIGKILL; starting it again at once."), "the report")

    @pytest.mark.slow
    def test_one_that_keeps_dying_ends_all(self, supervise: Callable[..., Supervisor]) -> None:
        supervisor = supervise(spec("alice", FOREVER), spec("bob", "import time\ntime.sleep(0.1)"))
        supervisor.start()
        alice = supervisor.pid("alice")
        with pytest.raises(ProcessDiedError, match="bob ended with status 0, the 3th time in a row"):
            supervisor.serve()
        assert gone(alice)


class TestStop:
    def test_the_last_started_is_stopped_first(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        supervisor = supervise(spec("alice", FOREVER), spec("bob", FOREVER))
        supervisor.start()
        supervisor.stop()
        assert [name for name, line in output.lines if line == "stopping ..."] == ["bob", "alice"]

    def test_a_process_may_finish_its_work(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        code = (
            "import signal, sys, time\n"
            "def finish(*_):\n    time.sleep(0.3); print('finished', flush=True); sys.exit(0)\n"
            "signal.signal(signal.SIGTERM, finish)\nprint('up', flush=True)\ntime.sleep(1000)"
        )
        supervisor = supervise(spec("worker", code))
        supervisor.start()
        wait_for(lambda: output.has("worker", "up"), "up")
        supervisor.stop()
        assert output.has("worker", "finished")

    @pytest.mark.slow
    def test_one_that_will_not_stop_is_made_to(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        code = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\n"
        supervisor = supervise(spec("worker", code + "time.sleep(1000)", stop_timeout_s=0.2))
        supervisor.start()
        wait_for(lambda: output.has("worker", "up"), "up")
        pid = supervisor.pid("worker")
        supervisor.stop()
        assert gone(pid)

    @pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
    def test_a_signal_ends_serving(self, supervise: Callable[..., Supervisor], number: signal.Signals) -> None:
        supervisor = supervise(spec("alice", FOREVER))
        supervisor.start()
        pid = supervisor.pid("alice")
        threading.Timer(0.2, os.kill, (os.getpid(), number)).start()
        supervisor.serve()
        assert gone(pid)

    @pytest.mark.slow
    def test_a_second_signal_does_not_wait(self, supervise: Callable[..., Supervisor], output: Output) -> None:
        code = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\n"
        supervisor = supervise(spec("worker", code + "time.sleep(1000)", stop_timeout_s=60))
        supervisor.start()
        wait_for(lambda: output.has("worker", "up"), "up")
        for delay_s in (0.1, 0.4):
            threading.Timer(delay_s, os.kill, (os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        supervisor.serve()
        assert time.monotonic() - began < 10

    @pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
    def test_children_end_with_a_killed_supervisor(self) -> None:
        code = (
            "import sys, time\nfrom config.processes import ProcessSpec, Supervisor\n"
            "sleeper = ProcessSpec(name='web', command=(sys.executable, '-c', 'import time; time.sleep(1000)'))\n"
            "supervisor = Supervisor([sleeper], emit=lambda name, line: None)\nsupervisor.start()\n"
            "time.sleep(0.5)\nprint(supervisor.pid('web'), flush=True)\ntime.sleep(1000)"
        )
        parent = subprocess.Popen(
            [sys.executable, "-c", code],
            cwd=env.CHECKOUT,
            env=os.environ | {"PYTHONPATH": str(env.CHECKOUT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        parent.kill()
        parent.communicate()
        wait_for(lambda: gone(child), "the child of a killed supervisor ended")


class TestPorts:
    @pytest.fixture
    def taken(self) -> Iterator[int]:
        with socket.create_server(("127.0.0.1", 0)) as server:
            yield server.getsockname()[1]

    def test_a_free_port_is_taken_as_it_is(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as server:
            free = server.getsockname()[1]
        assert choose_port(free) == free

    def test_a_taken_port_is_an_error_that_names_the_way_out(self, taken: int) -> None:
        with pytest.raises(PortTakenError, match=rf"Port {taken} .* --port"):
            choose_port(taken)

    def test_the_next_free_one_when_asked_for(self, taken: int) -> None:
        assert choose_port(taken, search=True) > taken

    def test_a_port_that_was_taken_stays_ours_until_a_server_is_given_it(self, taken: int) -> None:
        with take_port(taken, search=True) as ours:
            mine = ours.getsockname()[1]
            assert mine > taken
            with pytest.raises(PortTakenError):
                choose_port(mine)

    def test_a_host_that_is_not_ours(self) -> None:
        with pytest.raises(PortTakenError, match=r"on 203\.0\.113\.1"):
            choose_port(8000, host="203.0.113.1")


def test_output_can_go_to_files(tmp_path: Path) -> None:
    ToFiles(tmp_path / "log")("web", "listening")
    assert (tmp_path / "log" / "web.log").read_text() == "listening\n"


@pytest.mark.slow
def test_whoever_ends_behind_files_is_told_with_the_name_of_its_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "log" / "bob.log"
    dies = spec("bob", "import time; print('no disk', flush=True); time.sleep(0.3)")
    supervisor = QuickSupervisor([dies], emit=ToFiles(tmp_path / "log"))
    supervisor.start()
    with pytest.raises(ProcessDiedError, match=f"See {log}"):
        supervisor.serve()
    assert f"glassbox: bob ended with status 0; starting it again at once. See {log}." in capsys.readouterr().err
    assert "no disk" in log.read_text()


def test_whoever_never_was_ready_is_told_with_the_name_of_its_log(tmp_path: Path) -> None:
    dies = spec("bob", "raise SystemExit(3)", ready=lambda: False)
    supervisor = QuickSupervisor([dies], emit=ToFiles(tmp_path / "log"))
    with pytest.raises(ProcessDiedError, match=f"before it was ready. See {tmp_path / 'log' / 'bob.log'}"):
        supervisor.start()
