"""Answer a question as server-sent events: each stage as it ends, then the answer.

The question runs in a thread of its own, because the thread of the request must say something every few seconds. It
runs to its end and is recorded, whether the client still listens or not. The request's thread waits for that end too,
so that a process never has more such threads than the server gives it requests.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import copy_context
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Final

from django.db import InterfaceError, OperationalError, connections
from django.http import StreamingHttpResponse
from rest_framework.renderers import JSONRenderer
from rest_framework.response import Response

from apps.retrieval.trace import OnStage, StageRecord
from apps.tenants.api.idempotency import REPEATS_HEADER
from apps.tenants.api.problems import FRAMEWORK_PROBLEMS, problem_body, problem_handler
from apps.tenants.short_scopes import release_connection

EVENT_STREAM: Final = "text/event-stream"
HEARTBEAT_S: Final = 10.0
# What is refused sooner than this is answered by an ordinary problem, with its status and headers.
_AT_ONCE_S: Final = 0.5
_COMMENT: Final = b": still working\n\n"

logger = logging.getLogger("glassbox.api")


@dataclass(frozen=True, slots=True)
class _Ended:
    """How the question ended: with an answer or an error. Both are None after what can't be caught."""

    response: Response | None = None
    error: Exception | None = None


class Telling:
    """How the events are written. A subclass writes them for another protocol."""

    def stage(self, record: StageRecord) -> Iterator[bytes]:
        """A stage that has ended."""
        stage = {"stage": record.stage.value, "status": record.status.value, "elapsed_ms": record.elapsed_ms}
        yield event_bytes("stage", stage)

    def answer(self, response: Response) -> Iterator[bytes]:
        """The end, with an answer."""
        # A header can't follow what was sent.
        if repeats := response.headers.get(REPEATS_HEADER):
            yield event_bytes("repeats", {"audit_event_id": repeats})
        yield event_bytes("answer", response.data)

    def problem(self, problem: Mapping[str, Any]) -> Iterator[bytes]:
        """The end, without one."""
        yield event_bytes("problem", problem)


def event_bytes(name: str, data: Any) -> bytes:
    # One line: JSON escapes line ends.
    return b"event: %s\ndata: %s\n\n" % (name.encode(), JSONRenderer().render(data))


def streamed(
    answer: Callable[[OnStage], Response], *, view: object, telling: Telling | None = None
) -> StreamingHttpResponse:
    """Answer a question as events.

    Args:   answer: answers it, and tells of each stage; called in a thread of its own, outside of any scope.
            view: whose errors are told as problems.
            telling: writes the events; None for this API's own.
    Raises: what `answer` raises at once.
    """
    told: SimpleQueue[StageRecord | _Ended] = SimpleQueue()

    def run() -> None:
        ended = _Ended()
        try:
            ended = _Ended(response=answer(told.put))
        except Exception as error:  # noqa: BLE001 - told by the request's own thread
            ended = _Ended(error=error)
        finally:
            connections.close_all()
            told.put(ended)

    # The request has read who asks; the question has a connection of its own.
    release_connection()
    thread = threading.Thread(target=copy_context().run, args=(run,), name="question")
    thread.start()
    try:
        first = told.get(timeout=_AT_ONCE_S)
    except Empty:
        first = None
    if isinstance(first, _Ended) and first.error is not None:
        thread.join()
        raise first.error
    # What is in front must not collect the events.
    headers = {"Cache-Control": "no-store, no-transform", "X-Accel-Buffering": "no"}
    pieces = _pieces(told, first, view, telling or Telling())
    return StreamingHttpResponse(_Events(pieces, thread), content_type=EVENT_STREAM, headers=headers)


class _Events:
    """The events, in bytes. Closed by the server when all are sent, or when the client is gone."""

    def __init__(self, pieces: Iterator[bytes], thread: threading.Thread) -> None:
        self._pieces, self._thread = pieces, thread

    def __iter__(self) -> Iterator[bytes]:
        return self._pieces

    def close(self) -> None:
        self._thread.join()


def _pieces(
    told: SimpleQueue[StageRecord | _Ended], first: StageRecord | _Ended | None, view: object, telling: Telling
) -> Iterator[bytes]:
    if first is None:
        yield _COMMENT
    item = first
    while True:
        if item is None:
            try:
                item = told.get(timeout=HEARTBEAT_S)
            except Empty:
                yield _COMMENT
                continue
        if isinstance(item, _Ended):
            if item.response is None:
                yield from telling.problem(_problem(item.error, view))
            else:
                yield from telling.answer(item.response)
            return
        yield from telling.stage(item)
        item = None


def _problem(error: Exception | None, view: object) -> Any:
    response = None if error is None else problem_handler(error, {"view": view})
    if response is not None:
        wait = response.headers.get("Retry-After")
        return {**response.data, **({"retry_after": int(wait)} if wait else {})}
    away = isinstance(error, OperationalError | InterfaceError)
    code = "api.database_unavailable" if away else "api.internal"
    if not away:
        logger.error("a question that was answered as events failed", exc_info=error)
    status, detail = FRAMEWORK_PROBLEMS[code]
    return problem_body(status=status, code=code, detail=detail)
