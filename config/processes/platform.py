"""What the platform consists of: the workers, beat and the web server, and when each is ready."""

from __future__ import annotations

import http.client
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import IO, Final

from django.conf import settings
from kombu.exceptions import OperationalError

from config.services import ServiceName, release_services, shared_descriptors

from .child import Emit, ProcessSpec
from .supervisor import Supervisor

_SERVICES_STOP_S: Final = 30.0
_LABEL_WIDTH: Final = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Platform:
    """The running platform; as a context manager it is stopped at the end of the block.

    Attributes:
        base_url: where the web server answers, without a slash at its end.
        leaves_services: whether this process needs the services no longer once it has stopped.
    """

    supervisor: Supervisor
    base_url: str
    leaves_services: bool = True

    def __enter__(self) -> Platform:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def serve(self) -> None:
        """Block until Ctrl-C, then stop everything, the services last.

        Raises: ProcessError: a process could not be kept running; everything has been stopped.
        """
        try:
            self.supervisor.serve()
        finally:
            self.stop()

    def stop(self) -> None:
        """Stop everything, the services last (unless another command uses them)."""
        self.supervisor.stop()
        if self.leaves_services:
            release_services(wait_s=_SERVICES_STOP_S)


def start_platform(
    *,
    port: int,
    emit: Emit,
    host: str = "127.0.0.1",
    web_processes: int = 2,
    worker_processes: int = 1,
    queues: Sequence[str] = ("celery",),
) -> Platform:
    """Start worker, sealer, eraser, prover, beat and web, and wait until they do their work.

    The services and the schema must be there.

    Args:
        port: free, see `choose_port`.
        emit: gets the name of a process and a line of its output; see `to_terminal` and `to_files`.
        worker_processes: tasks at the same time; each holds its own embedding model.
        queues: which the worker consumes.
    Raises:  ProcessError: one did not come up; everything has been stopped again.
    """
    specs = (
        _worker(worker_processes, queues),
        _sealer(),
        _eraser(),
        *_prover(),
        _beat(),
        _web(host, port, web_processes),
    )
    # The children share our place among the users of the services: they live as long as any of us.
    supervisor = Supervisor(specs, emit=emit, pass_descriptors=shared_descriptors())
    supervisor.start()
    return Platform(supervisor=supervisor, base_url=f"http://{_bracketed(_visited(host))}:{port}")


def start_web(*, port: int, emit: Emit, environment: Mapping[str, str], host: str = "127.0.0.1") -> Platform:
    """Start one more web process, differently configured, beside a running platform.

    Args:    environment: what it has beyond ours, such as another embedding model.
    Raises:  ProcessError: it did not come up.
    """
    spec = _web(host, port, 1)
    spec = replace(spec, environment=dict(spec.environment) | dict(environment))
    supervisor = Supervisor((spec,), emit=emit, pass_descriptors=shared_descriptors())
    supervisor.start()
    base_url = f"http://{_bracketed(_visited(host))}:{port}"
    return Platform(supervisor=supervisor, base_url=base_url, leaves_services=False)


def to_terminal(stream: IO[str]) -> Emit:
    """Lines with the name of their process before them."""

    def emit(name: str, line: str) -> None:
        print(f"{name:<{_LABEL_WIDTH}}| {line}", file=stream, flush=True)

    return emit


def to_files(directory: Path) -> Emit:
    """A log file for each process, so that the terminal stays free for something else."""
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)

    def emit(name: str, line: str) -> None:
        with (directory / f"{name}.log").open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")

    return emit


def _worker(processes: int, queues: Sequence[str]) -> ProcessSpec:
    name = f"glassbox-{os.getpid()}"
    return ProcessSpec(
        name="worker",
        command=(
            *_celery("worker"),
            "--loglevel=INFO",
            f"--concurrency={processes}",
            f"--queues={','.join(queues)}",
            f"--hostname={name}@%h",
            "--without-gossip",
            "--without-mingle",
        ),
        environment={"GLASSBOX_DB_ROLE": "glassbox_worker"},
        ready=lambda: _worker_answers(name),
        stop_timeout_s=60.0,
    )


def _sealer() -> ProcessSpec:
    """The log's sequencer: a worker of its own, without children, that never waits behind a document."""
    return ProcessSpec(
        name="sealer",
        command=(
            *_celery("worker"),
            "--loglevel=WARNING",
            "--pool=solo",
            "--queues=log",
            f"--hostname=glassbox-sealer-{os.getpid()}@%h",
            "--without-gossip",
            "--without-mingle",
        ),
        environment={"GLASSBOX_DB_ROLE": "glassbox_worker"},
        stop_timeout_s=20.0,
    )


def _eraser() -> ProcessSpec:
    """What carries out approved removals: alone with the role that may remove, and one run after another."""
    return ProcessSpec(
        name="eraser",
        command=(
            *_celery("worker"),
            "--loglevel=WARNING",
            "--pool=solo",
            "--queues=erasure",
            f"--hostname=glassbox-eraser-{os.getpid()}@%h",
            "--without-gossip",
            "--without-mingle",
        ),
        environment={"GLASSBOX_DB_ROLE": "glassbox_eraser"},
        stop_timeout_s=30.0,
    )


def _prover() -> tuple[ProcessSpec, ...]:
    """What has the disk forget what was erased, and looks: of the embedded server alone, whose administrator we are.

    Elsewhere nobody gets that access by being started here: `manage.py erasure physical`, with ADMIN_DATABASE_URL.
    """
    if ServiceName.POSTGRES not in settings.GLASSBOX_EMBEDDED_SERVICES:
        return ()
    return (
        ProcessSpec(
            name="prover",
            command=(sys.executable, "-m", "django", "erasure", "physical", "--watch"),
            environment={
                "GLASSBOX_DB_ROLE": "glassbox_eraser",
                "DJANGO_SETTINGS_MODULE": os.environ.get("DJANGO_SETTINGS_MODULE", "config.settings.development"),
            },
            stop_timeout_s=10.0,
        ),
    )


def _beat() -> ProcessSpec:
    return ProcessSpec(
        name="beat",
        command=(*_celery("beat"), "--loglevel=INFO", "--pidfile="),
        environment={"GLASSBOX_DB_ROLE": "glassbox_worker"},
        stop_timeout_s=10.0,
    )


def _web(host: str, port: int, processes: int) -> ProcessSpec:
    return ProcessSpec(
        name="web",
        command=(
            sys.executable,
            "-m",
            "gunicorn",
            "--config=python:config.gunicorn",
            f"--bind={_bracketed(host)}:{port}",
            f"--workers={processes}",
            "config.wsgi:application",
        ),
        environment={"GLASSBOX_DB_ROLE": "glassbox_api"},
        ready=lambda: _web_answers(_visited(host), port),
        stop_timeout_s=35.0,
    )


def _celery(command: str) -> tuple[str, ...]:
    return (sys.executable, "-m", "celery", "--app=config.celery:app", command)


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
    """The address to visit for one that is listened on: a wildcard is none."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104 (compared, not bound)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
