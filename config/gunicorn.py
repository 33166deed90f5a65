"""gunicorn's settings, however it is started: by `manage.py serve web` and `up`, or by itself (gunicorn.conf.py)."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
from pathlib import Path
from typing import Any, Final

from config.operations import connections

bind = os.environ.get("GLASSBOX_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Threads, because a question waits for the database and for a model more than it computes.
worker_class = "gthread"
threads = 4
# Longer than the longest question, whose providers may take a minute in all, and than an upload of 100 MB. One thread's
# long request keeps no other waiting; this is for a process that answers nothing at all.
timeout = 120
# Longer than a proxy keeps its own end open (a minute, with most), so that it never sends into a closed connection.
keepalive = 75
# Whoever stops it waits ten seconds.
graceful_timeout = 8
# A process is replaced after so many requests, spread so that not all go at once, or when it has grown too large.
max_requests = int(os.environ.get("GLASSBOX_WEB_MAX_REQUESTS", "20000"))
max_requests_jitter = max_requests // 10
MEMORY_MB: Final = int(os.environ.get("GLASSBOX_WEB_MEMORY_MB", "3000"))
# A socket in the home directory that nobody here uses; versions before 25.1 know neither it nor this setting.
control_socket_disable = True
# Where the processes count together (config/operations/metrics.py); it must be known before any of them begins.
_counted_in = "" if os.environ.get("PROMETHEUS_MULTIPROC_DIR") else tempfile.mkdtemp(prefix="glassbox-metrics-")
if _counted_in:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = _counted_in


def pre_request(worker: object, request: object) -> None:
    connections.begin(request)


def child_exit(server: object, worker: object) -> None:
    """What a process that has ended was doing at the moment is not being done any more."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(getattr(worker, "pid", 0))  # type: ignore[no-untyped-call]


def on_exit(server: object) -> None:
    if _counted_in:
        shutil.rmtree(_counted_in, ignore_errors=True)


def post_worker_init(worker: object) -> None:
    """A process that has just begun loads its model while it answers the first requests."""
    from django.conf import settings

    from apps.corpus.providers.warming import warm_up

    if settings.GLASSBOX_WARM_UP:
        threading.Thread(target=warm_up, name="warm-up", daemon=True).start()


def post_request(worker: Any, request: object, environ: object, response: object) -> None:
    """Replace a process that has grown too large, once what it is answering has been answered."""
    if worker.alive and resident_mb() > MEMORY_MB:
        worker.log.warning("Replacing a web process of more than %d MB (GLASSBOX_WEB_MEMORY_MB).", MEMORY_MB)
        worker.alive = False


def resident_mb() -> float:
    """Megabytes of memory that this process holds; 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
