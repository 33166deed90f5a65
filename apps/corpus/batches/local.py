"""Run jobs without a Celery worker, in processes of this command, through the same runner.

Each process runs whole jobs on its share of the cores. While one process reads a file, the others embed, so no core is
idle. Two processes with one thread each embed as fast as one process with two threads (43.6 and 44 passages/s).
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from types import TracebackType
from typing import Self
from uuid import UUID

from apps.tenants.ids import TenantId


class LocalRunner:
    """A pool of processes that run ingest jobs, at most one per core and per job. Leaving it waits for running jobs."""

    def __init__(self, *, jobs: int) -> None:
        cores = len(os.sched_getaffinity(0))
        self.processes = max(1, min(cores, jobs))
        self._pool = ProcessPoolExecutor(
            max_workers=self.processes,
            # A fork would inherit this process's connections and its torch threads.
            mp_context=multiprocessing.get_context("spawn"),
            initializer=_start,
            initargs=(max(1, cores // self.processes),),
        )
        self._running: dict[UUID, Future[None]] = {}

    def submit(self, tenant_id: TenantId, job_ids: Sequence[UUID]) -> None:
        """Run these jobs in this order, except those that are running already."""
        for job_id in job_ids:
            if job_id not in self._running:
                self._running[job_id] = self._pool.submit(_run, tenant_id, job_id)

    def collect(self) -> dict[UUID, str]:
        """Return the jobs that ended since the last call, each with the runner's error, or "" if the runner had none.

        The outcome of the job itself is on its row.
        """
        ended = {job_id: future for job_id, future in self._running.items() if future.done()}
        for job_id in ended:
            del self._running[job_id]
        return {job_id: _what_broke(future) for job_id, future in ended.items()}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)


def _what_broke(future: Future[None]) -> str:
    error = future.exception()
    return "" if error is None else f"{type(error).__name__}: {error}"


def _start(threads: int) -> None:
    os.environ["OMP_NUM_THREADS"] = str(threads)
    import django

    django.setup()


def _run(tenant_id: TenantId, job_id: UUID) -> None:
    from apps.corpus.jobs import job_run

    job_run(job_id=job_id, tenant_id=tenant_id)
