"""The processes of the platform: the workers, beat and the web server, and when each is ready."""

from __future__ import annotations

import http.client
import os
import socket
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Final

from django.conf import settings
from kombu.exceptions import OperationalError

from config.needs import Process
from config.services import ServiceName, release_services, shared_descriptors
from config.serving import STOPS_WITHIN_S, command, surroundings

from .child import Emit, ProcessSpec
from .ports import take_port
from .supervisor import Supervisor

_SERVICES_STOP_S: Final = 30.0
_LABEL_WIDTH: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The running platform; as a context manager it is stopped at the end of the block.

    Attributes:
        base_url: where the web server answers, without a slash at its end.
        listener: the socket that it listens on. It keeps the port reserved while the web server is restarted.
        leaves_services: whether this process no longer needs the services once it has stopped.
    """

    supervisor: Supervisor
    base_url: str
    listener: socket.socket
    leaves_services: bool = True

    def __enter__(self) -> Platform:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def serve(self) -> None:
        """Block until Ctrl-C, then stop everything, the services last.

        Raises: ProcessError: a process kept dying; everything has been stopped.
        """
        try:
            self.supervisor.serve()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop everything, the services last (unless another command uses them)."""
        self.supervisor.stop()
        self.listener.close()
        if self.leaves_services:
            release_services(wait_s=_SERVICES_STOP_S)


def start_platform(
    *,
    port: int,
    emit: Emit,
    host: str = "127.0.0.1",
    search: bool = False,
    web_processes: int = 2,
    worker_processes: int = 1,
    ingest_processes: int = 2,
) -> Platform:
    """Start web, beat, the prover and every worker, and wait until they do their work.

    The services must be running and the schema must be current.

    Args:
        port: the port to listen on; if it is taken and `search` is set, the next free one.
        emit: gets the name of a process and a line of its output; see `to_terminal` and `ToFiles`.
        worker_processes: how many long tasks run at the same time.
        ingest_processes: how many documents at the same time; each process holds its own embedding model.
    Raises:  ProcessError: the port is taken, or a process did not start; everything has been stopped again.
    """
    listener = take_port(port, host=host, search=search)
    specs = (
        _worker(Process.WORKER, processes=worker_processes),
        _worker(Process.INGEST, processes=ingest_processes),
        _worker(Process.CLOCK),
        _worker(Process.SEALER),
        _worker(Process.ERASER),
        *_prover(),
        _spec(Process.BEAT),
        _web(listener, host, web_processes),
    )
    # The children also count as users of the services, which therefore run as long as any of us.
    supervisor = Supervisor(specs, emit=emit, pass_descriptors=shared_descriptors())
    return _started(supervisor, listener, host)


def start_web(*, port: int, emit: Emit, environment: Mapping[str, str], host: str = "127.0.0.1") -> Platform:
    """Start one more web process, differently configured, beside a running platform.

    Args:    port: the first one to try.
             environment: additions to that of any web process, such as another embedding model.
    Raises:  ProcessError: it did not start.
    """
    listener = take_port(port, host=host, search=True)
    spec = _web(listener, host, 1)
    spec = replace(spec, environment=dict(spec.environment) | dict(environment))
    supervisor = Supervisor((spec,), emit=emit, pass_descriptors=shared_descriptors())
    return replace(_started(supervisor, listener, host), leaves_services=False)


def _started(supervisor: Supervisor, listener: socket.socket, host: str) -> Platform:
    try:
        supervisor.start()
    except BaseException:
        listener.close()
        raise
    port = listener.getsockname()[1]
    base_url = f"http://{_bracketed(_visited(host))}:{port}"
    return Platform(supervisor=supervisor, base_url=base_url, listener=listener)


def to_terminal(stream: IO[str]) -> Emit:
    """Return an emitter that prints each line after the name of its process."""

    def emit(name: str, line: str) -> None:
        print(f"{name:<{_LABEL_WIDTH}}| {line}", file=stream, flush=True)

    return emit


class ToFiles:
    """Writes a log file for each process, which leaves the terminal free. It prints only that a process ended."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def __call__(self, name: str, line: str) -> None:
        with self._log(name).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    def where(self, name: str) -> str:
        return f"See {self._log(name)}."

    def notice(self, line: str) -> None:
        print(f"glassbox: {line}", file=sys.stderr, flush=True)

    def _log(self, name: str) -> Path:
        return self._directory / f"{name}.log"


def _worker(process: Process, *, processes: int | None = None) -> ProcessSpec:
    name = f"glassbox-{process}-{os.getpid()}"
    return _spec(process, processes=processes, name=name, ready=lambda: _worker_answers(name))


def _spec(process: Process, *, ready: Callable[[], bool] = lambda: True, **asked: Any) -> ProcessSpec:
    """Return the spec of a process as `manage.py serve` starts it."""
    return ProcessSpec(
        name=process.value,
        command=command(process, **asked),
        process=process,
        environment=surroundings(process, processes=asked.get("processes")),
        ready=ready,
        stop_timeout_s=STOPS_WITHIN_S,
    )


def _prover() -> tuple[ProcessSpec, ...]:
    """Return the process that removes traces of erased data from the disk and searches for them.

    It runs only for the embedded server, whose administrator we are. On another server nobody gets that access by being
    started here: run `manage.py erasure physical` with ADMIN_DATABASE_URL.
    """
    if ServiceName.POSTGRES not in settings.GLASSBOX_EMBEDDED_SERVICES:
        return ()
    return (
        ProcessSpec(
            name="prover",
            command=(sys.executable, "-m", "django", "erasure", "physical", "--watch"),
            process=Process.PROVER,
            environment={
                "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings.development"),
            },
            stop_timeout_s=10.0,
        ),
    )


def _web(listener: socket.socket, host: str, processes: int) -> ProcessSpec:
    port = listener.getsockname()[1]
    spec = _spec(
        Process.WEB,
        bind=f"fd://{listener.fileno()}",
        processes=processes,
        ready=lambda: _web_answers(_visited(host), port),
    )
    # The address that links use, for example those of problems, unless the installation names the address of its proxy.
    address = os.environ.get("GLASSBOX_URL") or f"http://{_bracketed(_visited(host))}:{port}"
    return replace(spec, environment={**spec.environment, "GLASSBOX_URL": address}, descriptors=(listener.fileno(),))


def _worker_answers(name: str) -> bool:
    from config.celery import app

    try:
        replies = app.control.ping(timeout=0.5)
    except OperationalError:
        return False
    return any(node.startswith(f"{name}@") for reply in replies for node in reply)


def _web_answers(host: str, port: int) -> bool:
    connection = http.client.HTTPConnection(host, port, timeout=5)
    try:
        connection.request("GET", "/api/v1/health/")
        return connection.getresponse().status == http.HTTPStatus.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()


def _visited(host: str) -> str:
    """Return the address to visit for one that is listened on, since a wildcard can't be visited."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (compared, not bound)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
