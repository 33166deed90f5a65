"""What is noted of each request to a model: that it is about to be sent, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final, Protocol

from apps.corpus.providers.base.exchange import Exchange
from apps.corpus.providers.base.receivers import Model, Purpose
from apps.retrieval.contracts import ContextBlock

Call = Exchange
"""One request while it runs. The sender sets the token counts that the reply states."""


class Calls(Protocol):
    """Notes the requests of one question, and keeps them within its deadline."""

    def begin(
        self, to: Model, purpose: Purpose, *, context: ContextBlock | None, timeout_seconds: float
    ) -> AbstractContextManager[Call]:
        """Note a request before it is sent, and at the end of the block what became of it.

        Args:    context: the passages that are sent; None if none are.
                 timeout_seconds: the longest time for the reply; the question's deadline may leave less.
        Raises:  GenerationTimeoutError: the deadline has passed; nothing may be sent. And whatever keeps the request
                 from being noted: then nothing may be sent either.
        """


class UnnotedCalls:
    """For a model that is asked outside of any question. It notes nothing and has no deadline."""

    @contextmanager
    def begin(
        self, to: Model, purpose: Purpose, *, context: ContextBlock | None, timeout_seconds: float
    ) -> Iterator[Call]:
        yield Call(timeout_seconds=timeout_seconds)


UNNOTED: Final = UnnotedCalls()
