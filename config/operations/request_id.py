"""One name for a request and everything that it sets off: answers, logs, the audit log, tasks in the queue."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from uuid import uuid4

HEADER: Final = "X-Request-ID"
# Names of headers of a task's message.
TASK_HEADER: Final = "glassbox_request_id"
SENT_HEADER: Final = "glassbox_sent_at"
# The names that proxies make: UUIDs, ULIDs, hex. Nothing that a log or a page could mistake for something else, and no
# e-mail address.
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")

_current: ContextVar[str] = ContextVar("glassbox_request_id", default="")


def current() -> str:
    """Return the name of the current request, or an empty text outside of requests and the tasks that they set off."""
    return _current.get()


def is_well_formed(name: object) -> bool:
    return isinstance(name, str) and _WELL_FORMED.fullmatch(name) is not None


def accepted(given: str | None) -> str:
    """Return the caller's name for the request if it is well-formed, or else a new name."""
    return given if given is not None and is_well_formed(given) else uuid4().hex


@contextmanager
def named(name: object) -> Iterator[None]:
    """Set the request's name inside the block.

    Args: name: a malformed one is ignored, since others can write messages to the queue as well.
    """
    reset = _current.set(name if isinstance(name, str) and is_well_formed(name) else "")
    try:
        yield
    finally:
        _current.reset(reset)


def carry(headers: dict[str, Any] | None = None, **_: object) -> None:
    """Add the request's name and the time of sending to a task's message (Celery's before_task_publish).

    The worker then knows the request, and /metrics how long the message waited.
    """
    if headers is None:
        return
    headers.setdefault(SENT_HEADER, time.time())
    if current():
        headers.setdefault(TASK_HEADER, current())
