"""What the processes of production hold: the web process over many questions, the worker over a long document.

Both are started as `manage.py up` starts them: gunicorn with one worker of eight threads, Celery with one process. What
is read is the kernel's own count of the process that does the work: VmHWM, the most that was ever resident, and VmRSS.
"""

from __future__ import annotations

import http.client
import json
import socket
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic, perf_counter, sleep
from typing import Any, Final

import numpy as np
import psutil

from apps.corpus.models import IngestJob, JobState
from apps.intents.fund_house import FundHouse
from apps.tenants.context import open_scope
from apps.tenants.roles import Role
from config.needs import Process
from config.processes.platform import _worker, start_web
from config.processes.supervisor import Supervisor
from config.services import shared_descriptors
from tests.benchmarks.retrieval_questions import questions
from tests.benchmarks.retrieval_reports import COMPANIES, Report, written
from tests.benchmarks.retrieval_tenant import say, take_in
from tests.factories import Firm, make_key

FIRST, STEP = 100, 1_000
AT_ONCE: Final = 4  # as many as the worker has threads
_INGEST_S: Final = 900.0
_ANSWER_S: Final = 300.0


def web_memory(firm: Firm, count: int, *, seed: int) -> dict[str, Any]:
    """Ask so many questions over HTTP, four at once, and look at the process that answers them now and then.

    Raises: RuntimeError: a question was not answered with 200; another process answers than did at first.
    """
    _, key = make_key(firm, Role.ANALYST)
    texts = [asked.text for asked in questions(count, seed=seed)]
    marks = sorted({min(FIRST, count), *range(STEP, count + 1, STEP), count})
    port, points, times_ms = _free_port(), [], []
    platform = start_web(port=port, emit=_silent, environment={})
    try:
        worker = _only_child(platform.supervisor.pid("web"))
        idle = _memory(worker)
        asked = 0
        with ThreadPoolExecutor(AT_ONCE) as clients:
            for mark in marks:
                began = perf_counter()
                times_ms += clients.map(lambda text: _ask(port, key, text), texts[asked:mark])
                asked = mark
                if _only_child(platform.supervisor.pid("web")).pid != worker.pid:
                    raise RuntimeError("the web process was restarted")
                points.append({"questions": mark, **_memory(worker)})
                say(f"{mark:,} questions over HTTP: {points[-1]}, {perf_counter() - began:.0f} s")
    finally:
        platform.supervisor.stop()
    return {
        "questions": count,
        "distinct": len(set(texts)),
        "at_once": AT_ONCE,
        "idle": idle,
        "points": points,
        **_growth(points),
        "over_http_ms": {f"p{share}_ms": float(np.percentile(times_ms, share)) for share in (50, 95, 99)},
    }


def worker_memory(firm: Firm, pages: int, *, seed: int) -> dict[str, Any]:
    """Have a Celery worker read and embed one document. Raises: RuntimeError: it failed, or took too long."""
    report = Report(
        title="A long annual report", kind=FundHouse.REFERENCE_REPORT, publisher=COMPANIES[0], year=2018, pages=pages
    )
    content = written(report, seed=seed)
    spec = _worker(Process.INGEST, processes=1)
    supervisor = Supervisor((spec,), emit=_silent, pass_descriptors=shared_descriptors())
    supervisor.start()
    try:
        began = monotonic()
        job_id = take_in(firm, report, content)
        peaks: dict[int, float] = {}
        while (job := _job(firm, job_id)).state != JobState.SUCCEEDED:
            if job.state == JobState.FAILED or monotonic() - began > _INGEST_S:
                raise RuntimeError(f"the document was not ingested: {job.state} {job.error_code}")
            _watch(supervisor.pid(spec.name), peaks)
            sleep(0.1)
        seconds = monotonic() - began
        _watch(supervisor.pid(spec.name), peaks)
    finally:
        supervisor.stop()
    return {
        "pages": job.pages_total,
        "passages": job.chunks_total,
        "file_mb": len(content) / 1e6,
        "seconds": seconds,
        "peak_mb": max(peaks.values()),
    }


def _growth(points: Sequence[dict[str, Any]]) -> dict[str, float]:
    """From 1,000 questions on: of the peak in all, and what a straight line through what is resident gains a 1,000."""
    settled = [point for point in points if point["questions"] >= STEP]
    if len(settled) < 2:
        return {}
    slope = np.polyfit([point["questions"] / 1_000 for point in settled], [point["rss_mb"] for point in settled], 1)[0]
    later = settled[len(settled) // 2 :]
    return {
        "peak_growth_mb": settled[-1]["peak_mb"] - settled[0]["peak_mb"],
        "mb_per_1000": float(slope),
        "second_half_growth_mb": later[-1]["peak_mb"] - later[0]["peak_mb"],
    }


def _ask(port: int, key: str, text: str) -> float:
    """Returns: milliseconds."""
    headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
    began = perf_counter()
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=_ANSWER_S)) as server:
        server.request("POST", "/api/v1/query/", json.dumps({"question": text}), headers)
        response = server.getresponse()
        answer = json.load(response)
    if response.status != http.HTTPStatus.OK:
        raise RuntimeError(f"a question was answered with {response.status}: {answer}")
    if answer["degraded"]:
        raise RuntimeError(f"answered, but degraded: {answer['degraded']}")
    return (perf_counter() - began) * 1_000


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        number: int = found.getsockname()[1]
    return number


def _silent(name: str, line: str) -> None:
    """What a process writes is shown where it is no progress."""
    if "ERROR" in line or "Error" in line or "CRITICAL" in line:
        say(f"{name}: {line}")


def _only_child(pid: int) -> psutil.Process:
    """gunicorn's worker: its arbiter answers nothing itself."""
    (worker,) = psutil.Process(pid).children()
    return worker


def _memory(process: psutil.Process) -> dict[str, float]:
    """MB, as the kernel counts them."""
    lines = dict(line.split(":", 1) for line in Path(f"/proc/{process.pid}/status").read_text().splitlines())
    return {"peak_mb": _mb(lines["VmHWM"]), "rss_mb": _mb(lines["VmRSS"])}


def _mb(told: str) -> float:
    return int(told.split()[0]) * 1_024 / 1e6


def _watch(pid: int, peaks: dict[int, float]) -> None:
    """Note the peak of a worker and of its children, some of which may end meanwhile."""
    parent = psutil.Process(pid)
    for process in [parent, *parent.children(recursive=True)]:
        with suppress(FileNotFoundError, ProcessLookupError, KeyError):
            peaks[process.pid] = max(peaks.get(process.pid, 0.0), _memory(process)["peak_mb"])


def _job(firm: Firm, job_id: Any) -> IngestJob:
    with open_scope(tenant=firm.id, reason="a benchmark"):
        found: IngestJob = IngestJob.objects.get(id=job_id)
        return found
