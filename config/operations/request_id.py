"""One name for a request through everything that it sets off: answers, logs, the audit log, tasks in the queue."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final
from uuid import uuid4

HEADER: Final = "X-Request-ID"
# In the headers of a task's message.
TASK_HEADER: Final = "glassbox_request_id"
SENT_HEADER: Final = "glassbox_sent_at"
# What a proxy makes: UUIDs, ULIDs, hex. Nothing that a log or a page could take for something else, and no e-mail
# address.
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{7,63}")

_current: ContextVar[str] = ContextVar("glassbox_request_id", default="")


def current() -> str:
    """Empty outside of a request, and of what one set off."""
    return _current.get()


def is_well_formed(name: object) -> bool:
    return isinstance(name, str) and _WELL_FORMED.fullmatch(name) is not None


def accepted(given: str | None) -> str:
    """What the caller named the request, or a new name."""
    return given if given is not None and is_well_formed(given) else uuid4().hex


@contextmanager
def named(name: object) -> Iterator[None]:
    """Args: name: what is not well-formed is none; a message in a queue is not only ours to write."""
    reset = _current.set(name if isinstance(name, str) and is_well_formed(name) else "")
    try:
        yield
    finally:
        _current.reset(reset)


def carry(headers: dict[str, Any] | None = None, **_: object) -> None:
    """Celery's before_task_publish: whoever runs the task knows for which request, and /metrics how long it waited."""
    if headers is None:
        return
    headers.setdefault(SENT_HEADER, time.time())
    if current():
        headers.setdefault(TASK_HEADER, current())
