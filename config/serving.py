"""`manage.py serve web|worker|ingest|clock|sealer|eraser|beat`: start a process of an installation with the right
options.

`manage.py up` and `demo` start their children with the same commands. Only the settings are loaded before the requested
process replaces this one and keeps its process id, so that each missing setting is reported once, on one line.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NoReturn

from apps.errors import ApplicationError
from config.needs import Process

# A supervisor waits ten seconds for the end of a process. Work in progress is then given back and begun again
# elsewhere.
STOPS_WITHIN_S: Final = 10.0
_SOFT_STOP_S: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue:
    """A Celery worker.

    Attributes:
        name: the queue that it reads.
        processes: how many tasks at the same time; 0 for one, in the worker's main process.
        memory_mb: a child that has grown beyond this is replaced after its task.
    """

    name: str
    processes: int
    memory_mb: int = 0


QUEUES: Final[Mapping[Process, Queue]] = {
    # Tasks that people wait for and that may take hours: verifications, searches for people, previews.
    Process.WORKER: Queue(name="celery", processes=1, memory_mb=2_000),
    # Documents. At least two processes: one place is kept free of large documents
    # (apps/corpus/services/ingest/turns.py).
    Process.INGEST: Queue(name="ingest", processes=2, memory_mb=2_000),
    # Scheduled tasks and letters: they are short, and must never wait behind the tasks above.
    Process.CLOCK: Queue(name="clock", processes=2, memory_mb=500),
    # The log's sequencer, and the process that carries out approved removals: one task after another.
    Process.SEALER: Queue(name="log", processes=0),
    Process.ERASER: Queue(name="erasure", processes=0),
}
SERVED: Final = (Process.WEB, *QUEUES, Process.BEAT)


def command(
    process: Process, *, bind: str = "", processes: int | None = None, name: str = "", log_level: str = ""
) -> tuple[str, ...]:
    """Return the command line of a process.

    Args:   bind: for web: where it listens; by default `GLASSBOX_BIND`, or 127.0.0.1:8000.
            processes: for web and workers; None for the default number of each.
            name: for a worker: its host name in Celery; by default made from the process.
    """
    level = log_level or os.environ.get("GLASSBOX_LOG_LEVEL", "WARNING")
    if process is Process.WEB:
        return (
            *(sys.executable, "-m", "gunicorn", "--config=python:config.gunicorn"),
            *([f"--bind={bind}"] if bind else []),
            *([f"--workers={processes}"] if processes else []),
            "config.wsgi:application",
        )
    celery = (sys.executable, "-m", "celery", "--app=config.celery:app", "--quiet")
    if process is Process.BEAT:
        return (*celery, "beat", f"--loglevel={level}", "--pidfile=")
    queue = QUEUES[process]
    at_once = queue.processes if processes is None else processes
    return (
        *celery,
        "worker",
        f"--queues={queue.name}",
        f"--hostname={name or f'glassbox-{process}-{os.getpid()}'}@%h",
        f"--loglevel={level}",
        *(
            ("--pool=solo",)
            if not queue.processes
            else ("--pool=prefork", f"--concurrency={at_once}", f"--max-memory-per-child={queue.memory_mb * 1024}")
        ),
        "--without-gossip",
        "--without-mingle",
    )


def surroundings(process: Process, *, processes: int | None = None) -> dict[str, str]:
    """Return the environment variables of a process besides its settings and secrets."""
    found = {"GLASSBOX_PROCESS": process.value}
    if process in QUEUES:
        # SIGTERM: finish within seconds, then give back the work in progress. A worker that runs its task in the main
        # process continues the task meanwhile, and would only wait for itself.
        soft_s = _SOFT_STOP_S if QUEUES[process].processes else 0
        found |= {"REMAP_SIGTERM": "SIGQUIT", "GLASSBOX_SOFT_STOP_SECONDS": str(soft_s)}
    if process is Process.INGEST:
        found["GLASSBOX_INGEST_SLOTS"] = str(QUEUES[process].processes if processes is None else processes)
    return found


def serve(arguments: Sequence[str]) -> NoReturn:
    """Become the process that the arguments name, under production's settings unless others are named."""
    parser = argparse.ArgumentParser(
        prog="manage.py serve",
        description="Starts one process of an installation, in this one's place.",
        epilog="In a checkout, manage.py up starts all of them, and the servers that they need.",
    )
    parser.add_argument("process", choices=[each.value for each in SERVED])
    parser.add_argument("--bind", default="", help="web: ADDRESS:PORT or unix:PATH (GLASSBOX_BIND, or 127.0.0.1:8000)")
    parser.add_argument("--processes", type=_count, help="web: processes of eight threads each; workers: tasks at once")
    options = parser.parse_args(arguments)
    process = Process(options.process)
    if options.bind and process is not Process.WEB:
        parser.error("--bind is for web")
    if options.processes and (process is Process.BEAT or (process in QUEUES and not QUEUES[process].processes)):
        parser.error(f"{process} is one process")
    line = command(process, bind=options.bind, processes=options.processes)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.production")
    os.environ.update(surroundings(process, processes=options.processes))
    try:
        importlib.import_module(os.environ["DJANGO_SETTINGS_MODULE"])
    except ApplicationError as error:
        sys.exit(f"glassbox: {error}")
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(line[0], line)  # noqa: S606 (a command of the table above, without a shell)


def _count(text: str) -> int:
    number = int(text)
    if not 1 <= number <= 64:
        raise argparse.ArgumentTypeError("from 1 to 64")
    return number
