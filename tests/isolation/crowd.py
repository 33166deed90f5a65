"""A crowd: processes of many threads that ask for different tenants, and share a pool smaller than they are many.

    python -m tests.isolation.crowd

reads from standard input what crowds there shall be, one after the other, and writes what each answer was. Its
processes are the web process (config.wsgi) with a few addresses more, at which requests fail.
"""

from __future__ import annotations

import json
import logging
import multiprocessing
import random
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from io import BytesIO
from typing import Any
from wsgiref.util import setup_testing_defaults

from django.conf import settings
from django.db import DatabaseError, connection, connections, transaction
from django.http import HttpRequest, HttpResponse
from django.urls import get_resolver, include, path

Application = Callable[[dict[str, Any], Callable[..., Any]], Any]

handler500 = "apps.tenants.api.error_pages.server_error"
_ENDLESS = "SELECT count(*) FROM generate_series(1, 100000) AS a, generate_series(1, 100000) AS b"
_QUESTION = "What was the maximum drawdown in the fourth quarter?"
# For all threads of all processes; inherited, since it can't be sent.
_start: list[Any] = []


def _titles() -> str:
    """Without the application's own filter."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT title FROM corpus_document")
        return "\n".join(title for (title,) in cursor.fetchall())


def reads(request: HttpRequest) -> HttpResponse:
    return HttpResponse(_titles())


def raises(request: HttpRequest) -> HttpResponse:
    raise RuntimeError(_titles())


def times_out(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = '20ms'")
        cursor.execute(_ENDLESS)
    return HttpResponse(_titles())


def cancelled(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor, _cancelling():
        cursor.execute("SET LOCAL statement_timeout = '20s'")
        cursor.execute(_ENDLESS)
    return HttpResponse(_titles())


def leaves(request: HttpRequest) -> HttpResponse:
    """Leave rows behind on the connection, for whoever borrows it next."""
    with connection.cursor() as cursor:
        cursor.execute("CLOSE ALL")
        cursor.execute("DECLARE left_behind CURSOR WITH HOLD FOR SELECT title FROM corpus_document ORDER BY title")
        cursor.execute("FETCH 1 FROM left_behind")
    return HttpResponse(_titles())


def takes(request: HttpRequest) -> HttpResponse:
    """Look for what somebody left."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("FETCH ALL FROM left_behind")
            return HttpResponse("\n".join(title for (title,) in cursor.fetchall()))
    except DatabaseError:
        return HttpResponse("nothing")


@contextmanager
def _cancelling() -> Iterator[None]:
    """Another thread ends what this one's connection is doing, and is gone itself before the request is."""
    done = threading.Event()
    raw = connection.connection

    def cancel() -> None:
        while not done.wait(0.02):
            raw.cancel_safe()

    canceller = threading.Thread(target=cancel)
    canceller.start()
    try:
        yield
    finally:
        done.set()
        canceller.join()


if __name__ != "__main__":
    # Imported by its name, when Django is set up; what runs as a process is another module.
    _VIEWS = (reads, raises, times_out, cancelled, leaves, takes)
    urlpatterns = [
        *(path(f"api/v1/crowd/{view.__name__}/", view) for view in _VIEWS),
        path("", include("config.urls")),
    ]


def ask(application: Application, key: str, address: str, body: dict[str, Any] | None = None) -> tuple[int, str]:
    """One request, from its beginning to the end at which a server closes it. Returns its status, headers and body."""
    place, _, query = address.partition("?")
    environ: dict[str, Any] = {"HTTP_AUTHORIZATION": f"Bearer {key}", "PATH_INFO": place, "QUERY_STRING": query}
    if body is not None:
        content = json.dumps(body).encode()
        environ |= {"REQUEST_METHOD": "POST", "CONTENT_TYPE": "application/json", "CONTENT_LENGTH": str(len(content))}
        environ["wsgi.input"] = BytesIO(content)
    setup_testing_defaults(environ)
    began: list[Any] = []
    parts = application(environ, lambda *about: began.extend(about))
    try:
        answer = b"".join(parts).decode("utf-8", "replace")
    finally:
        parts.close()
    return int(began[0].split()[0]), f"{began[1]} {answer}"


def one_of_many(application: Application, orders: dict[str, Any], seed: str) -> list[Any]:
    """A thread of the crowd. Returns who asked, what for, the status and the marks in the answer, by request."""
    chance = random.Random(seed)
    answers = []
    _start[0].wait()
    for _ in range(orders["requests"]):
        who = chance.choice(sorted(orders["clients"]))
        client = orders["clients"][who]
        act = chance.choice(client["acts"])
        address = {
            "documents": "/api/v1/documents/",
            "document": f"/api/v1/documents/{client['document']}/",
            "foreign": f"/api/v1/documents/{client['foreign']}/",
            "events": "/api/v1/audit/events/?action=corpus.",
            "query": "/api/v1/query/",
        }.get(act, f"/api/v1/crowd/{act}/")
        status, answer = ask(application, client["key"], address, {"question": _QUESTION} if act == "query" else None)
        marks = [mark for mark in orders["marks"] if mark in answer and mark not in address]
        answers.append([who, act, status, marks])
    return answers


def one_process(orders: dict[str, Any], number: int) -> list[Any]:
    from config.wsgi import application

    settings.DATABASES["default"]["OPTIONS"]["pool"].update(orders["pool"])
    with ThreadPoolExecutor(orders["threads"]) as executor:
        threads = [
            executor.submit(one_of_many, application, orders, f"{number} {thread}")
            for thread in range(orders["threads"])
        ]
        return [answer for thread in threads for answer in thread.result()]


def main() -> None:
    settings.ROOT_URLCONF = "tests.isolation.crowd"
    crowds = json.load(sys.stdin)
    settings.GLASSBOX_EMBEDDING_PROFILES = {**settings.GLASSBOX_EMBEDDING_PROFILES, "local": crowds[0]["provider"]}
    # Loaded once and then forked, as a server does that preloads its application; it opens nothing before.
    import config.wsgi  # noqa: F401

    get_resolver().url_patterns  # noqa: B018
    connection.close()
    connections["default"].close_pool()
    # Half of the crowd fails on purpose.
    logging.disable(logging.CRITICAL)
    fork = multiprocessing.get_context("fork")
    answers = []
    for orders in crowds:
        processes = orders["processes"]
        start = fork.Barrier(processes * orders["threads"])
        with ProcessPoolExecutor(processes, fork, _start.append, (start,)) as executor:
            running = [executor.submit(one_process, orders, number) for number in range(processes)]
            answers.append([answer for each in running for answer in each.result()])
    json.dump(answers, sys.stdout)


if __name__ == "__main__":
    main()
