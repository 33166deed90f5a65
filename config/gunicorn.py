"""gunicorn's settings, used by `manage.py serve web`, by `up`, and by gunicorn itself (gunicorn.conf.py)."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Any, Final

from config.database import POOL_SIZE
from config.operations import connections

bind = os.environ.get("GLASSBOX_BIND", "127.0.0.1:8000")
workers = int(os.environ.get("WEB_CONCURRENCY", "2"))
# Threads, because a question waits for the database and for a model longer than it computes. As many as the pool has
# connections: a question that waits for a model holds none, and no thread has to wait for one.
worker_class = "gthread"
threads = POOL_SIZE
# Longer than the longest question, whose providers may take a minute in all, and than an upload of 100 MB. One thread's
# long request does not delay the others; this limit is for a process that answers nothing at all.
timeout = 120
# Longer than a proxy keeps its own end open (a minute, for most), so that it never sends into a closed connection.
keepalive = 75
# Below the ten seconds that a supervisor waits before it forces the end.
graceful_timeout = 8
# A process is replaced after this many requests, or when it has grown too large. The jitter keeps them from being
# replaced all at once.
max_requests = int(os.environ.get("GLASSBOX_WEB_MAX_REQUESTS", "20000"))
max_requests_jitter = max_requests // 10
MEMORY_MB: Final = int(os.environ.get("GLASSBOX_WEB_MEMORY_MB", "3000"))
# gunicorn would make a socket in the home directory, which nothing here uses; versions before 25.1 have neither the
# socket nor this setting.
control_socket_disable = True
# The directory of the processes' shared metrics (config/operations/metrics.py). It must be known before any process
# starts.
_counted_in = "" if os.environ.get("PROMETHEUS_MULTIPROC_DIR") else tempfile.mkdtemp(prefix="glassbox-metrics-")
if _counted_in:
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = _counted_in


def pre_request(worker: object, request: object) -> None:
    connections.begin(request)


def child_exit(server: object, worker: object) -> None:
    """Remove the live gauges of a process that has ended."""
    from prometheus_client import multiprocess

    multiprocess.mark_process_dead(getattr(worker, "pid", 0))  # type: ignore[no-untyped-call]


def on_exit(server: object) -> None:
    if _counted_in:
        shutil.rmtree(_counted_in, ignore_errors=True)


def post_worker_init(worker: object) -> None:
    """Load the models of a new process while it answers its first requests."""
    from django.conf import settings

    from apps.corpus.providers.warming import warm_up_beside
    from apps.retrieval.stages.question.parsing import load_model

    if settings.GLASSBOX_WARM_UP:
        warm_up_beside(load_model)


def post_request(worker: Any, request: object, environ: object, response: object) -> None:
    """Replace a process that has grown too large after it has answered its current requests."""
    if worker.alive and resident_mb() > MEMORY_MB:
        worker.log.warning("Replacing a web process of more than %d MB (GLASSBOX_WEB_MEMORY_MB).", MEMORY_MB)
        worker.alive = False


def resident_mb() -> float:
    """Return the megabytes of memory that this process holds, or 0 if the system does not report them."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20
