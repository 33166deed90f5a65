"""What is noted of each request to a model: that it is about to be sent, and what became of it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from enum import StrEnum
from typing import Final, Protocol

from apps.corpus.providers.base.exchange import Exchange
from apps.corpus.providers.base.prices import Price
from apps.retrieval.contracts import ContextBlock


class Purpose(StrEnum):
    """What a request to a model is for."""

    ANSWER = "answer"
    REPAIR = "repair"
    """Its first reply can't be used and is sent back."""
    REVISION = "revision"
    """Its answer holds claims that failed the check."""
    WORDINGS = "wordings"
    """What else to search for. Only the question is sent."""
    EMBED_QUESTION = "embed_question"
    """The question's vector, or that of another wording of it."""
    EMBED_EXAMPLES = "embed_examples"
    """Vectors of the policy's own review examples, which today's model has not embedded yet."""


class Model(Protocol):
    """Where a request goes."""

    @property
    def name(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def region(self) -> str: ...
    @property
    def price(self) -> Price | None: ...


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
