"""One request to a provider, as its caller follows it: how long it may take, and what is learned of it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(slots=True, kw_only=True)
class Exchange:
    """A request while it runs.

    timeout_seconds: for the whole reply. first_byte_ms: until the reply began; None if none came.
    input_tokens, output_tokens: as the reply states them; None where it does not.
    """

    timeout_seconds: float
    first_byte_ms: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    started: float = field(default_factory=time.monotonic, repr=False)

    def reply_begins(self) -> None:
        self.first_byte_ms = round((time.monotonic() - self.started) * 1000.0, 3)

    def note_usage(self, reply: object) -> None:
        """Note the tokens of a reply in OpenAI's form. What is no count is not noted."""
        usage = reply.get("usage") if isinstance(reply, Mapping) else None
        counts: Mapping[str, Any] = usage if isinstance(usage, Mapping) else {}
        self.input_tokens = _count(counts.get("prompt_tokens"))
        self.output_tokens = _count(counts.get("completion_tokens"))


_followed: Final[ContextVar[Exchange | None]] = ContextVar("glassbox_exchange", default=None)


@contextmanager
def following(exchange: Exchange) -> Iterator[None]:
    """Follow the request that the block sends in this thread."""
    reset = _followed.set(exchange)
    try:
        yield
    finally:
        _followed.reset(reset)


def followed() -> Exchange:
    """Return the exchange that the caller follows; a new one without a limit if nobody does."""
    return _followed.get() or Exchange(timeout_seconds=float("inf"))


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
