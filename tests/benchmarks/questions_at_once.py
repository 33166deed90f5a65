"""Many questions at once, while a model takes its time: open transactions, connections, memory, threads.

In one process, with more threads than its pool has connections; and over HTTP, by the server of production. A second
connection looks at the database five times a second meanwhile.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import psycopg
from django.db import connection, connections
from psutil import Process

from apps.corpus.providers.recording import CALLED, RETURNED
from apps.retrieval.events import ANSWERED
from apps.retrieval.services.ask import ask
from apps.tenants.context import open_scope
from apps.tenants.principals import Principal
from config.database import POOL_SIZE
from config.processes import choose_port
from config.processes.platform import start_web
from tests.factories import Firm
from tests.isolation.harness import admin_dsn
from tests.model_server import ModelServer
from tests.retrieval.test_model_calls import right

QUESTION: Final = "What was the maximum drawdown of the Alpha Fund in the fourth quarter?"
_EVERY_S: Final = 0.2
# With the time of the reply, less than the application waits for a model.
_GATHERED_WITHIN_S: Final = 35
_SESSIONS: Final = """
    SELECT count(*) FILTER (WHERE state LIKE 'idle in transaction%%'), count(*) FILTER (WHERE xact_start IS NOT NULL),
           count(*), coalesce(max(extract(epoch FROM clock_timestamp() - xact_start)), 0)
      FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid() AND backend_type = 'client backend'
"""


@dataclass(slots=True)
class Seen:
    """What was seen while the model worked on every question: the most of each."""

    idle_in_transaction: int = 0
    transactions: int = 0
    connections: int = 0
    longest_transaction_s: float = 0.0
    resident_mb: list[float] = field(default_factory=list)
    threads: int = 0
    looks: int = 0


class Working:
    """How many requests the model works on. It begins its first replies when as many have come as `gather` was told.

    Otherwise, on a slow machine, the first questions would be answered before the last ones came, and the database
    would never be looked at while the model works on all of them.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._gathered, self._wanted = threading.Event(), 1
        self._lock, self._now, self._ended = threading.Lock(), 0, 0

    def gather(self, wanted: int) -> None:
        """Have the next replies wait until that many requests have come."""
        self._gathered, self._wanted = threading.Event(), wanted

    def reply(self, body: Any) -> str:
        with self._lock:
            self._now += 1
            if self._now >= self._wanted:
                self._gathered.set()
        self._gathered.wait(_GATHERED_WITHIN_S)
        time.sleep(self.seconds)
        with self._lock:
            self._now -= 1
            self._ended += 1
        return right(body)

    def state(self) -> tuple[int, int]:
        with self._lock:
            return self._now, self._ended


def in_one_process(server: ModelServer, principal: Principal, *, count: int, seconds: float) -> dict[str, Any]:
    """Ask from as many threads as there are questions, with the pool that a process has."""
    working = _answer_slowly(server, seconds)

    def one(_: int) -> str:
        try:
            return ask(text=QUESTION, principal=principal).result.answer.text
        finally:
            connection.close()

    # Loads the model for vectors.
    one(0)
    with _watching(working, count, Process()) as seen:
        took_s, texts = _at_once(one, count)
    stats = connections["default"].pool.get_stats()
    return {
        **_told("in one process", seen, took_s, texts),
        "pool_size": stats["pool_max"],
        "pool_errors": stats.get("requests_errors", 0),
    }


def over_http(
    server: ModelServer, key: str, *, count: int, seconds: float, environment: dict[str, str]
) -> dict[str, Any]:
    """Ask over HTTP: every second question as events. The server takes as many at a time as it has threads."""
    working = _answer_slowly(server, seconds)
    web = start_web(
        port=choose_port(8700, search=True),
        emit=lambda name, line: None,
        environment={"DJANGO_SETTINGS_MODULE": "config.settings.test", **environment},
    )
    try:
        (worker,) = Process(web.supervisor.pid("web")).children()
        limit_s = (count / POOL_SIZE + 2) * seconds + 120

        def one(number: int) -> str:
            headers = {"Authorization": f"Bearer {key}"} | ({"Accept": "text/event-stream"} if number % 2 else {})
            with httpx.Client(base_url=web.base_url, headers=headers, timeout=limit_s, trust_env=False) as client:
                response = client.post("/api/v1/query/", json={"question": QUESTION})
            if response.status_code != 200 or "problem" in response.text[:200]:
                raise RuntimeError(f"{response.status_code}: {response.text[:200]}")
            return response.text

        one(0)
        with _watching(working, min(count, POOL_SIZE), worker) as seen:
            took_s, texts = _at_once(one, count)
        return _told("over HTTP", seen, took_s, texts)
    finally:
        web.supervisor.stop()


def counted(firm: Firm) -> dict[str, int]:
    from apps.audit.models import Event

    with open_scope(tenant=firm.id, reason="a benchmark"):
        return {action: Event.objects.filter(action=action).count() for action in (CALLED, RETURNED, ANSWERED)}


def _answer_slowly(server: ModelServer, seconds: float) -> Working:
    working = Working(seconds)
    server.reset()
    server.reply_with(*[working.reply] * 1_000)
    return working


def _at_once(one: Callable[[int], str], count: int) -> tuple[float, list[str]]:
    began = time.monotonic()
    with ThreadPoolExecutor(count) as clients:
        texts = list(clients.map(one, range(count)))
    return time.monotonic() - began, texts


@contextmanager
def _watching(working: Working, wanted: int, process: Process) -> Iterator[Seen]:
    """Look at the database and at a process. Transactions count while the model works on `wanted` questions."""
    seen, stop = Seen(), threading.Event()
    name = connection.settings_dict["NAME"]

    def look() -> None:
        with psycopg.connect(admin_dsn(), autocommit=True) as admin:
            while not stop.wait(_EVERY_S):
                before = working.state()
                row = admin.execute(_SESSIONS, [name]).fetchone()
                assert row is not None
                seen.connections = max(seen.connections, row[2])
                seen.resident_mb.append(process.memory_info().rss / 2**20)
                seen.threads = max(seen.threads, process.num_threads())
                if before[0] >= wanted and working.state() == before:
                    seen.looks += 1
                    seen.idle_in_transaction = max(seen.idle_in_transaction, row[0])
                    seen.transactions = max(seen.transactions, row[1])
                    seen.longest_transaction_s = max(seen.longest_transaction_s, float(row[3]))

    working.gather(wanted)
    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield seen
    finally:
        stop.set()
        watcher.join()


def _told(way: str, seen: Seen, took_s: float, texts: list[str]) -> dict[str, Any]:
    return {
        "way": way,
        "questions": len(texts),
        "answered": sum("12.5 %" in each for each in texts),
        "took_s": round(took_s, 1),
        "idle_in_transaction": seen.idle_in_transaction,
        "transactions": seen.transactions,
        "longest_transaction_s": round(seen.longest_transaction_s, 3),
        "connections": seen.connections,
        "looks": seen.looks,
        "resident_mb_first_last_most": [
            round(each) for each in (seen.resident_mb[0], seen.resident_mb[-1], max(seen.resident_mb))
        ],
        "threads": seen.threads,
        "cores": os.cpu_count(),
    }
